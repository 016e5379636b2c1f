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
  // The text for screen readers that lies hidden in a formula may be wider than the formula: what is drawn decides.
  const tooWide = (formula) => {
    let block = formula.closest("p, li, td, th, dd, dt, h1, h2, h3, summary, div");
    if (block && getComputedStyle(block).display === "inline") block = block.parentElement;     // a paragraph beside its column's name
    const drawn = formula.querySelector("mjx-math");
    if (!drawn || !block) return false;
    const style = getComputedStyle(block), room = block.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) + 1;
    return drawn.getBoundingClientRect().width > room;
  };
  // Where a formula in a line may be broken: before a relation or an operator, after a comma. `inside`: only in brackets.
  const prepare = (formula) => {
    if (formula.querySelector("mjx-break")) return;
    let depth = 0, after = false;
    const along = (row) => {
      for (const part of [...row.children]) {
        if (part.tagName === "MJX-MSTYLE") {        // what follows \textstyle
          part.classList.add("open");
          along(part);
          continue;
        }
        const sign = part.tagName === "MJX-MO" ? (part.firstElementChild?.className.match(/^mjx-c([0-9A-F]+)/) || [])[1] : "";
        if (["29", "5D", "7D"].includes(sign)) depth--;
        const space = part.getAttribute("space"), next = part.nextElementSibling?.getAttribute("space");
        if (after || (sign && /[345]/.test(space) && next === space)) {
          const rest = document.createElement("mjx-break");
          rest.textContent = "\u200b";
          rest.classList.toggle("inside", depth > 0);
          part.before(rest);
        }
        if (["28", "5B", "7B"].includes(sign)) depth++;
        after = sign === "2C";
      }
    };
    along(formula.querySelector("mjx-math"));
  };
  const mark = (place) => {
    for (const box of place.querySelectorAll(`article ${own}`)) {
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
    // A formula in a line that is wider than its block is broken before a relation, an operator, or what follows a comma: outside of
    // brackets if that is enough. What no break makes narrow enough scrolls.
    const formulas = [...place.querySelectorAll("article mjx-container:not([display])")];
    for (const formula of formulas) formula.classList.remove("wide", "breaks", "breaks-inside");
    let wide = formulas.filter(tooWide);
    wide.forEach(prepare);
    for (const classes of [["breaks"], ["breaks", "breaks-inside"], ["wide"]]) {
      for (const formula of wide) formula.classList.remove("breaks", "breaks-inside");
      for (const formula of wide) formula.classList.add(...classes);
      wide = wide.filter(tooWide);
    }
    for (const [selector, name] of names)
      for (const box of place.querySelectorAll(`article :is(${selector})`)) {
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
  // After a change of width all of the page is looked at again; after a fold was opened, what is in it. One place after the other, so that
  // the page answers in between.
  let wait;
  const places = new Set();
  const next = () => {
    const [place] = places;
    if (!place) return;
    places.delete(place);
    mark(place);
    wait = setTimeout(next);
  };
  const later = (place) => {
    if (![...places].some((other) => other.contains(place))) places.add(place);
    clearTimeout(wait);
    wait = setTimeout(next, 100);
  };
  addEventListener("load", () => (window.MathJax && MathJax.startup ? MathJax.startup.promise.then(() => mark(document)) : mark(document)));
  addEventListener("resize", () => { places.clear(); later(document); });
  document.addEventListener("toggle", ({target}) => { if (target.open) later(target); }, true);
})();
