// Guess first: the reader draws a curve, places a point or sets a bar before the answer shows; then both show, and how far off is said.
class Guess {
  constructor(figure, panel, reading) {
    const d = panel.data;
    Object.assign(this, {figure, panel, reading, i: d.g, mine: null, mode: d.x ? "draw" : d.view === "bars" ? "bar" : "place"});
    this.strip = figure.querySelector(".dpx-guess");
    this.words = this.strip.querySelector("p");
    [this.done, this.skip] = this.strip.querySelectorAll("button");
    this.name = d.S[this.i].name;
    this.asked = this.words.textContent;
    this.hint = reading.hint;
    this.path = panel.paths[this.i];
    this.line = this.path.cloneNode();
    this.line.setAttribute("class", "dpx-mine dpx-" + (this.mode === "draw" ? "line" : this.mode === "bar" ? "bar" : "points"));
    this.path.after(this.line);
    reading.guess = this;
    if (reading.items.length) {
      this.item = make("li", "", reading.items[0].parentNode);
      this.item.innerHTML = `<svg class="dpx-key" viewBox="0 -60 320 280" aria-hidden="true"><path class="dpx-mine" d="${this.mode === "draw" ? "M10 80H310" : "M80 80h160m-80 -80v160"}"/></svg>your guess`;
    }
    reserve(this.words, [`You were a factor of 1.88 off on average; the most, a factor of 8.88, at ${d.xl || ""} = 8888.88. ${this.name}`]);
    this.done.addEventListener("click", () => this.asking ? this.compare() : this.ask());
    this.skip.addEventListener("click", () => this.show(""));
    this.ask();
  }

  ask() {
    this.asking = true;
    this.mine = null;
    this.cursor = 0;
    this.turn(this.asked, "Compare");
    this.draw();
  }

  // the words, the buttons, and whether the rest of the figure is there
  turn(words, button) {
    tell(this.words, words);
    tell(this.done, button);
    this.done.disabled = this.asking;
    this.skip.hidden = !this.asking;
    this.figure.classList.toggle("dpx-asks", this.asking);
    for (const node of [this.path, this.mode === "bar" && this.panel.texts[this.i]]) if (node) node.classList.toggle("dpx-secret", this.asking);
    for (const node of this.figure.querySelectorAll(".dpx-sliders, .dpx-crowd, .dpx-numbers")) node.inert = this.asking;
    this.reading.hint = this.asking ? "" : this.hint;
    this.reading.clear();
    this.figure.called();
    set(this.reading.area, "aria-valuetext", this.asking ? "your guess: press the arrow keys" : "press an arrow key");
  }

  show(words) {
    this.asking = false;
    this.at = this.figure.setting;
    this.turn(words || "This is the answer.", "Guess again");
    this.draw();
  }

  // another setting of the controls: the guess was not about that one
  moved() {
    if (!this.asking && this.mine && this.at !== this.figure.setting) {
      this.mine = null;
      tell(this.words, "Your guess was for the setting before.");
      this.draw();
    }
  }

  // -- the reader's hand: everything in steps of a hundredth of the axes

  start() {
    const {r} = this.panel.data;
    this.mine = this.mine || (this.mode === "draw" ? r.map(() => null) : [.5, .5]);
    this.done.disabled = false;
  }

  point(event) {
    if (event.type === "pointermove" && !event.buttons) return;
    if (event.type === "pointerdown") this.reading.area.setPointerCapture(event.pointerId);
    this.start();
    const [x, y] = this.reading.fraction(event);
    if (this.mode === "draw") {
      const to = this.nearest(x), from = event.type === "pointerdown" ? to : this.cursor;
      const old = this.mine[from] === null ? 1 - y : this.mine[from];
      for (let j = Math.min(from, to); j <= Math.max(from, to); j++) this.mine[j] = from === to ? 1 - y : old + (1 - y - old) * (j - from) / (to - from);
      this.cursor = to;
    } else this.mine = [x, 1 - y];
    event.preventDefault();
    this.tell();
  }

  nearest(x) {
    let best = 0;
    this.nodes().forEach((at, j, all) => { if (Math.abs(at - x) < Math.abs(all[best] - x)) best = j; });
    return best;
  }

  // where the places of a drawn curve lie, as fractions of the width
  nodes() {
    const d = this.panel.data;
    return d.r.map((j) => toPlace(d.X, d.x[j], d.w) / d.w);
  }

  key(event) {
    const step = event.shiftKey ? .01 : .05, across = {ArrowRight: 1, ArrowLeft: -1}[event.key] || 0, up = {ArrowUp: 1, ArrowDown: -1}[event.key] || 0;
    if (!across && !up) return;
    event.preventDefault();
    this.start();
    if (this.mode !== "draw") this.mine = [clamp(this.mine[0] + (this.mode === "bar" ? across + up : across) * step, 0, 1), clamp(this.mine[1] + up * step, 0, 1)];
    else {
      const before = this.mine[this.cursor] === null ? .5 : this.mine[this.cursor];
      this.cursor = clamp(this.cursor + across, 0, this.mine.length - 1);
      if (this.mine[this.cursor] === null) this.mine[this.cursor] = before;
      this.mine[this.cursor] = clamp(this.mine[this.cursor] + up * step, 0, 1);
    }
    this.tell();
  }

  tell() {
    const d = this.panel.data;
    const said = this.mode === "draw" ? `${d.xl} = ${d.rx[this.cursor]}: your guess ${this.says(d.Y, this.mine[this.cursor])}`
      : this.mode === "bar" ? `your guess ${this.says(d.X, this.mine[0])}` : `your guess (${this.says(d.X, this.mine[0])}, ${this.says(d.Y, this.mine[1])})`;
    tell(this.reading.where, said);
    set(this.reading.area, "aria-valuetext", said);
    this.draw();
  }

  draw() {
    const {data: d} = this.panel, {mine} = this;
    let path = "";
    if (mine && this.mode === "draw") {     // what is compared, from the first touch on
      const drawn = this.filled();
      path = "M" + this.nodes().map((x) => `${Math.round(x * d.w)} ${Math.round((1 - drawn(x)) * d.h)}`).join("L");
    }
    if (mine && this.mode === "place") path = `M${Math.round(mine[0] * d.w) - 80} ${Math.round((1 - mine[1]) * d.h)}h160m-80 -80v160`;
    if (mine && this.mode === "bar") path = `M${Math.round(mine[0] * d.w) - 15} 0h30v140h-30z`;
    set(this.line, "d", path);
    if (this.item) this.item.style.visibility = mine ? "" : "hidden";
  }

  // -- how far off

  // a fraction of an axis: the number there, and how it reads
  value(axis, part) {
    return axis.lo + part * (axis.hi - axis.lo);
  }

  says(axis, part) {
    const value = this.value(axis, part);
    return this.brief(axis.log ? 10 ** value : value);
  }

  brief(value) {
    return String(+value.toPrecision(2));
  }

  // how far apart two numbers of an axis are, in words
  apart(axis, away) {
    return axis.log ? `a factor of ${this.brief(10 ** away)}` : this.brief(away);
  }

  compare() {
    const {panel} = this, d = panel.data, now = [...(this.mode === "bar" ? [] : panel.series(panel.frame))][this.i];
    const real = (axis, kept) => kept / 10 ** axis.k;
    if (this.mode === "bar") {
      const kept = panel.numbers[panel.begin[panel.frame] + this.i];
      return this.show(`You were ${this.apart(d.X, Math.abs(this.value(d.X, this.mine[0]) - real(d.X, kept)))} off: it is ${toText(d.X, kept)}.`);
    }
    if (this.mode === "place") {
      const [across, up] = [[d.X, now[0][0], 0], [d.Y, now[1][0], 1]].map(([axis, kept, k]) => this.apart(axis, Math.abs(this.value(axis, this.mine[k]) - real(axis, kept))));
      return this.show(`It is at (${toText(d.X, now[0][0])}, ${toText(d.Y, now[1][0])}): you were ${across} off across and ${up} off up or down.`);
    }
    const drawn = this.filled(), away = d.x.map((kept, j) => Math.abs(this.value(d.Y, drawn(toPlace(d.X, kept, d.w) / d.w)) - real(d.Y, now[1][j])));
    const most = away.indexOf(Math.max(...away)), mean = away.reduce((a, b) => a + b, 0) / away.length;
    this.show(`You were ${this.apart(d.Y, mean)} off on average; the most, ${this.apart(d.Y, away[most])}, at ${d.xl} = ${d.xt ? d.xt[most] : toText(d.X, d.x[most])}.`);
  }

  // The drawn curve at any place, as a fraction of the height: straight between its places, level before the first and after the last.
  filled() {
    const nodes = this.nodes(), set = nodes.map((_, j) => j).filter((j) => this.mine[j] !== null);
    return (x) => {
      const after = set.findIndex((j) => nodes[j] >= x), b = set[after < 0 ? set.length - 1 : after], a = set[after < 1 ? (after < 0 ? set.length - 1 : 0) : after - 1];
      const part = a === b ? 0 : (x - nodes[a]) / (nodes[b] - nodes[a]);
      return this.mine[a] + part * (this.mine[b] - this.mine[a]);
    };
  }
}
