// Folded parts: the switch "core | everything", and whatever leads into a fold opens it.
(() => {
  const all = () => [...document.querySelectorAll("details.fold, details.chapter-card")];

  // The choice stays for the next page, and for those one goes back to, where the browser lets us keep it.
  // A page of formulas takes long to lay out: the parts come in the order in which they are read, and more of them with each frame.
  const root = document.documentElement;
  let frame;
  const choose = (depth) => {
    root.dataset.depth = depth;
    const folds = [...document.querySelectorAll("details.fold")].filter((fold) => fold.open !== (depth === "everything"));
    const next = (number) => {
      for (const fold of folds.splice(0, number)) fold.open = depth === "everything";
      if (folds.length) frame = requestAnimationFrame(() => next(2 * number));
    };
    cancelAnimationFrame(frame);
    next(2);
  };
  document.addEventListener("change", ({target}) => {
    if (target.name !== "depth") return;
    choose(target.value);
    try { localStorage.setItem("book-depth", target.value); } catch {}
  });
  addEventListener("pageshow", ({persisted}) => {
    let depth = null;
    try { depth = persisted && localStorage.getItem("book-depth"); } catch {}
    const field = depth && document.querySelector(`.depth [value="${depth}"]`);
    if (!field || root.dataset.depth === depth) return;
    field.checked = true;
    choose(depth);
  });

  // What is open belongs to this entry of the browser's history: who comes back to it finds the same page at the same place.
  let wait;
  const keep = () => {
    const folds = all().flatMap((fold, number) => (fold.open ? [number] : []));
    try { history.replaceState({...history.state, folds, depth: root.dataset.depth}, ""); } catch {}
  };
  const later = () => { clearTimeout(wait); wait = setTimeout(keep, 100); };
  document.addEventListener("toggle", ({target}) => { if (target.matches("details") && !printing) later(); }, true);
  let printing = false;
  addEventListener("beforeprint", () => { printing = true; });
  addEventListener("afterprint", () => setTimeout(() => { printing = false; }));

  const unfold = (place) => {
    let opened = false;
    for (let node = place; node; node = node.parentElement)
      if (node.tagName === "DETAILS" && !node.open) node.open = opened = true;
    return opened;
  };
  const arrive = () => {
    let place = null;
    try { place = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch {}
    if (place && unfold(place)) place.scrollIntoView();
    later();
  };
  arrive();
  addEventListener("hashchange", arrive);
  // The same link again changes no address.
  document.addEventListener("click", ({target}) => {
    const link = target.closest?.("a[href*='#']");
    if (link && link.hash && link.href === location.href) arrive();
  });

  // Who comes from a search looks for its words: of each that stands in folded parts only, the first of those opens.
  // Sphinx marks them 10 ms after the page was read, which may be after all has been loaded.
  addEventListener("load", () => setTimeout(() => {
    const folded = new Map(), open = new Set();
    for (const mark of document.querySelectorAll("article span.highlighted")) {
      const word = mark.textContent.toLowerCase();
      if (!mark.closest("details:not([open])")) open.add(word);
      else if (!folded.has(word)) folded.set(word, mark);
    }
    const hidden = [...folded].filter(([word]) => !open.has(word)).map(([, mark]) => mark);
    if (!hidden.length || location.hash) return;
    hidden.forEach(unfold);
    hidden[0].scrollIntoView({block: "center"});
  }, 100));
})();
