"""The book's own directives as JupyterLab can show them: as admonitions, folded where a body may be folded.

What folds cells with their outputs is only said there, since no box of a notebook can hold cells. ``book/_ext/deeper.py`` reads the
classes back. What an exercise's options say, minutes, level and who judges it, becomes its first line.
"""
from __future__ import annotations

import re
from typing import Any

from dpfair_teach import exercises

OPENING = re.compile(r"(?P<fence>`{3,}|:{3,})\{(?P<name>deeper|deeper-end|why)\}[ \t]*(?P<title>.*)$")
EXERCISE = re.compile(r"(?P<fence>`{3,}|:{3,})\{exercise\}")
OPTION = re.compile(r":(minutes|level|check|assignment):[ \t]*(.*)$")
LEVELS = ("warm-up", "find", "prove", "explore", "build")
BOX = re.compile(r"(`{3,}|:{3,})\{")
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
    lines, result = source.split("\n"), []
    shown = ""                          # the fence around a block that only shows its text
    boxes: list[str] = []               # those of the directives around a line, the innermost last
    told: dict[str, str] | None = None  # while the options of an exercise are read: what they say
    for number, line in enumerate(lines):
        if shown:
            shown = "" if closes(line, shown) else shown
        elif boxes and closes(line, boxes[-1]):
            boxes.pop()
        elif box := BOX.match(line):
            boxes.append(box[1])
            if opened := OPENING.match(line):
                result += admonition(opened["fence"], opened["name"], opened["title"].strip(), lines[number + 1:])
                continue
            told = {} if EXERCISE.match(line) else told
        elif fence := PLAIN.match(line):
            shown = fence[1]
        elif told is not None and (option := OPTION.match(line)):
            told[option[1]] = option[2].strip()
            continue
        elif told is not None and not line.startswith(":"):         # its text begins
            result += ["", first_line(told)] if told else []
            told = None
        result.append(line)
    return "\n".join(result)


def first_line(told: dict[str, str]) -> str:
    """What stands first in the box of an exercise, from its options.

    >>> first_line({"minutes": "15", "level": "prove"})
    '*15 minutes · prove*'
    """
    if name := told.get("assignment"):
        of = exercises._module(name)
        return (f"*Assignment* `{name}` *· {of.MINUTES} minutes · {of.LEVEL} · {of.POINTS} points · with numbers of your own: "
                "{ref}`how to work on it <pg-assignments>`*")
    if told.get("level") not in LEVELS or not told.get("minutes", "").isdigit():
        raise ValueError(f"an exercise says {told}: give it :minutes: and :level:, of {', '.join(LEVELS)}")
    line = f"*{told['minutes']} minutes · {told['level']}*"
    if name := told.get("check"):
        of = exercises._module(name)
        line += f"\\\n*A program judges it:* `exercises.check(\"{name}\", {blank(of.SHAPE)})`"
    return line


def blank(shape: Any) -> str:
    """How an answer of that shape is written, without its numbers.

    >>> blank({"groups": ("list", ("whole", 0, 1), 10, 10), "who": ("whole", 0, 9)})
    '{"groups": […], "who": …}'
    """
    if isinstance(shape, dict):
        return "{" + ", ".join(f'"{name}": {blank(entry)}' for name, entry in shape.items()) + "}"
    return "[…]" if shape[0] == "list" else "…"


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
