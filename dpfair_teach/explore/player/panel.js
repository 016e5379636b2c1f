// One picture: `root` holds its drawing, its legend and its folded table.
class Panel {
  constructor(data, root) {
    const all = (what) => [...root.querySelectorAll(what)];
    const d = this.data = data;
    this.svg = root.querySelector(".dpx-plot .dpx-svg");
    this.paths = all(".dpx-plot .dpx-s");
    this.texts = all(".dpx-plot .dpx-in");
    this.ends = all(".dpx-plot .dpx-end");
    this.items = all(".dpx-legend > li");
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
    else if (d.view === "bars") this.bars(frame);
    else this.curves(frame);
    if (d.e) this.name(frame);
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
      const {kind, dx, dy, tail} = d.S[i], pieces = kind === "segments";
      if (this.items[i]) this.items[i].classList.toggle("dpx-absent", !x.length);
      let path = "";
      for (let j = 0; j < x.length; j++) {
        const px = toPlace(d.X, x[j], d.w), py = d.h - toPlace(d.Y, y[j], d.h);
        path += tail ? `M${px + dx} ${py + dy}${tail}` : `${(pieces ? j % 2 : j) ? "L" : "M"}${px} ${py}`;
      }
      set(this.paths[i++], "d", path + (path && (kind === "band" || kind === "polygon") ? "Z" : ""));
    }
  }

  // chart.py, drawing.py: the name and the number of each series near the end of it
  name(frame) {
    const d = this.data, n = d.x.length, right = this.svg.viewBox.baseVal.width - 18, size = this.svg.viewBox.baseVal.height;
    const end = [...this.series(frame)].map(([, y], i) => {
      const last = toPlace(d.Y, y[n - 1], d.h);
      return d.top + d.h - clamp(d.S[i].kind === "band" ? Math.floor((last + toPlace(d.Y, y[n], d.h)) / 2) : last, 0, d.h);
    });
    const names = spread(end, d.e, 3000), numbers = spread(end, d.e.map(() => 280), 3000);
    this.ends.forEach(({children: [far, near, text]}, i) => {
      set(far, "d", `M${right + 2} ${end[i] / 10}L${right + 18} ${names[i] / 10}`);
      set(near, "d", `M${right + 2} ${end[i] / 10}L${right + 4} ${numbers[i] / 10}`);
      set(text, "y", numbers[i] / 10);
      this.items[i].style.top = (10 * names[i] / size).toFixed(2) + "%";
    });
  }

  bars(frame) {
    const d = this.data, place = (kept) => clamp(toPlace(d.X, kept, d.w), 0, d.w), zero = place(d.X.log ? -Infinity : 0);
    this.paths.forEach((path, i) => {
      const kept = this.numbers[this.begin[frame] + i];
      set(path, "d", `M${zero} 0H${place(kept)}v140H${zero}z`);
      tell(this.texts[i], toText(d.X, kept));
    });
  }

  table(frame) {
    const {u, start, rows, columns} = this.data, at = (f, i) => u[this.numbers[this.begin[f] + i]];
    this.cells.forEach((cell, i) => {
      const text = at(frame, i), row = rows && rows[Math.floor(i / columns)];
      tell(cell, text);
      if (rows && row === undefined) return;
      const was = rows ? at(frame, row * columns + i % columns) : at(start, i);
      cell.className = text === was ? "" : "dpx-moved";
      cell.dataset.was = (rows ? "against " : "was ") + was;
    });
  }

  // the folded table of numbers, made only when somebody looks
  list() {
    const d = this.data;
    if (!this.details.open) return;
    let rows = [];
    if (d.x) {
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
