// What is too wide for the page scrolls by itself; then the keyboard must reach it, and a screen reader must say what it is.
(() => {
  const names = [["mjx-container, div.math", "Formula, scrolls sideways"], ["pre", "Code, scrolls sideways"],
                 [".cell_output, .pst-scrollable-table-container, table", "Table or output, scrolls sideways"]];
  const mark = () => {
    for (const formula of document.querySelectorAll("article mjx-container:not([display])")) {
      formula.classList.remove("wide");
      if (formula.scrollWidth > formula.parentElement.clientWidth + 1) formula.classList.add("wide");
    }
    for (const [selector, name] of names)
      for (const box of document.querySelectorAll(`article :is(${selector})`)) {
        if (box.closest("dpfair-explorer, .dpx") || (box.hasAttribute("tabindex") && !box.dataset.scrolls)) continue;
        const scrolls = box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== "visible";
        if (scrolls) {
          box.tabIndex = 0;
          box.dataset.scrolls = "1";
          if (box.tagName !== "MJX-CONTAINER" && box.tagName !== "TABLE") { box.setAttribute("role", "group"); box.setAttribute("aria-label", name); }
        } else if (box.dataset.scrolls) {
          for (const attribute of ["tabindex", "role", "aria-label", "data-scrolls"]) box.removeAttribute(attribute);
        }
      }
  };
  let wait;
  const later = () => { clearTimeout(wait); wait = setTimeout(mark, 100); };
  addEventListener("load", () => (window.MathJax && MathJax.startup ? MathJax.startup.promise.then(mark) : mark()));
  addEventListener("resize", later);
  document.addEventListener("toggle", later, true);
})();
