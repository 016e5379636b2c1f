// A page on paper, in the drawer of a phone, and in the results of a search.
(() => {
  // Paper is white, and nobody can unfold it. What stays folded: answers to questions, and the numbers behind a drawing.
  const root = document.documentElement;
  let before = null;
  addEventListener("beforeprint", () => {
    if (before) return;
    const folded = [...document.querySelectorAll("details:not([open])")].filter((fold) => !fold.closest(".dpx-card, .dpx-numbers"));
    before = {theme: root.dataset.theme, folded};
    root.dataset.theme = "light";
    for (const fold of folded) fold.open = true;
  });
  addEventListener("afterprint", () => {
    if (!before) return;
    if (before.theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = before.theme;
    for (const fold of before.folded) fold.open = false;
    before = null;
  });

  // Whoever has chosen a page or a section in the drawer wants to read it.
  document.addEventListener("click", ({target}) => {
    const link = target.closest("dialog a[href]");
    if (link) link.closest("dialog").close();
  });

  // The excerpt of a search result is cut out of a page's text, in which a formula is still TeX.
  if (typeof Search === "undefined" || !Search.htmlToText) return;
  const toText = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    for (const formula of page.querySelectorAll(".math")) formula.replaceWith("…");
    return toText(page.documentElement.outerHTML, anchor);
  };
})();
