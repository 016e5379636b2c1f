// <dpfair-explorer>: moves the figure that Python drew to another setting of its controls.
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
    this.begin = this.people.map((who) => this.bit(who) ^ who.hasAttribute("data-moved"));     // before anybody changed
    this.people.forEach((who, i) => {
      who.setAttribute("role", "button");
      who.setAttribute("tabindex", i ? -1 : 0);
      who.addEventListener("click", () => this.flip(who));
      who.addEventListener("keydown", (event) => this.key(event, i));
    });
    this.offered = d.o && new Offered(this);
    this.classList.add("dpx-on");
    this.addEventListener("input", () => this.draw());
    this.addEventListener("submit", (event) => event.preventDefault());
    reserve(this.say, d.say.a.map((_, i) => this.sentence(i)).sort((a, b) => b.length - a.length).slice(0, 24));
    this.draw();
    this.readings = this.panels.map((panel, i) => panel.svg && (panel.data.view !== "bars" || panel.data.g !== undefined)
      ? new Reading(panel, roots[i], d.P.length > 1 ? panel.data.name : d.title) : null);
    if (d.play !== undefined) this.playing = new Playing(this, this.inputs.find((input) => +input.dataset.k === d.play));
    const asks = this.panels.findIndex((panel) => panel.data.g !== undefined);
    if (asks >= 0) this.guess = new Guess(this, this.panels[asks], this.readings[asks]);
    this.called();
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
      const who = this.people[clamp(to, 0, this.people.length - 1)];
      this.focused(who);
      who.focus();
    } else if (event.key === "Enter" || event.key === " ") this.flip(this.people[i]);
    else return;
    event.preventDefault();
  }

  focused(who) {
    for (const other of this.people) set(other, "tabindex", other === who ? 0 : -1);
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
        tell(input.parentNode.querySelector("b"), texts[at[k]]);
      } else if (input.checked) at[k] = +input.value;
    }
    if (this.people.length) {
      const moved = [];
      at[0] = 0;
      this.people.forEach((who, i) => {
        const bit = this.bit(who), other = bit !== this.begin[i];
        at[0] += bit << (this.people.length - 1 - who.dataset.who);
        set(who, "aria-pressed", other);
        set(who, "aria-label", bit ? who.dataset.b : who.dataset.a);
        who.toggleAttribute("data-moved", other);
        if (other) moved.push([+who.dataset.who, who.querySelector(".dpx-called").textContent]);
      });
      this.moved = moved.sort((a, b) => a[0] - b[0]).map((pair) => pair[1]).join(", ") || "nobody";
    }
    return at;
  }

  sentence(i) {
    const {t, a} = this.data.say, [template, ...parts] = a[i].split("|");
    return t[template].split("\x01").map((text, j) => text + (parts[j] || "")).join("");
  }

  draw() {
    const d = this.data;
    if (this.offered) this.offered.settle(this.settings());
    const at = this.settings();
    const where = (on) => on.reduce((sum, k) => sum * d.n[k] + at[k], 0);
    const place = where(d.say.on), sentence = this.sentence(this.said ? this.said[place] : place);
    this.setting = at.join();
    tell(this.say, sentence);
    tell(this.at, d.k.map((name, k) => name + " = " + (d.v[k][at[k]] || this.moved)).join(", "));
    this.panels.forEach((panel, i) => {
      panel.draw(where(d.P[i].on));
      if (this.readings && this.readings[i]) this.readings[i].again();
    });
    if (this.guess) this.guess.moved();
    this.called();
  }

  // the pictures' names for a screen reader: without the answer while the reader is asked for it
  called() {
    const d = this.data, told = this.guess && this.guess.asking ? this.guess.asked : this.say.textContent;
    this.panels.forEach(({svg}, i) => {
      const name = d.P.length > 1 ? d.P[i].name : d.title;
      if (svg) set(svg, "aria-label", name + (/[.?!]$/.test(name) ? " " : ". ") + told);
    });
  }
});
