// What is too wide for the page scrolls by itself; then the keyboard must reach it, a screen reader must say what it is,
// and its edges must show that it goes on.
(() => {
  const names = [["mjx-container, div.math", "Formula, scrolls sideways"], ["pre", "Code, scrolls sideways"],
                 [".cell_output, .cell_output > .output, .pst-scrollable-table-container, table", "Table or output, scrolls sideways"]];
  const fade = ({currentTarget: box}) => edges(box);
  const edges = (box) => {
    const left = Math.abs(box.scrollLeft), more = box.scrollWidth - box.clientWidth - left;
    box.classList.toggle("more-left", left > 1);
    box.classList.toggle("more-right", more > 1);
  };
  // The boxes of our own figures are stops of the Tab key with a name already.
  const own = ".dpx :is(.dpx-plot, .dpx-scroll, pre)[tabindex]";
  const mark = () => {
    for (const box of document.querySelectorAll(`article ${own}`)) {
      if (box.scrollWidth > box.clientWidth + 1) {
        if (!box.dataset.scrolls) box.addEventListener("scroll", fade, {passive: true});
        box.dataset.scrolls = "1";
        edges(box);
      } else if (box.dataset.scrolls) {
        box.removeEventListener("scroll", fade);
        box.classList.remove("more-left", "more-right");
        delete box.dataset.scrolls;
      }
    }
    // The text for screen readers that lies hidden in a formula may be wider than the formula: what is drawn decides.
    const formulas = [...document.querySelectorAll("article mjx-container:not([display])")];
    const wide = formulas.map((formula) => {
      let block = formula.closest("p, li, td, th, dd, dt, h1, h2, h3, summary, div");
      if (block && getComputedStyle(block).display === "inline") block = block.parentElement;     // a paragraph beside its column's name
      const style = block && getComputedStyle(block);
      const drawn = formula.querySelector("mjx-math");
      return drawn && block && drawn.getBoundingClientRect().width > block.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) + 1;
    });
    formulas.forEach((formula, i) => formula.classList.toggle("wide", !!wide[i]));
    for (const [selector, name] of names)
      for (const box of document.querySelectorAll(`article :is(${selector})`)) {
        if (box.closest(".dpx") || (box.hasAttribute("tabindex") && box.hasAttribute("aria-label") && !box.dataset.scrolls)) continue;
        const formula = box.tagName === "MJX-CONTAINER";
        const scrolls = (!formula || box.matches(".wide, [display]")) && box.scrollWidth > box.clientWidth + 1 && !/visible|clip|hidden/.test(getComputedStyle(box).overflowX);
        if (scrolls) {
          box.tabIndex = 0;
          if (!box.dataset.scrolls) box.addEventListener("scroll", fade, {passive: true});
          box.dataset.scrolls = "1";
          if (!formula && box.tagName !== "TABLE") { box.setAttribute("role", "group"); box.setAttribute("aria-label", name); }
          edges(box);
        } else if (box.dataset.scrolls) {
          box.removeEventListener("scroll", fade);
          box.classList.remove("more-left", "more-right");
          for (const attribute of ["tabindex", "role", "aria-label", "data-scrolls"]) if (!(formula && attribute === "role")) box.removeAttribute(attribute);
        }
      }
  };
  let wait;
  const later = () => { clearTimeout(wait); wait = setTimeout(mark, 100); };
  addEventListener("load", () => (window.MathJax && MathJax.startup ? MathJax.startup.promise.then(mark) : mark()));
  addEventListener("resize", later);
  document.addEventListener("toggle", later, true);
})();
