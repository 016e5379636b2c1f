"""The library's reference, read from the library itself, and links from every page into it.

``{library-reference}`` writes one section per room of ``dpfair_teach``: each public name with its signature, what it does, the statement
it comes from, the chapters that use it, its whole docstring folded, and, of a class, its methods and attributes. What a function
returns and nobody makes by hand, a play or a frontier, stands behind the functions of its room with the same. On every page a name in
code type, such as ``postprocessing.solve_lp`` or ``solve_lp()``, becomes a link to its entry.
"""
from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from dataclasses import dataclass
from functools import cache, cached_property
from html import escape
from pathlib import Path
from textwrap import shorten

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from launch import remote_address, web_address

PACKAGE = "dpfair_teach"
PAGE = "book/chapters/reference"
LABEL = re.compile(r"^\(((?:ch|pg)-[\w-]+)\)=\s*$", re.M)
CELL = re.compile(r"^```\{code-cell\}.*?^```\s*$", re.M | re.S)
QUOTED = re.compile(r"(: |-> )'([^']*)'")  # annotations, not defaults
ROLE = re.compile(r"(?::[a-z:]+:)?``?~?([^`]+)``?")
WRITTEN = re.compile(r"(?:dpfair_teach\.)?(?:(?P<room>[a-z_]+)\.)?(?P<name>[A-Za-z_]\w*)(?P<call>\(.*\))?", re.S)


@dataclass(frozen=True)
class Entry:
    """One public name of one room."""

    room: str
    name: str
    value: object

    @property
    def id(self) -> str:
        """In the name's own case: the function `schedule` and the class `Schedule` are two."""
        return f"lib-{self.room}-{self.name}".replace("_", "-")

    @property
    def signature(self) -> str:
        """The call as a reader writes it; for a constant, its name."""
        if not callable(self.value):
            return self.name
        try:
            return self.name + QUOTED.sub(r"\1\2", str(inspect.signature(self.value)))
        except (TypeError, ValueError):
            return self.name

    @property
    def doc(self) -> str:
        # A constant's docstring would be its type's.
        return inspect.getdoc(self.value) or "" if callable(self.value) else ""

    @property
    def place(self) -> tuple[str, int] | None:
        """(path in the repository, line) of the definition."""
        if not callable(self.value):
            return None
        try:
            file, line = inspect.getsourcefile(self.value), inspect.getsourcelines(self.value)[1]
        except (OSError, TypeError):
            return None
        parts = Path(file).parts
        return "/".join(parts[len(parts) - parts[::-1].index(PACKAGE) - 1:]), line


def described(cls: type) -> dict[str, str]:
    """What the docstrings of a class, and of its bases in the library, say of parameters and attributes, by name; its own words first."""
    found: dict[str, str] = {}
    for base in reversed(family(cls)):
        for title in ("Parameters", "Attributes"):
            section = re.search(rf"^{title}\n-+\n(.*?)(?=^\w+\n-{{3,}}$|\Z)", inspect.cleandoc(base.__doc__ or ""), re.M | re.S)
            for head, text in re.findall(r"^(\w.*)\n((?:    .*\n?)*)", section[1] if section else "", re.M):
                for name in head.partition(" :")[0].split(", "):
                    found[name] = " ".join(text.split()) or found.get(name, "")
    return found


def family(cls: type) -> list[type]:
    """A class and its bases in the library, the class first."""
    return [base for base in cls.__mro__ if base.__module__.partition(".")[0] == PACKAGE]


def members(cls: type) -> list[tuple[str, str]]:
    """The public attributes and methods of a class of the library, those of its bases in the library too: how it is written, what it is."""
    found: dict[str, tuple[str, str]] = {}
    told = described(cls)
    for base in reversed(family(cls)):
        fields = inspect.get_annotations(base)
        for name in dict.fromkeys((*fields, *vars(base))):
            thing = vars(base).get(name)
            thing = thing.__func__ if isinstance(thing, (classmethod, staticmethod)) else thing
            if name.startswith("_"):
                continue
            if inspect.isfunction(thing):
                without_self = re.sub(r"^\((self|cls)(, )?", "(", QUOTED.sub(r"\1\2", str(inspect.signature(thing))))
                found[name] = name + without_self, summary(inspect.getdoc(thing) or "")
            elif isinstance(thing, (property, cached_property)):
                found[name] = name, summary(inspect.getdoc(thing) or "") or told.get(name, "")
            elif name in fields:
                own = "as its class says." if f"``{name}``" in (inspect.getdoc(base) or "") else ""
                found[name] = f"{name}: {fields[name]}", told.get(name, "") or own
    return list(found.values())


def results(room: str) -> list[Entry]:
    """The classes that functions and methods of a room return and no room lists: made by the library, read by everybody."""
    listed = {id(entry.value) for _, entries in rooms().values() for entry in entries}
    found: dict[str, Entry] = {}
    waiting = [entry.value for entry in rooms()[room][1] if callable(entry.value)]
    while waiting:
        thing = waiting.pop()
        functions = [thing]
        if inspect.isclass(thing):
            functions = [f for own, f in vars(thing).items() if inspect.isfunction(f) and not own.startswith("_")]
        for function in functions:
            home = vars(sys.modules[function.__module__]) if inspect.isfunction(function) else {}
            for name in re.findall(r"[A-Z]\w+", str(getattr(function, "__annotations__", {}).get("return", ""))):
                cls = home.get(name)
                if (inspect.isclass(cls) and cls.__module__.startswith(f"{PACKAGE}.{room}") and not name.startswith("_")
                        and id(cls) not in listed and name not in found and members(cls)):
                    found[name] = Entry(room, name, cls)
                    waiting.append(cls)
    return sorted(found.values(), key=lambda entry: entry.name)


@cache
def rooms() -> dict[str, tuple[object, tuple[Entry, ...]]]:
    """Room -> (module, its entries in the order of `__all__`); rooms whose names start with _ are no reader's business."""
    package = importlib.import_module(PACKAGE)
    found = {}
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{PACKAGE}.{info.name}")
        found[info.name] = (module, tuple(Entry(info.name, name, getattr(module, name)) for name in getattr(module, "__all__", ())))
    return found


def find(text: str) -> Entry | None:
    """The entry that a piece of code type names, or None. A bare name counts when it is written as a call or cannot be a word."""
    match = WRITTEN.fullmatch(text.strip())
    if match is None:
        return None
    room, name = match["room"], match["name"]
    fits = [e for key, (_, entries) in rooms().items() for e in entries if e.name == name and room in (None, key)]
    if room is None and not (match["call"] or "_" in name.strip("_") or name[:1].isupper()):
        return None
    return fits[0] if len(fits) == 1 else None


def summary(doc: str) -> str:
    """The first paragraph of a docstring on one line."""
    return " ".join(doc.split("\n\n")[0].split())


def source_line(doc: str) -> str | None:
    """The docstring's `Source: ...`, without the word."""
    match = re.search(r"^\s*Source:\s*(.+?)(?:\n\s*\n|\Z)", doc, re.M | re.S)
    return " ".join(match[1].split()) if match else None


def uses(chapters: Path, published: set[str]) -> dict[str, list[str]]:
    """Name -> labels of the published chapters whose cells use it."""
    found: dict[str, list[str]] = {}
    for path in sorted(chapters.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        label = LABEL.search(text)
        if label and f"book/notebooks/{path.stem}" in published:
            for word in set(re.findall(r"[A-Za-z_]\w*", "\n".join(CELL.findall(text)))):
                found.setdefault(word, []).append(label[1])
    return found


def words(text: str) -> list[nodes.Node]:
    """A docstring's line as nodes: what stands between backticks in code type."""
    found, end = [], 0
    for match in ROLE.finditer(text):
        found += [nodes.Text(text[end:match.start()]), nodes.literal("", match[1])]
        end = match.end()
    return [*found, nodes.Text(text[end:])]


def plain(text: str) -> str:
    """A docstring's line without backticks and roles."""
    return ROLE.sub(r"\1", text)


class LibraryReference(SphinxDirective):
    """One section per room."""

    def run(self) -> list[nodes.Node]:
        chapters = Path(self.env.srcdir) / "book" / "chapters"
        used = uses(chapters, self.env.found_docs)
        for path in chapters.glob("*.md"):
            self.env.note_dependency(str(path))
        remote = remote_address(Path(self.env.srcdir))
        self.address = web_address(remote) if remote else None
        sections = []
        for room, (module, entries) in rooms().items():
            for path in Path(module.__file__).parent.glob("*.py") if module.__file__.endswith("__init__.py") else [Path(module.__file__)]:
                self.env.note_dependency(str(path))
            section = nodes.section("", nodes.title("", room), ids=[nodes.make_id(f"room-{room}")], names=[f"room-{room}"])
            self.state.document.note_explicit_target(section)
            section += nodes.paragraph("", "", *words(summary(inspect.getdoc(module) or "")))
            for entry in entries:
                section += self.entry(entry, used.get(entry.name, []))
            if returned := results(room):
                section += nodes.paragraph("", "", nodes.strong("", "What these return:"))
                for entry in returned:
                    section += self.entry(entry, used.get(entry.name, []))
            sections.append(section)
        return sections

    def entry(self, entry: Entry, labels: list[str]) -> nodes.Node:
        box = nodes.container(classes=["api-entry"], ids=[entry.id])
        box += nodes.paragraph("", "", nodes.literal("", f"{entry.room}.{entry.signature}", classes=["no-api-link"]),
                               classes=["api-signature"])
        if entry.doc:
            box += nodes.paragraph("", "", *words(summary(entry.doc)))
        else:
            box += nodes.paragraph("", "", nodes.Text("Constant: "), nodes.literal("", shorten(repr(entry.value), 160, placeholder=" ...")))
        if source := source_line(entry.doc):
            box += nodes.paragraph("", "", nodes.strong("", "Source: "), *words(source))
        if labels:
            line = nodes.paragraph("", "", nodes.strong("", "Used in: "))
            for number, label in enumerate(labels):
                if number:
                    line += nodes.Text("; ")
                line += addnodes.pending_xref("", nodes.inline("", label), refdomain="std", reftype="ref", reftarget=label,
                                              refdoc=self.env.docname, refexplicit=False, refwarn=True)
            box += line
        if entry.place:
            path, line_number = entry.place
            line = nodes.paragraph("", "", nodes.strong("", "Code: "))
            if self.address:
                line += nodes.reference("", path, refuri=f"{self.address}/blob/main/{path}#L{line_number}")
            else:
                line += nodes.literal("", path)
            box += line
        if inspect.isclass(entry.value) and (parts := members(entry.value)):
            rows = "".join(f"<dt><code>{escape(written)}</code></dt><dd>{escape(plain(what))}</dd>" for written, what in parts)
            box += nodes.raw("", f"<details><summary>Methods and attributes of <code>{escape(entry.name)}</code></summary>"
                                 f"<dl>{rows}</dl></details>", format="html")
        if entry.doc:
            box += nodes.raw("", f"<details><summary>All of <code>{escape(entry.name)}</code></summary>"
                                 f'<pre tabindex="0">{escape(entry.doc)}</pre></details>', format="html")
        return box


class LinkNames(SphinxPostTransform):
    """Code type that names something of the library leads to its entry."""

    default_priority = 700
    builders = ("html", "dirhtml")

    def run(self, **kwargs) -> None:
        docname = self.env.docname
        if docname == PAGE or PAGE not in self.env.found_docs:
            return
        for literal in list(self.document.findall(nodes.literal)):
            if isinstance(literal.parent, nodes.reference) or "no-api-link" in literal["classes"]:
                continue
            if entry := find(literal.astext()):
                uri = f"{self.app.builder.get_relative_uri(docname, PAGE)}#{entry.id}"
                literal.replace_self(nodes.reference("", "", literal.deepcopy(), refuri=uri, internal=True, classes=["api-link"]))


def setup(app) -> dict:
    app.add_directive("library-reference", LibraryReference)
    app.add_post_transform(LinkNames)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
