// Values under the pointer, a finger, or the arrow keys: they stand beside the names in the legend, and a screen reader hears them.
class Reading {
  constructor(panel, root, name) {
    this.panel = panel;
    const {data, svg} = panel;
    const inner = svg.querySelectorAll("svg")[data.view === "bars" ? data.g : 0], whole = svg.viewBox.baseVal;
    this.area = make("div", "dpx-read", svg.parentNode);
    for (const [side, of, size] of [["left", "x", whole.width], ["top", "y", whole.height], ["width", "width", whole.width], ["height", "height", whole.height]])
      this.area.style[side] = 100 * inner.getAttribute(of) / size + "%";
    const words = {role: "slider", tabindex: 0, "aria-label": `Values of: ${name}`, "aria-valuemin": 0, "aria-valuenow": 0, "aria-valuetext": "press an arrow key"};
    for (const key in words) set(this.area, key, words[key]);
    this.rule = make("i", "dpx-rule", this.area);
    this.marks = data.S.map(() => make("i", "dpx-ring", this.area));
    const legend = root.querySelector(".dpx-legend"), told = make("div", "dpx-told", legend ? legend.parentNode : svg.parentNode.parentNode);
    if (legend) legend.before(told);
    this.where = make("p", "dpx-where", told);
    this.items = legend ? [...legend.children] : [];
    // over x every series has a value; of points one or a few are read at a time, and their names are marked
    this.values = data.x ? this.items.map((item, i) => {
      const value = make("span", "dpx-value", item), most = this.most(data.Y);
      value.style.minWidth = (data.S[i].kind === "band" ? 2 * most + 4 : most) + "ch";
      return value;
    }) : [];
    this.where.textContent = this.hint = data.view === "bars" ? "" : "Point at it to read values.";
    reserve(this.where, [this.hint, this.longest()]);
    this.area.addEventListener("pointermove", (event) => this.point(event));
    this.area.addEventListener("pointerdown", (event) => this.point(event));
    this.area.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && document.activeElement !== this.area && this.clear());
    this.area.addEventListener("blur", () => this.clear());
    this.area.addEventListener("keydown", (event) => this.key(event));
  }

  // as long as any place that is told
  longest() {
    const {X, Y, x, xl, g} = this.panel.data, digits = (axis) => "8".repeat(this.most(axis));
    const mine = g === undefined ? "" : "your guess ";
    return x ? `${xl} = ${digits(X)}${mine && `: ${mine}${digits(Y)}`}` : Y ? `${mine}(${digits(X)}, ${digits(Y)})` : mine + digits(X);
  }

  // characters of the longest number, so that its place is kept
  most(axis) {
    return axis.log ? 7 : Math.max(...[axis.lo, axis.hi].map((end) => end.toFixed(axis.k).length));
  }

  // What there is to read in this frame: where it lies (fractions of the area), what it says, series by series.
  spots() {
    const p = this.panel, d = p.data;
    if (this.frame === p.frame) return this.found;
    this.frame = p.frame;
    if (d.view === "bars") return this.found = [];
    const across = (kept) => toPlace(d.X, kept, d.w) / d.w, down = (kept) => 1 - toPlace(d.Y, kept, d.h) / d.h;
    const all = [...p.series(p.frame)];
    if (d.x) return this.found = d.x.map((kept, j) => ({
      at: [across(kept), null], where: `${d.xl} = ${d.xt ? d.xt[j] : toText(d.X, kept)}`,
      marks: all.map(([, y], i) => d.S[i].kind === "band" ? null : [across(kept), down(y[j])]),
      each: all.map(([, y], i) => toText(d.Y, y[j]) + (d.S[i].kind === "band" ? " to " + toText(d.Y, y[y.length - 1 - j]) : ""))}));
    const points = all.flatMap(([x, y], i) => x.map((a, j) => ({i, x: a, y: y[j]})));
    return this.found = points.map((one) => {
      const at = [across(one.x), down(one.y)], marks = [], each = [], a = toText(d.X, one.x), b = toText(d.Y, one.y);
      for (const {i, x, y} of points) if (x === one.x && y === one.y) {
        marks[i] = at;
        each[i] = "";
      }
      return {at, marks, each, i: one.i, where: `(${a}, ${b})`, told: `${d.xl} = ${a}, ${d.yl} = ${b}`};
    });
  }

  // where a pointer is, in fractions of the area
  fraction(event) {
    const box = this.area.getBoundingClientRect();
    return [clamp((event.clientX - box.left) / box.width, 0, 1), clamp((event.clientY - box.top) / box.height, 0, 1), box];
  }

  point(event) {
    if (this.guess && this.guess.asking) return this.guess.point(event);
    const [x, y, box] = this.fraction(event);
    let best = -1, least = Infinity;
    this.spots().forEach(({at}, j) => {
      const away = ((at[0] - x) * box.width) ** 2 + (at[1] === null ? 0 : ((at[1] - y) * box.height) ** 2);
      if (away < least) [best, least] = [j, away];
    });
    if (best >= 0) this.show(best);
  }

  key(event) {
    if (this.guess && this.guess.asking) return this.guess.key(event);
    const spots = this.spots(), last = spots.length - 1, at = this.spot === undefined ? -1 : this.spot;
    // up and down: to the series before or after
    const series = (step) => {
      if (!spots.length || spots[0].i === undefined) return at - step;
      const now = spots[Math.max(at, 0)].i, found = step > 0 ? spots.findIndex((one) => one.i > now) : spots.findIndex((one) => one.i === spots[Math.max(spots.findIndex((same) => same.i === now) - 1, 0)].i);
      return found < 0 ? at : found;
    };
    const to = {ArrowRight: () => at + 1, ArrowLeft: () => at - 1, ArrowDown: () => series(1), ArrowUp: () => series(-1), Home: () => 0, End: () => last,
      PageDown: () => at + Math.ceil(last / 10), PageUp: () => at - Math.ceil(last / 10)}[event.key];
    if (!to || last < 0) return;
    event.preventDefault();
    this.show(clamp(to(), 0, last));
  }

  show(j) {
    const spots = this.spots();
    if (!spots.length) return this.clear();
    this.spot = Math.min(j, spots.length - 1);
    const {at, marks, each, where, told} = spots[this.spot], {S} = this.panel.data;
    this.area.classList.add("dpx-reads");
    this.rule.style.left = 100 * at[0] + "%";
    this.rule.hidden = at[1] !== null;
    this.marks.forEach((mark, i) => {
      const to = marks[i];
      mark.hidden = !to || to[1] < -.02 || to[1] > 1.02;
      if (to) [mark.style.left, mark.style.top] = [100 * to[0] + "%", 100 * to[1] + "%"];
    });
    const hidden = this.guess && this.guess.asking ? this.guess.i : -1;
    const said = S.map(({name}, i) => each[i] === undefined || i === hidden ? "" : `${name} ${each[i]}`.trim()).filter(Boolean);
    tell(this.where, where);
    this.values.forEach((value, i) => { tell(value, i === hidden ? "" : each[i]); });
    this.items.forEach((item, i) => item.classList.toggle("dpx-here", !!told && each[i] !== undefined && i !== hidden));
    set(this.area, "aria-valuemax", spots.length - 1);
    set(this.area, "aria-valuenow", this.spot);
    set(this.area, "aria-valuetext", [told || where, said.join(", ")].filter(Boolean).join(": "));
  }

  // the frame has changed
  again() {
    if (this.spot !== undefined) this.show(this.spot);
  }

  clear() {
    this.spot = undefined;
    this.area.classList.remove("dpx-reads");
    tell(this.where, this.hint);
    for (const value of this.values) tell(value, "");
    for (const item of this.items) item.classList.remove("dpx-here");
  }
}
