"""What tests of bad input share. ``good()`` gives valid calls, function -> arguments, fresh each time; what is bad, each test knows."""
from __future__ import annotations

import pytest
from hypothesis import strategies as st


def refused_by_name(good, function, name: str, rubbish: list) -> None:
    """The valid call is valid, and with each piece of rubbish as the argument ``name`` it is a ``ValueError`` that names it."""
    function(**good()[function])
    for bad in rubbish:
        with pytest.raises(ValueError, match=rf"\b{name}\b"):
            function(**{**good()[function], name: bad})
            pytest.fail(f"accepted {name}={str(bad)[:40]}")


def answer_or_refusal(data, good, anything) -> tuple:
    """Some function and its answer (None for a ``ValueError`` that names an argument) when a third of its arguments are ``anything``."""
    function, call = data.draw(st.sampled_from(sorted(good().items(), key=lambda item: item[0].__name__)))
    for name in call:
        if data.draw(st.integers(0, 2)) == 0:
            call[name] = data.draw(anything)
    try:
        return function, function(**call)
    except ValueError as refusal:
        assert any(name in str(refusal) for name in call), f"no argument is named: {refusal}"
        return function, None
