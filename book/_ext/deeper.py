"""The form of a chapter: its core lies open, what is deeper is folded.

``{deeper} Title`` is a folded part. With a body, the body is folded; with none, all that follows down to ``{deeper-end}``, cells with
their outputs too. ``{why}`` is the box that says why a statement is true. Proofs and the chapter card fold by themselves.

A notebook holds the two directives as admonitions of the classes ``deeper``, ``deeper-begin``, ``deeper-end`` and ``why``, which
JupyterLab can show (``book/_tools/for_lab.py``); the site reads both spellings.

In the HTML every fold is open, for print, and for readers without JavaScript; a script closes it while the page is being read in, before
anything is drawn. The minutes of a fold are written into the finished page by ``reading.py``.
"""
from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx_proof.nodes import proof_node

logger = logging.getLogger(__name__)

CARD = "Chapter card"
WHY = "Why it is true"
BEGIN, END = "deeper-begin", "deeper-end"

# Closes each fold as the parser comes to it, before the first paint; where the reader chose "everything", all stay open, and whoever
# comes back finds open what was open. Storage may be forbidden: then the page starts with its core.
EARLY = """(() => {
  const root = document.documentElement;
  let depth = "core", number = 0;
  try { if (localStorage.getItem("book-depth") === "everything") depth = "everything"; } catch {}
  const kept = history.state?.depth === depth && history.state.folds;
  root.dataset.depth = depth;
  const early = (node) => {
    if (node.name === "depth") node.checked = node.value === depth;
    if (!node.matches?.("details.fold, details.chapter-card")) return;
    node.open = kept ? kept.includes(number) : depth === "everything" && node.matches(".fold");
    number++;
  };
  const read = (records) => { for (const record of records) record.addedNodes.forEach(early); };
  const watch = new MutationObserver(read);
  watch.observe(root, {childList: true, subtree: true});
  document.addEventListener("readystatechange", () => { read(watch.takeRecords()); watch.disconnect(); }, {once: true});
})();"""


class fold(nodes.General, nodes.Element):
    """A folded part; its first child is its `fold_title`. ``kind``: deeper, proof or card."""


class fold_title(nodes.Part, nodes.TextElement):
    """What a folded part says of itself."""


# --- in a chapter ----------------------------------------------------------------------------------------------------------

class Deeper(SphinxDirective):
    """A folded part, or the beginning of one that holds cells."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        part = nodes.admonition(classes=["deeper" if self.content else BEGIN])
        self.set_source_info(part)
        title, _ = self.parse_inline(self.arguments[0])
        part += nodes.title(self.arguments[0], "", *title)
        if self.content:
            part += self.parse_content_to_nodes()
        return [part]


class DeeperEnd(SphinxDirective):
    """The end of a part that holds cells."""

    def run(self) -> list[nodes.Node]:
        end = nodes.admonition(classes=[END])
        self.set_source_info(end)
        return [end]


class Why(SphinxDirective):
    """The box between a statement and its folded proof: its idea, in three to five lines."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        box = nodes.admonition("", nodes.title(WHY, WHY), *self.parse_content_to_nodes(), classes=["why"])
        self.set_source_info(box)
        return [box]


# --- on the site -----------------------------------------------------------------------------------------------------------

class Fold(SphinxTransform):
    """Folded parts out of what the chapters say; early, so that all that follows sees the final tree."""

    default_priority = 120

    def apply(self, **kwargs) -> None:
        for box in list(self.document.findall(nodes.admonition)):
            classes = set(box["classes"])
            title = next((child for child in box.children if isinstance(child, nodes.title)), None)
            if "deeper" in classes:
                _replace(box, "deeper", title, box.children[1:])
            elif "why" in classes:
                box["classes"] = ["why"]
            elif title is not None and title.astext() == CARD:
                _replace(box, "card", title, box.children[1:])
        self._ranges()
        for proof in list(self.document.findall(proof_node)):
            _fold_proof(proof)

    def _ranges(self) -> None:
        """Begin and end stand beside each other in one section; the last begin is folded first, so that one may stand inside another."""
        for begin in reversed([box for box in self.document.findall(nodes.admonition) if BEGIN in box["classes"]]):
            title = begin[0]
            inside = []
            for sibling in begin.parent.children[begin.parent.index(begin) + 1:]:
                if isinstance(sibling, nodes.admonition) and END in sibling["classes"]:
                    for node in [*inside, sibling]:
                        begin.parent.remove(node)
                    _replace(begin, "deeper", title, inside)
                    break
                if isinstance(sibling, nodes.section):
                    logger.warning("the deeper part %r has no {deeper-end} before the next heading", title.astext(), location=begin)
                    break
                inside.append(sibling)
            else:
                logger.warning("the deeper part %r has no {deeper-end} in its section", title.astext(), location=begin)
        for end in self.document.findall(nodes.admonition):
            if END in end["classes"]:
                logger.warning("a {deeper-end} without a {deeper} before it in its section", location=end)
        for part in self.document.findall(fold):
            if part.next_node(nodes.rubric):            # what Markdown makes of a heading in a directive
                logger.warning("the deeper part %r holds a heading: use bold words instead", part[0].astext(), location=part)


def _replace(box: nodes.Element, kind: str, title: nodes.Element, children: list[nodes.Node]) -> None:
    part = fold("", fold_title("", "", *[child.deepcopy() for child in title.children]), *children, kind=kind)
    part.source, part.line = box.source, box.line
    box["classes"] = []             # the others of its attributes move
    box.replace_self(part)


def _fold_proof(proof: proof_node) -> None:
    """The word that the directive puts before the first sentence stands in the summary."""
    body = proof[0]
    first = body.next_node(nodes.Text)
    if first is not None and first.startswith("Proof. "):
        first.parent.replace(first, nodes.Text(first[len("Proof. "):]))
    body["ids"] = []
    body["classes"].append("proof-body")
    proof.replace_self(fold("", fold_title("", "Proof"), body, kind="proof"))


CLASSES = {"deeper": "fold deeper", "proof": "fold proof-fold", "card": "chapter-card"}


def visit_fold(self, node: fold) -> None:
    self.body.append(self.starttag(node, "details", CLASS=CLASSES[node["kind"]], open="open"))


def depart_fold(self, node: fold) -> None:
    self.body.append("</div></details>\n")


def visit_title(self, node: fold_title) -> None:
    self.body.append('<summary><span class="fold-title">')


def depart_title(self, node: fold_title) -> None:
    minutes = "" if node.parent["kind"] == "card" else '<span class="fold-minutes"></span>'
    self.body.append(f'</span>{minutes}</summary><div class="fold-body">\n')


def _nothing(self, node: nodes.Node) -> None:
    """Other builders show the parts one after the other."""


def setup(app: Sphinx) -> dict:
    nothing = (_nothing, _nothing)
    app.add_node(fold, html=(visit_fold, depart_fold), latex=nothing, text=nothing)
    app.add_node(fold_title, html=(visit_title, depart_title), latex=nothing, text=nothing)
    app.add_directive("deeper", Deeper)
    app.add_directive("deeper-end", DeeperEnd)
    app.add_directive("why", Why)
    app.add_transform(Fold)
    app.add_js_file(None, body=EARLY, priority=50)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
