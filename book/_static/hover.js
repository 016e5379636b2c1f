// A link to a box shows the box: beside a mouse that rests on it, or when the keyboard comes to it. Escape takes it away. A finger follows
// the link as always. The boxes of other pages lie in this one as templates.
(() => {
  let card = null, owner = null, wait;

  const copy = (name) => {
    const here = document.getElementById(name);
    if (here) {
      const box = here.cloneNode(true);
      for (const node of [box, ...box.querySelectorAll("[id], [role], [tabindex], a")]) {
        for (const attribute of ["id", "role", "aria-level", "tabindex", "data-scrolls"]) node.removeAttribute(attribute);
        if (node.matches("a")) node.replaceWith(...(node.matches(".headerlink") ? [] : node.childNodes));
      }
      return box;
    }
    const stored = document.querySelector(`#boxes template[data-name="${CSS.escape(name)}"]`);
    return stored && stored.content.firstElementChild.cloneNode(true);
  };

  const place = () => {
    const at = [...owner.getClientRects()][0], edge = 8, {clientWidth: width, clientHeight: height} = document.documentElement;
    if (!at) return hide();
    card.style.maxHeight = "";
    const below = height - at.bottom - 2 * edge, above = at.top - 2 * edge;
    const down = card.offsetHeight <= below || below >= above;
    card.style.maxHeight = `${Math.max(down ? below : above, 80)}px`;
    card.style.left = `${scrollX + Math.max(edge, Math.min(at.left, width - card.offsetWidth - edge))}px`;
    card.style.top = `${scrollY + (down ? at.bottom + 4 : at.top - card.offsetHeight - 4)}px`;
    // What is too high scrolls, so the keyboard must come to it: after its link, and on from there.
    if (card.scrollHeight > card.clientHeight + 1) card.tabIndex = 0;
  };

  const hide = () => {
    clearTimeout(wait);
    if (!card) return;
    card.remove();
    owner.removeAttribute("aria-details");
    card = owner = null;
  };

  const show = (link) => {
    if (owner === link) return clearTimeout(wait);
    hide();
    const box = copy(decodeURIComponent(link.hash.slice(1)));
    if (!box) return;
    const shown = card = document.createElement("aside");
    owner = link;
    card.id = "box-card";
    card.setAttribute("aria-label", "Shown: what the link leads to");
    card.append(box);
    card.addEventListener("mouseenter", () => clearTimeout(wait));
    card.addEventListener("mouseleave", later);
    document.body.append(card);
    link.setAttribute("aria-details", card.id);
    place();
    if (!box.querySelector("mjx-container") && box.querySelector(".math"))
      window.MathJax?.typesetPromise?.([box]).then(() => { if (card === shown) place(); });
  };
  const later = () => { clearTimeout(wait); wait = setTimeout(hide, 200); };

  const link = (target) => target.closest?.("a[data-box]");
  let touched = false;
  document.addEventListener("pointerdown", ({pointerType}) => { touched = pointerType === "touch"; }, true);
  document.addEventListener("pointerover", ({target, pointerType}) => {
    const over = pointerType !== "touch" && link(target);
    if (!over) return;
    clearTimeout(wait);
    if (over !== owner) wait = setTimeout(show, 300, over);
  });
  document.addEventListener("pointerout", ({target}) => { if (link(target)) later(); });
  document.addEventListener("focusin", ({target}) => {
    const at = link(target);
    if (at && !touched && at.matches(":focus-visible")) show(at);
    else if (card && !card.contains(target)) hide();
  });
  document.addEventListener("focusout", ({target, relatedTarget}) => { if (target === owner && relatedTarget !== card) later(); });
  document.addEventListener("keydown", (event) => {
    touched = false;
    const at = document.activeElement;
    if (event.key === "Escape" && card) {
      if (at === card) owner.focus();
      hide();
    } else if (event.key === "Tab" && at === card) {
      const {shiftKey} = event, link = owner;
      link.focus();
      if (shiftKey) event.preventDefault();
    } else if (event.key === "Tab" && at === owner && card?.tabIndex === 0 && !event.shiftKey) {
      card.focus();
      event.preventDefault();
    }
  });
  document.addEventListener("click", ({target}) => { if (link(target)) hide(); });
  addEventListener("beforeprint", hide);
})();
