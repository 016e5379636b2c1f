// <dpfair-explorer>: moves the figure that Python drew to another setting of its controls. No dependencies.
(() => {
  if (customElements.get("dpfair-explorer")) return;
  const alphabet = [];
  for (let c = 35; c < 127; c++) {
    const char = String.fromCharCode(c);
    if (!"\\<>&`'$%".includes(char)) alphabet.push(char);
  }
  const place = new Map(alphabet.map((char, i) => [char, i]));

  // packing.py: characters -> signed whole numbers -> frames
  const unpack = ({q, o, m}, size) => {
    const out = [];
    let high = 0;
    for (const char of q) {
      const i = place.get(char);
      if (i > 63) high = high * (alphabet.length - 64) + i - 64;
      else {
        const z = high * 64 + i;
        out.push(z % 2 ? -(z + 1) / 2 : z / 2);
        high = 0;
      }
    }
    while (o--) for (let i = 1; i < out.length; i++) out[i] += out[i - 1];
    if (m) for (let i = size; i < out.length; i++) out[i] += out[i - size];
    return out;
  };

  // axes.py: the same operations in the same order
  const toPlace = (axis, kept, size) => Math.round((kept / 10 ** axis.k - axis.lo) / (axis.hi - axis.lo) * size);
  const toText = (axis, kept) => {
    const value = kept / 10 ** axis.k;
    return String(axis.log ? +(10 ** value).toPrecision(3) : +value.toFixed(axis.k));
  };
  const set = (node, name, value) => node.getAttribute(name) === value || node.setAttribute(name, value);

  // One picture: `root` holds its drawing, its legend and its folded table.
  class Panel {
    constructor(data, root) {
      const all = (what) => [...root.querySelectorAll(what)];
      const d = this.data = data;
      this.svg = root.querySelector(".dpx-plot .dpx-svg");
      this.paths = all(".dpx-plot .dpx-s");
      this.rects = all(".dpx-plot rect");
      this.texts = all(".dpx-plot .dpx-in");
      this.cells = all(".dpx-plot tbody td");
      this.details = root.querySelector("details");
      this.body = root.querySelector("details tbody");
      // which of the distinct frames stands at a setting; where each begins, and how many points each of its series has
      this.index = d.i && unpack(d.i);
      const s = d.S ? d.S.length : 0;
      const counts = d.c && (d.c.q === undefined ? d.c : unpack(d.c, s));
      this.count = (frame, i) => counts[(frame * s + i) % counts.length];
      this.begin = [0];
      for (let f = 0; f < d.f; f++) {
        let size = d.size;
        if (counts) for (let i = size = 0; i < s; i++) size += 2 * this.count(f, i);
        this.begin.push(this.begin[f] + size);
      }
      this.numbers = unpack(d.p, this.begin[1]);
      if (this.details) this.details.addEventListener("toggle", () => this.list());
    }

    draw(setting) {
      const d = this.data, frame = this.index ? this.index[setting] : setting;
      if (frame === this.frame) return;
      this.frame = frame;
      if (d.view === "table") this.table(frame);
      else if (d.view === "heatmap") this.heat(frame);
      else if (d.view === "bars") this.bars(frame);
      else this.curves(frame);
      if (this.details && this.details.open) requestAnimationFrame(() => this.list());
    }

    // the kept numbers of series i: [x or null, y], and for a band y runs along the low and back along the high side
    *series(frame) {
      const d = this.data;
      let at = this.begin[frame];
      const take = (n) => this.numbers.slice(at, at += n);
      for (let i = 0; i < d.S.length; i++) {
        if (d.x) yield d.S[i].kind === "band" ? [d.x.concat(d.x.slice().reverse()), take(d.x.length).concat(take(d.x.length).reverse())] : [d.x, take(d.x.length)];
        else {
          const n = this.count(frame, i);
          yield [take(n), take(n)];
        }
      }
    }

    curves(frame) {
      const d = this.data;
      let i = 0;
      for (const [x, y] of this.series(frame)) {
        const {kind, dx, dy, tail} = d.S[i];
        const dots = kind === "points";
        let path = "";
        for (let j = 0; j < x.length; j++) {
          const px = toPlace(d.X, x[j], d.w), py = d.h - toPlace(d.Y, y[j], d.h);
          path += dots ? `M${px + dx} ${py + dy}${tail}` : `${j ? "L" : "M"}${px} ${py}`;
        }
        set(this.paths[i++], "d", path + (path && (kind === "band" || kind === "polygon") ? "Z" : ""));
      }
    }

    bars(frame) {
      const d = this.data;
      this.paths.forEach((path, i) => {
        const kept = this.numbers[this.begin[frame] + i];
        set(path, "d", `M0 0h${Math.min(Math.max(toPlace(d.X, kept, d.w), 0), d.w)}v140H0z`);
        this.texts[i].textContent = toText(d.X, kept);
      });
    }

    heat(frame) {
      const {Y, size} = this.data;
      for (let i = 0; i < size; i++) {
        const kept = this.numbers[this.begin[frame] + i];
        const level = Math.max(0, Math.min(7, Math.floor((kept / 10 ** Y.k - Y.lo) / (Y.hi - Y.lo) * 8)));
        set(this.rects[i], "class", "dpx-q" + level);
        if (this.texts[i]) {
          set(this.texts[i], "class", "dpx-in dpx-q" + level);
          this.texts[i].textContent = toText(Y, kept);
        }
      }
    }

    table(frame) {
      const {u, start} = this.data;
      this.cells.forEach((cell, i) => {
        const text = u[this.numbers[this.begin[frame] + i]], was = u[this.numbers[this.begin[start] + i]];
        cell.textContent = text;
        cell.className = text === was ? "" : "dpx-moved";
        cell.dataset.was = was;
      });
    }

    // the folded table of numbers, made only when somebody looks
    list() {
      const d = this.data;
      if (!this.details.open) return;
      let rows = [];
      if (d.view === "heatmap") {
        rows = d.rows.map((name, r) => [name, ...d.columns.map((_, c) => toText(d.Y, this.numbers[this.begin[this.frame] + r * d.columns.length + c]))]);
      } else if (d.x) {
        rows = d.rx.map((text) => [text]);
        let i = 0;
        for (const [, y] of this.series(this.frame)) {
          const band = d.S[i++].kind === "band";
          d.r.forEach((j, r) => rows[r].push(toText(d.Y, y[j]) + (band ? " to " + toText(d.Y, y[y.length - 1 - j]) : "")));
        }
      } else {
        let i = 0;
        for (const [x, y] of this.series(this.frame)) {
          const name = d.S[i++].name;
          x.forEach((a, j) => rows.push([`${name}, ${j + 1}`, toText(d.X, a), toText(d.Y, y[j])]));
        }
      }
      this.body.replaceChildren(...rows.map((row) => {
        const line = document.createElement("tr");
        row.forEach((text, i) => {
          const cell = document.createElement(i ? "td" : "th");
          if (!i) cell.scope = "row";
          cell.textContent = text;
          line.append(cell);
        });
        return line;
      }));
    }
  }

  customElements.define("dpfair-explorer", class extends HTMLElement {
    connectedCallback() {
      const island = this.querySelector("script.dpx-data");
      if (this.data) return;
      if (!island) {     // the parser has not come to it yet
        if (document.readyState === "loading") addEventListener("DOMContentLoaded", () => this.connectedCallback(), {once: true});
        return;
      }
      const d = this.data = JSON.parse(island.textContent);
      const all = (what) => [...this.querySelectorAll(what)];
      this.inputs = all(".dpx-sliders input");
      this.say = this.querySelector(".dpx-say");
      this.at = this.querySelector(".dpx-at");
      const roots = d.P.length > 1 ? all(".dpx-panel") : [this];
      this.panels = d.P.map((data, i) => new Panel(data, roots[i]));
      this.said = d.say.i && unpack(d.say.i);
      this.people = all(".dpx-who");
      this.begin = this.people.map((who) => this.bit(who));     // as they first stand
      this.people.forEach((who, i) => {
        this.begin[i] ^= who.hasAttribute("data-moved");
        who.setAttribute("role", "button");
        who.setAttribute("tabindex", i ? -1 : 0);
        who.addEventListener("click", () => this.flip(who));
        who.addEventListener("keydown", (event) => this.key(event, i));
      });
      this.classList.add("dpx-on");
      this.addEventListener("input", () => this.draw());
      this.addEventListener("submit", (event) => event.preventDefault());
      this.draw();
    }

    bit(who) {
      return +who.classList.contains("dpx-is1");
    }

    flip(who) {
      const one = who.classList.toggle("dpx-is1");
      who.classList.toggle("dpx-is0", !one);
      this.focused(who);
      this.draw();
    }

    // one stop of the Tab key; the arrows go from person to person
    key(event, i) {
      const to = {ArrowRight: i + 1, ArrowDown: i + 1, ArrowLeft: i - 1, ArrowUp: i - 1, Home: 0, End: this.people.length - 1}[event.key];
      if (to !== undefined) {
        const who = this.people[Math.min(Math.max(to, 0), this.people.length - 1)];
        this.focused(who);
        who.focus();
      } else if (event.key === "Enter" || event.key === " ") this.flip(this.people[i]);
      else return;
      event.preventDefault();
    }

    focused(who) {
      for (const other of this.people) set(other, "tabindex", other === who ? "0" : "-1");
    }

    // where each control stands
    settings() {
      const at = this.data.n.map(() => 0);
      for (const input of this.inputs) {
        const k = +input.dataset.k, texts = this.data.v[k];
        if (input.type === "checkbox") at[k] = texts.indexOf(input.checked ? "yes" : "no");
        else if (input.type === "range") {
          at[k] = +input.value;
          set(input, "aria-valuetext", texts[at[k]]);
          input.parentNode.querySelector("b").textContent = texts[at[k]];
        } else if (input.checked) at[k] = +input.value;
      }
      if (this.people.length) {
        let moved = [];
        at[0] = 0;
        this.people.forEach((who, i) => {
          const bit = this.bit(who), other = bit !== this.begin[i];
          at[0] += bit << (this.people.length - 1 - who.dataset.who);
          set(who, "aria-pressed", String(other));
          set(who, "aria-label", bit ? who.dataset.b : who.dataset.a);
          who.toggleAttribute("data-moved", other);
          if (other) moved.push([+who.dataset.who, who.querySelector(".dpx-called").textContent]);
        });
        this.moved = moved.sort((a, b) => a[0] - b[0]).map((pair) => pair[1]).join(", ") || "nobody";
      }
      return at;
    }

    draw() {
      const d = this.data, at = this.settings();
      const where = (on) => on.reduce((sum, k) => sum * d.n[k] + at[k], 0);
      const place = where(d.say.on);
      const [template, ...parts] = d.say.a[this.said ? this.said[place] : place].split("|");
      const sentence = d.say.t[template].split("\x01").map((text, i) => text + (parts[i] || "")).join("");
      this.say.textContent = sentence;
      this.at.textContent = d.k.map((name, k) => name + " = " + (d.v[k][at[k]] || this.moved)).join(", ");
      this.panels.forEach((panel, i) => {
        const name = d.P.length > 1 ? d.P[i].name : d.title;
        if (panel.svg) set(panel.svg, "aria-label", name + ". " + sentence);
        panel.draw(where(d.P[i].on));
      });
    }
  });
})();
