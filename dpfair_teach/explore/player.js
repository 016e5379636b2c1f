// <dpfair-explorer>: moves the figure that Python drew to another frame of the slider grid. No dependencies.
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
      this.inputs = all("input");
      this.outputs = all("label b");
      this.say = this.querySelector(".dpx-say");
      this.at = this.querySelector(".dpx-at");
      this.svg = this.querySelector(".dpx-svg");
      this.paths = all(".dpx-svg .dpx-s");
      this.rects = all("rect");
      this.texts = all(".dpx-in");
      this.cells = all(".dpx-plot tbody td");
      this.details = this.querySelector("details");
      this.body = this.querySelector("details tbody");
      if (d.p) {
        // where each frame begins, and how many points each of its series has
        const frames = d.n.reduce((a, b) => a * b, 1), s = d.S ? d.S.length : 0;
        const counts = d.c && (d.c.q === undefined ? d.c : unpack(d.c, s));
        this.count = (frame, i) => counts[(frame * s + i) % counts.length];
        this.begin = [0];
        for (let f = 0; f < frames; f++) {
          let size = d.size;
          if (counts) for (let i = size = 0; i < s; i++) size += 2 * this.count(f, i);
          this.begin.push(this.begin[f] + size);
        }
        this.numbers = unpack(d.p, this.begin[1]);
      }
      this.classList.add("dpx-on");
      this.addEventListener("input", () => this.draw());
      if (this.details) this.details.addEventListener("toggle", () => this.list());
      this.draw();
    }

    draw() {
      const d = this.data;
      let frame = 0;
      const values = this.inputs.map((input, i) => {
        const text = d.v[i][+input.value];
        frame = frame * d.n[i] + +input.value;
        set(input, "aria-valuetext", text);
        this.outputs[i].textContent = text;
        return d.k[i] + " = " + text;
      });
      this.frame = frame;
      const [template, ...parts] = d.a[d.a.length > 1 ? frame : 0].split("|");
      const sentence = d.t[template].split("\x01").map((text, i) => text + (parts[i] || "")).join("");
      this.say.textContent = sentence;
      this.at.textContent = values.join(", ");
      if (this.svg) set(this.svg, "aria-label", d.title + ". " + sentence);
      if (d.view === "table") this.table(frame);
      else if (d.view === "heatmap") this.heat(frame);
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
      const {u, size, start} = this.data;
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
  });
})();
