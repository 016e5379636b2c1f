"""Questions a reader answers before looking: native disclosure, no script, alive even in a notebook that is not trusted."""
from __future__ import annotations

from html import escape

from .._checks import refuse
from .arguments import text
from .html import fold_summary, style_html

__all__ = ["Puzzle", "SelfCheck"]


class SelfCheck:
    """A question with choices; opening a choice tells whether it is right and why.

    Source: none in the papers.

    Parameters
    ----------
    question : str
    choices : list of (text, right, feedback)
        2 to 26, at least one of them right (``True``). The feedback is shown after "Right." or "Not quite.".

    Examples
    --------
    >>> SelfCheck("What does Algorithm 1 protect?", [("A", True, "X and Y are public."), ("X", False, "X is public here.")])
    What does Algorithm 1 protect?
      a) A
      b) X
    Feedback
      a) Right. X and Y are public.
      b) Not quite. X is public here.
    """

    def __init__(self, question: str, choices: list[tuple[str, bool, str]]) -> None:
        self.question = text("question", question)
        if not isinstance(choices, (list, tuple)) or not 2 <= len(choices) <= 26:
            refuse("choices", choices, "not a list of 2 to 26 choices", "Give [(text, True or False, feedback), ...].")
        for i, one in enumerate(choices):
            if not isinstance(one, (list, tuple)) or len(one) != 3 or not isinstance(one[1], bool):
                refuse(f"choices[{i}]", one, "not (text, True or False, feedback)", "Give those three.")
            text(f"choices[{i}][0]", one[0])
            text(f"choices[{i}][2]", one[2])
        if not any(right for _, right, _ in choices):
            refuse("choices", choices, "no choice is right", "Mark at least one True.")
        self.choices = tuple((choice, right, feedback) for choice, right, feedback in choices)

    def _repr_html_(self) -> str:
        details = "".join(f"<details>{fold_summary(choice)}"
                          f"<p><strong>{verdict(right)}</strong> {escape(feedback)}</p></details>"
                          for choice, right, feedback in self.choices)
        return card("Self-check", self.question, details)

    def __repr__(self) -> str:
        letters = "abcdefghijklmnopqrstuvwxyz"
        asked = [f"  {c}) {choice}" for c, (choice, _, _) in zip(letters, self.choices, strict=False)]
        told = [f"  {c}) {verdict(right)} {feedback}" for c, (_, right, feedback) in zip(letters, self.choices, strict=False)]
        return "\n".join([self.question, *asked, "Feedback", *told])


class Puzzle:
    """A question whose answer stays folded until the reader asks for it.

    Source: none in the papers.

    Parameters
    ----------
    question, answer : str

    Examples
    --------
    >>> Puzzle("How many of the ten people change group?", "One: that is what neighbouring means here.")
    How many of the ten people change group?
    Answer
      One: that is what neighbouring means here.
    """

    def __init__(self, question: str, answer: str) -> None:
        self.question, self.answer = text("question", question), text("answer", answer)

    def _repr_html_(self) -> str:
        return card("Puzzle", self.question, f"<details>{fold_summary('Answer')}<p>{escape(self.answer)}</p></details>")

    def __repr__(self) -> str:
        return f"{self.question}\nAnswer\n  {self.answer}"


def verdict(right: bool) -> str:
    return "Right." if right else "Not quite."


def card(kind: str, question: str, body: str) -> str:
    """The frame all questions share."""
    return (f'<div class="dpx dpx-card" role="group" aria-label="{kind}: {escape(question)}">{style_html()}'
            f'<p class="dpx-ask">{escape(question)}</p>{body}</div>')
