// Rounds that pass: play, pause, step. It never starts by itself and stops at the end; without motion where the reader wants none.
class Playing {
  constructor(figure, input) {
    this.figure = figure;
    this.input = input;
    [this.play, this.one] = figure.querySelectorAll(".dpx-time button");
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.still.addEventListener("change", () => this.stop());
    this.play.addEventListener("click", () => this.timer ? this.stop() : this.start());
    this.one.addEventListener("click", () => {
      this.stop();
      this.step();
    });
    // whoever moves anything else wants to look
    figure.addEventListener("input", () => this.stop());
  }

  start() {
    if (this.still.matches) return;
    if (this.end()) this.to(0);
    tell(this.play, "Pause");
    this.figure.say.setAttribute("aria-live", "off");
    this.timer = setInterval(() => this.step(), clamp(6000 / +this.input.max, 60, 600));
  }

  step() {
    this.to(+this.input.value + 1);
    if (this.end() || !this.figure.isConnected) this.stop();
  }

  end() {
    return +this.input.value >= +this.input.max;
  }

  to(value) {
    this.input.value = clamp(value, 0, +this.input.max);
    this.figure.draw();
  }

  stop() {
    if (!this.timer) return;
    clearInterval(this.timer);
    this.timer = 0;
    tell(this.play, "Play");
    this.figure.say.setAttribute("aria-live", "polite");
  }
}
