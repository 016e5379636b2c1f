"""Ask well, on one screen: a question to each label, what to believe then, mixtures that are good by it, and a question made for them."""
from __future__ import annotations

import numpy as np

from .answer import Answer
from .candidates import Candidates, fair_candidates
from .decide import bayes_mixtures, price_grid
from .design import design_question
from .posterior import GroupPosterior, fit_group_posterior
from .public_data import PublicData
from .questions import ask_part, public_cells, split_epsilon

__all__ = ["ask_well"]


def ask_well(
    public: PublicData, A: np.ndarray, epsilon: float, rng: np.random.Generator,
    *, n_groups: int = 2, share: float | None = None,
) -> tuple[list[Answer], GroupPosterior, Candidates, np.ndarray]:
    """Two questions to the people of each label, the second designed by the answers to the first; and fair mixtures of functions of x.

    Source: ours, chapter 14. A is read by :func:`ask_part` alone. A person is in one part, and is asked there twice, for ``first`` and for
    ``second``: epsilon together. All else follows from X, Y and the answers. The same numbers:
    ``FrontierLearner(epsilon, gamma).fit(...)``, for every gamma, and for people to come.

    Parameters
    ----------
    public : of :func:`public_data`
    A : array (m,) of codes 0..k-1
        Groups, the private input.
    epsilon : float in [1e-6, 1e6]
    rng : numpy.random.Generator
    n_groups : int in 2..1000
        k, public. How many there may be is a matter of :func:`multiplier_grid`: 21, or 66 for a notion of one rate (between pairs 42).
    share : float in [0.001, 1], optional
        Of epsilon, for the first question of every part; 1 for no second one. None: see :func:`split_epsilon`.

    Returns
    -------
    list of records
        All questions with answers and records, see :func:`ask_part`.
    GroupPosterior
        By all answers, see :func:`fit_group_posterior`.
    record of :func:`fair_candidates`
        By that belief.
    array (17, H)
        A mixture for each price of :func:`price_grid`.

    Raises
    ------
    ValueError
        Arguments out of range; never because of what the noise was.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.oneshot import public_data
    >>> people = make_logistic(300, rng=np.random.default_rng(1))
    >>> asked, *_ = ask_well(public_data(people.X, people.Y), people.A, 2.0, np.random.default_rng(2))
    >>> [(question.release.part[0], round(question.release.epsilon, 2)) for question in asked]
    [('label 0', 1.35), ('label 1', 1.25), ('label 0', 0.65), ('label 1', 0.75)]
    """
    parts, asked = split_epsilon(public, epsilon, n_groups, share), []
    # 1: ask, of public cells
    for part in parts:
        cells = public_cells(public, part)
        asked.append(ask_part(cells, A, part, part.first, rng))
    # 2: believe; 3: find candidates; 4: decide
    belief = fit_group_posterior(public, asked, n_groups)
    found = fair_candidates(public, belief)
    rates = found.rates(seed=0)
    prices = price_grid(found.loss, rates, public.parity)
    path = bayes_mixtures(found.loss, rates, prices, public.parity)
    # 5: the question that leaves the least doubt about these mixtures
    for part in (part for part in parts if part.second):
        question = design_question(belief, found, path, prices, part.rate,
                                   part.second)
        asked.append(ask_part(question, A, part, part.second, rng))
    # 6: once more, by all answers
    belief = fit_group_posterior(public, asked, n_groups)
    found = fair_candidates(public, belief, found, path)
    rates = found.rates(seed=1)
    prices = price_grid(found.loss, rates, public.parity)
    path = bayes_mixtures(found.loss, rates, prices, public.parity)
    return asked, belief, found, path
