"""What is believed of everybody's group, by noisy counts: chances on the scale of logits, and a coin for each person."""
from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.special import softmax

from .. import _checks as check
from ..accounting import Release
from ..mechanisms import cell_sensitivity
from ..mechanisms.geometric import geometric_variance
from ._public import Public, settings_of
from .crowd import Crowd, Question

__all__ = ["believe"]

#: Steps at most; who moves less than this, in logits, has arrived; nobody moves further in one; and steps that go back by so much of the
#: one before are halved from there on.
STEPS, ARRIVED, FURTHEST, BACK = 40, 0.02, 2.0, 0.5
#: Draws that are held at once.
TOGETHER = 128


class Asked(NamedTuple):
    """A question to the people of one rate, with its answers.

    Parameters
    ----------
    rate : int
        Whose.
    question : array, or pair
        Their cells (n,), whole weights (K, n), or those of cells (K, J) and the cells.
    answers : array (k-1, K)
        Noisy, of each group but 0, or of all k.
    release : accounting.Release
        The record.
    partition : str
        Of all people and their labels, a name.
    """

    rate: int
    question: Any
    answers: np.ndarray
    release: Release
    partition: str = ""


def number_of(kept: float | None) -> float:
    """A number that records of added noise have."""
    assert kept is not None
    return kept


def contrasts(k: int) -> np.ndarray:
    """(k, k - 1): what each group's score takes of k - 1 numbers, so that no group is another's reference, and for two groups the logit
    has the variance of the one number."""
    j = np.arange(1, k)
    B = np.where(np.arange(k)[:, None] < j, -1.0, 0.0)
    B[j, j - 1] = j
    return B / np.sqrt(2 * j * (j + 1))


class Belief:
    """Given the answers, everybody's group is a coin of chances softmax(b_y + f(x) + g_y(x)), and b, f and g have normal priors.

    Source: ours, chapter 14. The answers are about the people themselves, and a coin is only as good as its chance: what answers tell of
    people beyond their chances counts too. The law is that of a normal approximation about the likeliest coefficients, found by
    linearizing again and again. Computed from X, Y and the answers.
    """

    def __init__(self, public: Public, asked: Sequence[Asked], k: int) -> None:
        self.public, self.k, R = public, k, len(public.people)
        self.shared = settings_of(public).shared
        self.every_group = public.counts_every_group(k)
        self.groups = list(range(0 if self.every_group else 1, k))
        self.contrasts, self.mixed = contrasts(k), self.shared + (1 - self.shared) * np.eye(R)
        unit = cell_sensitivity(k, self.every_group)
        self.asked: list[list[Question]] = [[] for _ in range(R)]
        for r, question, answers, release, _ in asked:
            sensitivity, epsilon = number_of(release.sensitivity), number_of(release.epsilon)
            self.asked[r].append(Question(question, answers.astype(float), geometric_variance(sensitivity, epsilon), sensitivity / unit))
        self.crowd = Crowd(public, [questions[0].cells for questions in self.asked])
        self.answers = np.concatenate([np.hstack([q.answers for q in questions]).ravel() for questions in self.asked])
        self.weights = np.zeros((R, self.crowd.to[0].shape[1], k - 1))
        self._find()

    # ------------------------------------------------------------------------------------------------------ the likeliest coefficients

    def _find(self) -> None:
        share, before = 1.0, np.zeros(self.k * sum(map(len, self.crowd.raw)))
        for _ in range(STEPS):
            step, moved = self._step(everybody=False)
            if moved @ before < -BACK * (before @ before):
                share /= 2                              # or the steps go back and forth, where answers tell little
            before = moved
            if self._go(step, moved, share) < ARRIVED:
                break
        if not self.public.together:
            self._go(*self._step(everybody=True))       # the crowd is near, and everybody is a look at very many people
        self._linearize(everybody=True)
        self.pull, coefficients = self._solved()
        self.beyond = coefficients - self.weights       # 0 up to ARRIVED
        if not self.public.together:
            self.weights, self.beyond = coefficients, np.zeros_like(coefficients)
            self._linearize(everybody=False)            # what the crowd draws goes with the crowd's own covariance
        self.p = [self.chances_at(raw, r) for r, raw in enumerate(self.crowd.raw)]
        self.G = [self._slopes(p) * times[:, None, None] for p, times in zip(self.p, self.crowd.times, strict=True)]
        self.Q = [self._rows(r, at) for r, at in enumerate(self.crowd.sample)]

    def _step(self, everybody: bool) -> tuple[np.ndarray, np.ndarray]:
        """To the likeliest coefficients of the model that is linear here, and how far the crowd's scores move with it."""
        self._linearize(everybody)
        step = self._solved()[1] - self.weights
        return step, np.concatenate([self._scores(raw, r, step[r]).ravel() for r, raw in enumerate(self.crowd.raw)])

    def _go(self, step: np.ndarray, moved: np.ndarray, share: float = 1.0) -> float:
        """So much of a step, and nobody too far; how far the whole of it would move somebody."""
        far = float(np.abs(moved).max())
        self.weights = self.weights + step * min(share, FURTHEST / max(far, 1e-12))
        return far

    def _scores(self, raw: np.ndarray, r: int, weights: np.ndarray) -> np.ndarray:
        return raw @ (self.crowd.to[r] @ weights @ self.contrasts.T)

    def chances_at(self, raw: np.ndarray, r: int) -> np.ndarray:
        """(n, k), of people of rate r."""
        return softmax(self._scores(raw, r, self.weights[r]), axis=1)

    def _slopes(self, p: np.ndarray) -> np.ndarray:
        """How chances (n, g) of the counted groups move with the k - 1 numbers, (n, g, k-1)."""
        return p[:, self.groups, None] * (self.contrasts[self.groups] - (p @ self.contrasts)[:, None, :])

    def _linearize(self, everybody: bool) -> None:
        """At the present coefficients: ``expected`` answers (T,), their slopes (T, k-1, d), and their covariance (T, T).

        An answer's variance has three parts: the coefficients', which answers of both labels share, the coins', and the noise's.
        """
        g, J, R = len(self.groups), self.k - 1, range(len(self.asked))
        found = []
        for r in R:
            q = sum(question.q for question in self.asked[r])
            expected, coins, slopes = np.zeros((g, q)), np.zeros((g, q, g, q)), np.zeros((g, q, J, len(self.crowd.to[r])))
            for at, raw, times in self.crowd.parts(r, everybody):
                p, Q = self.chances_at(raw, r), self._rows(r, at)
                own, G = p[:, self.groups], self._slopes(p) * times[:, None, None]
                expected += (Q @ (times[:, None] * own)).T
                for a in range(g):
                    for j in range(J):
                        slopes[a, :, j] += Q @ (G[:, a, j, None] * raw)
                    for b in range(g):
                        coins[a, :, b] += ((Q * (times * own[:, a] * ((a == b) - own[:, b]))) @ Q.T).toarray()
            found.append((expected.ravel(), (slopes @ self.crowd.to[r]).reshape(g * q, J, -1), coins.reshape(g * q, g * q)))
        self.slopes = [slopes for _, slopes, _ in found]
        self.expected = np.concatenate([expected for expected, _, _ in found])
        ends = np.cumsum([0] + [len(slopes) for slopes in self.slopes])
        self.of_rate = [slice(*pair) for pair in pairwise(ends)]
        flat = [slopes.reshape(len(slopes), -1) for slopes in self.slopes]
        self.covariance = np.block([[self.mixed[r, s] * flat[r] @ flat[s].T for s in R] for r in R])
        for r, (_, _, coins) in enumerate(found):
            noise = np.tile(np.concatenate([np.full(q.q, q.variance) for q in self.asked[r]]), g)
            at = self.of_rate[r]            # without noise, answers that say the same would be a singular matrix: a little is left
            least = 1e-11 * np.diag(self.covariance[at, at] + coins)
            self.covariance[at, at] += coins + np.diag(np.maximum(noise + 1e-9, least))
        self.root = cho_factor(self.covariance, lower=True)

    def _rows(self, r: int, at: slice | np.ndarray) -> sparse.csr_array:
        return sparse.vstack([question.rows(at) for question in self.asked[r]], format="csr")

    def _solved(self) -> tuple[np.ndarray, np.ndarray]:
        """What each answer pulls with, (T,), and the coefficients that follow, (R, d, k-1)."""
        told = np.concatenate([np.einsum("tjd,dj->t", slopes, w) for slopes, w in zip(self.slopes, self.weights, strict=True)])
        pull = cho_solve(self.root, self.answers - self.expected + told)
        return pull, np.stack([w.T for w in self._coefficients(pull)])

    def _coefficients(self, pull: np.ndarray) -> list[np.ndarray]:
        """Of each rate, (k-1, d, ...): the prior covariance of coefficients and answers, times ``pull`` (T, ...)."""
        parts = [np.tensordot(slopes, pull[at], (0, 0)) for slopes, at in zip(self.slopes, self.of_rate, strict=True)]
        return [sum(self.mixed[r, s] * part for s, part in enumerate(parts)) for r in range(len(parts))]

    # ---------------------------------------------------------------------------------- of everybody in the crowd, and of all of them

    def _coins(self, r: int, numbers: np.ndarray) -> np.ndarray:
        """The covariance of coins times numbers (n, g, s)."""
        own = self.p[r][:, self.groups, None]
        return self.crowd.times[r][:, None, None] * own * (numbers - (own * numbers).sum(axis=1, keepdims=True))

    def _moved(self, r: int, coefficients: np.ndarray, pull: np.ndarray) -> np.ndarray:
        """By how much the crowd's groups move with coefficients (d, k-1, s), and with what answers of their rate pull with, (T_r, s)."""
        n, (d, J, s) = len(self.p[r]), coefficients.shape
        scores = (self.crowd.raw[r] @ (self.crowd.to[r] @ coefficients.reshape(d, J * s))).reshape(n, J, s)
        told = pull.reshape(len(self.groups), -1, s)
        own = np.stack([self.Q[r].T @ part for part in told], axis=1)
        return np.einsum("naj,njs->nas", self.G[r], scores) + self._coins(r, own)

    def means(self, r: int) -> np.ndarray:
        """How many of each counted group the crowd of a rate stands for, in expectation, (n, g)."""
        told = self._moved(r, self.beyond[r][:, :, None], self.pull[self.of_rate[r], None])[:, :, 0]
        return self.crowd.times[r][:, None] * self.p[r][:, self.groups] + told

    def of_everybody(self, r: int) -> np.ndarray:
        """:meth:`means` of each of the people of a rate, not of the crowd alone, (N, g)."""
        if self.public.together:
            return self.means(r)
        found, pull = np.empty((len(self.public.people[r]), len(self.groups))), self.pull[self.of_rate[r]].reshape(len(self.groups), -1)
        for at, raw, _ in self.crowd.parts(r, everybody=True):
            own = self.chances_at(raw, r)[:, self.groups]
            told = (self._rows(r, at).T @ pull.T)
            found[at] = own + own * (told - (own * told).sum(axis=1, keepdims=True))
        return found

    def all_groups(self, counted: np.ndarray, everybody: np.ndarray | float) -> np.ndarray:
        """Numbers (..., g) of the counted groups as those of all k: group 0 is the rest."""
        if len(self.groups) == self.k:
            return counted
        return np.concatenate([everybody - counted.sum(axis=-1, keepdims=True), counted], axis=-1)

    def draws(self, size: int, rng: np.random.Generator) -> list[np.ndarray]:
        """Of each rate how many of each counted group the crowd could stand for, (n, g, size).

        Whatever could be: draw coefficients, coins and noise by the law before the answers, and move them all by how far the answers that
        would then have been given are from those that were. The seed hides nothing: this is no noise that protects.
        """
        d, J, R = self.crowd.to[0].shape[1], self.k - 1, range(len(self.p))
        both, drawn, answers = rng.standard_normal((d, J, size)), [], []
        for r in R:
            w = np.sqrt(self.shared) * both + np.sqrt(1 - self.shared) * rng.standard_normal((d, J, size))
            scores = (self.crowd.raw[r] @ (self.crowd.to[r] @ w.reshape(d, -1))).reshape(-1, J, size)
            drawn.append(np.einsum("naj,njs->nas", self.G[r], scores) + self._tossed(r, size, rng))
            noise = np.sqrt(np.concatenate([np.full(question.q, question.variance) for question in self.asked[r]]))
            told = np.stack([self.Q[r] @ drawn[r][:, a] for a in range(len(self.groups))])
            answers.append((told + noise[:, None] * rng.standard_normal(told.shape)).reshape(-1, size))
        pull = cho_solve(self.root, np.concatenate(answers))
        back = [np.moveaxis(part, 0, 1) for part in self._coefficients(pull)]
        return [self.means(r)[:, :, None] + drawn[r] - self._moved(r, back[r], pull[self.of_rate[r]]) for r in R]

    def _tossed(self, r: int, size: int, rng: np.random.Generator) -> np.ndarray:
        """Normal numbers with the covariance of the coins, (n, g, size)."""
        p, times = self.p[r], np.sqrt(self.crowd.times[r])
        if len(self.groups) == 1:
            return (times * np.sqrt(p[:, 0] * p[:, 1]))[:, None, None] * rng.standard_normal((len(p), 1, size))
        own = np.sqrt(p)[:, :, None]
        z = rng.standard_normal((*p.shape, size))
        return times[:, None, None] * (own * (z - own * (own * z).sum(axis=1, keepdims=True)))[:, self.groups]

    def spread(self, r: int, numbers: np.ndarray) -> np.ndarray:
        """The covariance of the crowd's groups given the answers, times numbers (n, g, s)."""
        n, g, s = numbers.shape
        along = np.einsum("naj,nas->njs", self.G[r], numbers).reshape(n, -1)
        along = (self.crowd.to[r].T @ (self.crowd.raw[r].T @ along)).reshape(-1, self.k - 1, s)
        answers = np.concatenate([self.mixed[q, r] * np.einsum("tjd,djs->ts", slopes, along) for q, slopes in enumerate(self.slopes)])
        coins = self._coins(r, numbers)
        answers[self.of_rate[r]] += np.concatenate([self.Q[r] @ coins[:, a] for a in range(g)])
        pull = cho_solve(self.root, answers)
        left = self.mixed[r, r] * along - np.moveaxis(self._coefficients(pull)[r], 0, 1)
        return self._moved(r, left, -pull[self.of_rate[r]]) + coins

    def noise(self, r: int, numbers: np.ndarray) -> float:
        """The variance that noise alone gives to what the answers say of the sum of numbers (n, g) over the groups, shrunk by nothing."""
        along = np.einsum("naj,na->nj", self.G[r], numbers)
        along = self.crowd.to[r].T @ (self.crowd.raw[r].T @ along)                                      # (d, k-1)
        coins = self._coins(r, numbers[:, :, None])[:, :, 0]
        both = np.concatenate([self.mixed[q, r] * np.einsum("tjd,dj->t", slopes, along) for q, slopes in enumerate(self.slopes)])
        both[self.of_rate[r]] += np.concatenate([self.Q[r] @ coins[:, a] for a in range(len(self.groups))])
        gain = cho_solve(self.root, both)
        known = gain @ both / max(self.mixed[r, r] * (along**2).sum() + (numbers * coins).sum(), 1e-300)
        variances = np.concatenate([np.tile(np.concatenate([np.full(q.q, q.variance) for q in questions]), len(self.groups))
                                    for questions in self.asked])
        return float(gain**2 @ variances / max(known, 1e-18) ** 2)

    def rates(self, accepts: list[np.ndarray], size: int, rng: np.random.Generator, exact: np.ndarray | None = None) -> np.ndarray:
        """How often candidates could accept each group, (size, k, H, R). ``accepts`` (n, H): whom of the crowd of a rate each accepts.

        A group with less than one person in a draw is filled up to one by people who are accepted as often as all of the rate.
        ``exact`` (R, g + 1, H + 1), of very many people: how many of each group are expected among those accepted, and among all; with
        the number of people in the last row.
        """
        found = np.empty((size, self.k, accepts[0].shape[1], len(accepts)), dtype=np.float32)
        for start in range(0, size, TOGETHER):
            drawn = self.draws(min(TOGETHER, size - start), rng)
            for r, (people, times) in enumerate(zip(drawn, self.crowd.times, strict=True)):
                n, g, S = people.shape
                rows, unit = whole_numbers(np.concatenate([people.reshape(n, g * S).T, times[None]]))
                counts = np.column_stack([rows @ accepts[r].astype(np.float32), rows.sum(axis=1, dtype=float)]) * unit    # (g S + 1, H + 1)
                counted, everybody = counts[:-1].reshape(g, S, -1), counts[-1]
                if exact is not None:
                    counted = counted - counted.mean(axis=1, keepdims=True) + exact[r, :g, None]
                    everybody = exact[r, g]
                groups = np.moveaxis(self.all_groups(np.moveaxis(counted, 0, -1), everybody[:, None]), -1, 1)      # (S, k, H + 1)
                sizes = np.maximum(groups[:, :, -1:], 1.0)
                filled = (sizes - groups[:, :, -1:]) * (everybody[:-1] / everybody[-1])
                # A normal law also draws what cannot be: more accepted than there are, or fewer than nobody.
                found[start:start + S, :, :, r] = np.clip((groups[:, :, :-1] + filled) / sizes, 0.0, 1.0)
        return found


def whole_numbers(rows: np.ndarray) -> tuple[np.ndarray, float]:
    """Rows (s, n) as whole numbers in single precision, times a unit: so coarse that every sum of some of a row is exact.

    A product with zeros and ones is then the same on every processor, in whatever order that one adds.
    """
    unit = np.exp2(np.ceil(np.log2(max(np.abs(rows).sum(axis=1).max(), 1e-300))) + 1 - 24)
    return np.rint(rows / unit).astype(np.float32), float(unit)


def believe(public: Public, asked: Sequence[Asked], n_groups: int = 2) -> Belief:
    """What to believe of everybody's group by noisy answers.

    Source: ours, chapter 14, the belief. Neighbours on the public map have similar logits, and so have people of both labels, up to a
    mean logit b of each label's own, of which only the answers tell; each person is a coin beyond that.

    Parameters
    ----------
    public : of :func:`public_part`
    asked : sequence of records
        Of :func:`ask_part`: at least one for each rate, cells first.
    n_groups : int in 2..1000

    Returns
    -------
    record with ``means(r)``: how many of each counted group each of the crowd of a rate stands for, in expectation, (n, g), g = k-1, or
        k between pairs of three or more groups; ``draws(size, rng)``: how many it could be, (n, g, size) for each rate;
        ``spread(r, numbers)``: their covariance times numbers.
        The crowd is everybody, or of very many people a sample

    Raises
    ------
    ValueError
        ``public`` that is none, a rate that was not asked, questions of other people.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.oneshot import ask_part, public_cells, public_part, split_epsilon
    >>> people = make_logistic(300, rng=np.random.default_rng(1))
    >>> public, rng = public_part(people.X, people.Y), np.random.default_rng(2)
    >>> asked = [ask_part(public_cells(public, p), people.A, p, p.first, rng) for p in split_epsilon(public, 2.0)]
    >>> belief = believe(public, asked)
    >>> belief.means(0).shape, round(float(belief.means(0).mean()), 1)
    ((164, 1), 0.5)
    """
    settings_of(public)
    k = check.group_count(n_groups)
    how = "Give the records of oneshot.ask_part, for each rate one of cells before any other."
    counted = k if public.counts_every_group(k) else k - 1
    first: set[int] = set()
    for one in check.filled("asked", check.entries("asked", asked, "records of questions", how), "question"):
        if not isinstance(one, Asked) or one.partition != public.partition or not 0 <= one.rate < len(public.people):
            check.refuse("asked", one, "is no question to these people", how)
        if len(one.answers) != counted:
            check.refuse("n_groups", k, f"asks for answers about {counted} groups, and there are {len(one.answers)}",
                         "Give the n_groups that they were asked with.")
        if one.rate not in first and (isinstance(one.question, tuple) or one.question.ndim != 1):
            check.refuse("asked", one, "is the first question of its rate, and not one of cells", how)
        first.add(one.rate)
    if len(first) < len(public.people):
        check.refuse("asked", sorted(first), "are the rates that were asked, and not all", how)
    return Belief(public, asked, k)
