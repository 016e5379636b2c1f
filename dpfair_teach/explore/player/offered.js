// offered.py: a control offers what goes with those before it, and takes the later ones along.
class Offered {
  constructor(figure) {
    const d = figure.data, sizes = d.n;
    this.figure = figure;
    this.settings = unpack(d.o, 0).map((number) => {
      const places = [];
      for (let k = sizes.length - 1; k >= 0; k--) {
        places[k] = number % sizes[k];
        number = Math.floor(number / sizes[k]);
      }
      return places;
    });
  }

  // the nearest setting to where the controls stand; what does not go with the controls before it is closed
  settle(at) {
    let left = this.settings;
    at.forEach((place, k) => {
      const open = new Set(left.map((one) => one[k]));
      // a slider goes on over a gap in the direction in which it was moved
      const from = this.before ? this.before[k] : place, beyond = [...open].filter((one) => place > from ? one > from : place < from && one < from);
      const to = (beyond.length ? beyond : [...open]).reduce((a, b) => Math.abs(b - place) < Math.abs(a - place) || (Math.abs(b - place) === Math.abs(a - place) && b < a) ? b : a);
      for (const input of this.figure.inputs) if (+input.dataset.k === k) {
        if (input.type === "range") input.value = to;
        else if (input.type === "radio") [input.checked, input.disabled] = [+input.value === to, !open.has(+input.value)];
        else [input.checked, input.disabled] = [this.figure.data.v[k][to] === "yes", open.size < 2];
      }
      left = left.filter((one) => one[k] === to);
    });
    [this.before] = left;
  }
}
