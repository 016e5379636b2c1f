"""The library shows itself: what a page prints as an algorithm is the function that ran."""
from __future__ import annotations

import ast
import inspect
import textwrap
from html import escape
from pathlib import PurePosixPath

from .._checks import refuse
from .html import fold_summary, style_html

__all__ = ["show"]

PYGMENTS_STYLE = """
.dpx-source { --k: #8a2a6f; --str: #1a6636; --com: #5a6068; --num: #0a5ea8; --def: #0a4f8f; }
@media screen { html[data-theme="dark"] .dpx-source, [data-jp-theme-light="false"] .dpx-source { \
--k: #f0a3d6; --str: #8fd6a3; --com: #aab2bd; --num: #8cc8ff; --def: #9fd0ff; } }
.dpx-source .highlight { margin: 0; background: none; }
.dpx .highlight pre { margin: 0; padding: .6rem .8rem; overflow-x: auto; border: 0; border-radius: 6px; background: var(--tint); \
color: var(--ink); font: 13.5px/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: pre; }
.dpx .highlight pre:focus-visible { outline: 3px solid var(--accent); }
.dpx-source .dpx-p-k, .dpx-source .dpx-p-kn, .dpx-source .dpx-p-kc, .dpx-source .dpx-p-ow { color: var(--k); font-weight: 600; }
.dpx-source [class^="dpx-p-s"] { color: var(--str); } .dpx-source [class^="dpx-p-c"] { color: var(--com); font-style: italic; }
.dpx-source [class^="dpx-p-m"] { color: var(--num); } .dpx-source .dpx-p-nf, .dpx-source .dpx-p-nc { color: var(--def); font-weight: 600; }
@media print { .dpx-source { break-inside: auto; }
.dpx .highlight pre { white-space: pre-wrap; overflow: visible; overflow-wrap: anywhere; } }
"""


class Source:
    """A function's or class's own source; made by ``show``."""

    def __init__(self, path: str, code: str) -> None:
        self.path, self.code = path, code

    def __repr__(self) -> str:
        return f"# {self.path}\n{self.code.rstrip()}"

    def _repr_html_(self) -> str:
        lines = highlighted(self.code)
        first, last = docstring_lines(self.code)
        blocks = [pre(lines[:first])]
        if last > first:
            blocks.append(f"<details>{fold_summary('Its docstring')}{pre(lines[first:last])}</details>")
            blocks.append(pre(lines[last:]))
        compact = "".join(f"{line.strip()}\n" for line in PYGMENTS_STYLE.strip().splitlines())
        return (f'<div class="dpx dpx-source">{style_html()}<style>{compact}</style>'
                f'<p class="dpx-q">{escape(self.path)}</p>{"".join(b for b in blocks if b)}</div>')


def show(obj: object) -> Source:
    """The source of a function, method or class, highlighted, with its docstring folded and the file it stands in.

    Source: none in the papers.

    Parameters
    ----------
    obj : a function, method, property or class

    Examples
    --------
    >>> from dpfair_teach.explore import Puzzle, show
    >>> print(str(show(Puzzle.__init__)))
    # dpfair_teach/explore/cards.py
    def __init__(self, question: str, answer: str) -> None:
        self.question, self.answer = text("question", question), text("answer", answer)
    """
    target = obj.fget if isinstance(obj, property) else obj
    if not (inspect.isroutine(target) or inspect.isclass(target)):
        refuse("obj", obj, "not a function, method or class", "Give the function itself, without calling it.")
    try:
        target = inspect.unwrap(target)
        lines, _ = inspect.getsourcelines(target)
        module = target.__module__
        file = PurePosixPath((inspect.getsourcefile(target) or "").replace("\\", "/"))
    except (OSError, TypeError, AttributeError, ValueError):
        refuse("obj", obj, "has no Python source", "Give a function or class of the library.")
    # the path as in the repository, whatever machine this is
    parts = module.split(".")
    path = "/".join([*parts, "__init__.py"]) if file.name == "__init__.py" else "/".join([*parts[:-1], file.name])
    return Source(path, textwrap.dedent("".join(lines)))


def docstring_lines(code: str) -> tuple[int, int]:
    """First line of the docstring and the line after it, counted from 0; both the number of lines where there is none."""
    total = len(code.splitlines())
    try:
        node = ast.parse(code).body[0]
    except SyntaxError:
        return total, total
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return total, total
    if ast.get_docstring(node) is None or len(node.body) == 1:
        return total, total
    return node.body[0].lineno - 1, node.body[0].end_lineno or total


def highlighted(code: str) -> list[str]:
    """One string of HTML a line."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer
    html = highlight(code, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True, classprefix="dpx-p-"))
    return html.rstrip("\n").split("\n")


def pre(lines: list[str]) -> str:
    """A block of code, reachable by keyboard because it may scroll."""
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    code = "\n".join(lines)
    return f'<div class="highlight"><pre tabindex="0" role="group" aria-label="Source code">{code}\n</pre></div>' if lines else ""
