"""What axe finds on a page, also on one that says the same a thousand times."""
from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT

#: The rules whose answer differs between the themes of a page.
OF_COLOURS = ["color-contrast", "link-in-text-block"]

# axe's time goes with the number of nodes and of texts whose contrast it measures. A chapter has 20,000 nodes of formulas, 6,000 of code.
# - A formula becomes the text that it is read as, which breaks anywhere, but the first of its kind and one that is a stop of the Tab key.
#   axe sees no colour in the others: their glyphs are drawn by styles.
# - A text whose colour, size, weight and grounds are those of three before it is not measured again. What lies free of the flow, may be
#   clipped, or is drawn (an SVG) is always measured: something else may be behind it. What cannot be seen is neither one of the three nor
#   marked.
# - A piece of coloured code that would not be measured again, or that nobody sees, is text of its line.
# So one fault is left to the nights: a text in the flow, over a box that is not around it.
CONDENSE = """most => {
    const formulas = new Set();
    for (const formula of document.querySelectorAll("mjx-container")) {
        const kind = [...formula.attributes].map(({name, value}) => name + value).join(" "), read = formula.querySelector("math");
        if (formulas.has(kind) && formula.tabIndex < 0 && read) formula.replaceWith([...read.textContent].join("\u200b"));
        else formulas.add(kind);
    }
    const clear = "rgba(0, 0, 0, 0)", free = null, grounds = new Map([[document.documentElement, ""]]), seen = new Map();
    function ground(node) {
        if (grounds.has(node)) return grounds.get(node);
        const below = ground(node.parentElement), style = getComputedStyle(node);
        const own = [style.backgroundColor, style.backgroundImage, style.opacity, style.filter, style.mixBlendMode].join(" ");
        const flows = below !== free && ["static", "relative"].includes(style.position) && style.float === "none" && style.zIndex === "auto"
            && style.clip === "auto" && style.clipPath === "none" && style.transform === "none" && !node.ownerSVGElement;
        grounds.set(node, !flows ? free : own === clear + " none 1 none normal" ? below : below + " / " + own);
        return grounds.get(node);
    }
    const repeats = [];
    for (const node of document.querySelectorAll("body *")) {
        if (![...node.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.data.trim())) continue;
        const code = node.localName === "span" && node.closest("pre"), visible = node.checkVisibility({visibilityProperty: true});
        if (!visible) { if (code) repeats.push(node); continue; }
        if (ground(node) === free) continue;
        const style = getComputedStyle(node);
        const kind = [style.color, style.fontSize, style.fontWeight, style.textShadow, style.webkitTextStroke, ground(node)].join(" / ");
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
        if (seen.get(kind) <= most) continue;
        node.dataset.repeats = "";
        if (code) repeats.push(node);
    }
    for (const node of repeats) if (!node.children.length && !node.id) node.replaceWith(...node.childNodes);
}"""


def condense(page) -> None:
    """Leave on ``page`` three of what it repeats, as far as axe is concerned; what is tested afterwards is another page."""
    page.evaluate(CONDENSE, 3)


def violations(page, within: str | None = None, **options) -> list[str]:
    """What axe finds, one line each; ``within`` one part of the page."""
    page.evaluate(AXE_SCRIPT)
    found = page.evaluate("""async ([within, options]) => {
        axe.configure({rules: [{id: "color-contrast", selector: ":not([data-repeats])"}]});
        return (await axe.run(within ?? document, {resultTypes: ["violations"], ...options})).violations;
    }""", [within, options])
    return [f"{v['id']}: {node['target']} {node['html'][:140]} {node['any'][0]['message'][:160] if node['any'] else ''}"
            for v in found for node in v["nodes"]]
