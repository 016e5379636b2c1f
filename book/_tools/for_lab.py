"""The book's own directives as JupyterLab can show them: as admonitions, folded where a body may be folded.

What folds cells with their outputs is only said there, since no box of a notebook can hold cells. ``book/_ext/deeper.py`` reads the
classes back.
"""
from __future__ import annotations

import re

OPENING = re.compile(r"(?P<fence>`{3,}|:{3,})\{(?P<name>deeper|deeper-end|why)\}[ \t]*(?P<title>.*)$")
PLAIN = re.compile(r"(`{3,}|~{3,})(?!\{)")
SKIP = "This part is deeper. It may be skipped, down to *Back to the core*."


def as_admonitions(source: str) -> str:
    """The text of a Markdown cell with its folded parts and reasons as admonitions.

    >>> print(as_admonitions("```{why}\\nNoise cancels.\\n```"))
    ```{admonition} Why it is true
    :class: tip why
    <BLANKLINE>
    Noise cancels.
    ```
    """
    lines, result, shown = source.split("\n"), [], ""
    for number, line in enumerate(lines):
        if shown:                                       # inside a block that only shows its text
            shown = "" if closes(line, shown) else shown
        elif opened := OPENING.match(line):
            result += admonition(opened["fence"], opened["name"], opened["title"].strip(), lines[number + 1:])
            continue
        elif fence := PLAIN.match(line):
            shown = fence[1]
        result.append(line)
    return "\n".join(result)


def closes(line: str, fence: str) -> bool:
    """Whether a line ends what `fence` began.

    >>> closes("```", "```"), closes("````", "```"), closes("```{code-cell}", "```")
    (True, True, False)
    """
    return line.strip().startswith(fence) and not line.strip().strip(fence[0])


def admonition(fence: str, name: str, title: str, below: list[str]) -> list[str]:
    """What takes the place of the first line of a directive; `below` is the text after it."""
    opened = f"{fence}{{{name}}} {title}".strip()
    if name == "deeper" and not title:
        raise ValueError(f"{opened}: a folded part needs a title. Say what one gets.")
    if name != "deeper" and title:
        raise ValueError(f"{opened}: takes no title, and what stands there would be lost. Begin the text in the next line.")
    if "`" in title and fence[0] == "`":
        raise ValueError(f"{opened}: a backtick in the title ends the fence. Leave it out, or make the fence of colons.")
    if name == "why":
        return [f"{fence}{{admonition}} Why it is true", ":class: tip why", ""]
    if name == "deeper-end":
        return [f"{fence}{{admonition}} Back to the core", ":class: deeper-end", "", "The deeper part ends here."]
    if below and closes(below[0], fence):
        return [f"{fence}{{admonition}} {title}", ":class: tip deeper-begin", "", SKIP]
    return [f"{fence}{{admonition}} {title}", ":class: dropdown deeper", *([] if below and below[0].startswith(":") else [""])]
