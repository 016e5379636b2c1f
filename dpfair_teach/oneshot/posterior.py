"""What is believed of everybody's group, by noisy counts: chances on the scale of logits, and a coin for each person."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from scipy import sparse
from scipy.linalg import block_diag, cho_factor, cho_solve, solve_triangular
from scipy.special import softmax

from .. import _checks as check
from ..mechanisms import cell_sensitivity
from ..mechanisms.geometric import geometric_variance
from .answer import Answer, number_of
from .public_data import PublicData, settings_of
from .representative import Question, RepresentativeSample

__all__ = ["fit_group_posterior"]

#: Steps at most; who moves less than this, in logits, has arrived, and so has a factor, in its logarithm; nobody moves further in one; and
#: steps that go back by so much of the one before are halved from there on.
STEPS, ARRIVED, FURTHEST, BACK = 200, 0.02, 2.0, 0.5
#: Of people to come two parts of the prior covariance have factors, whose logarithms have this deviation: see ``kinds``.
UNSURE = 2.0
#: Numbers of candidates and groups, over draws, that are held at once; and draws.
TOGETHER, FEW = 3e6, 128


def contrasts(k: int) -> np.ndarray:
    """(k, k - 1): what each group's score takes of k - 1 numbers, so that no group is another's reference, and for two groups the logit
    has the variance of the one number."""
    j = np.arange(1, k)
    B = np.where(np.arange(k)[:, None] < j, -1.0, 0.0)
    B[j, j - 1] = j
    return B / np.sqrt(2 * j * (j + 1))


class GroupPosterior:
    """Given the answers, everybody's group is a coin of chances softmax(b_y + f(x) + g_y(x)), and b, f and g have normal priors.

    Source: ours, chapter 14. The answers are about the people themselves, and a coin is only as good as its chance: what answers tell of
    these people beyond their chances counts too, unless gaps are those of people to come. For them only the prior tells luck from chances,
    so its factors are not fixed, but the likeliest by the answers. The law is that of a normal approximation about the likeliest
    coefficients, found by linearizing again and again. Computed from X, Y and the answers.
    """

    def __init__(self, public: PublicData, asked: Sequence[Answer], k: int) -> None:
        self.public, self.k, self.new, R = public, k, public.target == "new", len(public.people)
        self.shared = settings_of(public).shared
        self.every_group = public.counts_every_group(k)
        self.groups = list(range(0 if self.every_group else 1, k))
        self.contrasts, self.mixed = contrasts(k), self.shared + (1 - self.shared) * np.eye(R)
        self.unit = cell_sensitivity(k, self.every_group)           # so many counts of a question move with one person
        self.asked: list[list[Question]] = [[] for _ in range(R)]
        for r, question, answers, release, _ in asked:
            sensitivity, epsilon = number_of(release.sensitivity), number_of(release.epsilon)
            self.asked[r].append(Question(question, answers, geometric_variance(sensitivity, epsilon), sensitivity / self.unit))
        self.sample = RepresentativeSample(public, [questions[0].cells for questions in self.asked], k)
        self.answers = np.concatenate([np.hstack([q.answers for q in questions]).ravel() for questions in self.asked])
        self.variances = [np.tile(np.concatenate([np.full(q.q, q.variance) for q in own]), len(self.groups)) for own in self.asked]
        self.coefficients, self.factors = np.zeros((R, self.sample.to[0].shape[1], k - 1)), np.ones(len(self.sample.kinds))
        self._find()

    # ------------------------------------------------------------------------------------------------------ the likeliest coefficients

    def _find(self) -> None:
        sample, share, before = self.sample, 1.0, np.zeros(self.k * sum(map(len, self.sample.raw)))
        for _ in range(STEPS):
            step, moved = self._step(everybody=False)
            if moved @ before < -BACK * (before @ before):
                share /= 2                              # or the steps go back and forth, where answers tell little
            before = moved
            far = self._go(step, moved, share)
            if self.new and far < FURTHEST:         # factors are told where answers are nearly linear, so not while steps are cut
                far = max(far, self._rescale())
            if far < ARRIVED:
                break
        if not sample.whole:
            self._go(*self._step(everybody=True))       # the sample is near, and everybody is a look at very many people
        self.beyond, _ = self._step(everybody=True)          # 0 up to ARRIVED
        if not sample.whole:
            self.coefficients, self.beyond = self.coefficients + self.beyond, np.zeros_like(self.beyond)
            self._linearize(everybody=False)            # what the sample draws goes with the sample's own covariance
        self.p = [self.chances_at(raw, r) for r, raw in enumerate(sample.raw)]
        self.G = [self._slopes(p) * weights[:, None, None] for p, weights in zip(self.p, sample.weights, strict=True)]
        self.Q = [self._rows(r, at) for r, at in enumerate(sample.at)]

    def _step(self, everybody: bool) -> tuple[np.ndarray, np.ndarray]:
        """To the likeliest coefficients of the model that is linear here, and how far the sample's scores move with it."""
        self._linearize(everybody)
        step = self._solved() - self.coefficients
        return step, np.concatenate([self._scores(raw, r, step[r]).ravel() for r, raw in enumerate(self.sample.raw)])

    def _go(self, step: np.ndarray, moved: np.ndarray, share: float = 1.0) -> float:
        """So much of a step, and nobody too far; how far the whole of it would move somebody."""
        far = float(np.abs(moved).max())
        self.coefficients = self.coefficients + step * min(share, FURTHEST / max(far, 1e-12))
        return far

    def _rescale(self) -> float:
        """One step of each factor of the prior to the likeliest by the answers, where these are linear in the coefficients; how far, in
        logarithms.

        Of the answers' covariance C a kind of coefficients makes a part F F'. The slope of the log likelihood along the logarithm of its
        factor is half the square of pull' F, how far they went, less half the trace of F' C^-1 F, how far luck alone would take them. The
        ratio of both, with the factor's own prior, keeps it above 0; the 1 in it holds it back where answers tell little.
        """
        steps = np.empty(len(self.factors))
        for i, (kind, log) in enumerate(zip(self.sample.kinds, np.log(self.factors), strict=True)):
            flat = [slopes[:, :, kind].reshape(len(slopes), -1) for slopes in self.slopes]
            F = np.hstack([np.sqrt(self.shared) * np.vstack(flat), np.sqrt(1 - self.shared) * block_diag(*flat)])
            gone, luck = (float((part**2).sum()) / 2 for part in (self.pull @ F, solve_triangular(self.root[0], F, lower=True)))
            steps[i] = np.log((1 + UNSURE**2 * gone + max(-log, 0.0)) / (1 + UNSURE**2 * luck + max(log, 0.0)))
            for to, w in zip(self.sample.to, self.coefficients, strict=True):       # chances stay what they are
                to[:, kind] *= np.exp(steps[i] / 2)
                w[kind] /= np.exp(steps[i] / 2)
        self.factors *= np.exp(steps)
        return float(np.abs(steps).max())

    def _scores(self, raw: np.ndarray, r: int, coefficients: np.ndarray) -> np.ndarray:
        return raw @ (self.sample.to[r] @ coefficients @ self.contrasts.T)

    def chances_at(self, raw: np.ndarray, r: int) -> np.ndarray:
        """(n, k), of people of part r."""
        return softmax(self._scores(raw, r, self.coefficients[r]), axis=1)

    def _slopes(self, p: np.ndarray) -> np.ndarray:
        """How chances (n, g) of the counted groups move with the k - 1 numbers, (n, g, k-1)."""
        return p[:, self.groups, None] * (self.contrasts[self.groups] - (p @ self.contrasts)[:, None, :])

    def _rows(self, r: int, at: slice | np.ndarray) -> sparse.csr_array:
        return sparse.vstack([question.rows(at) for question in self.asked[r]], format="csr")

    def _sums(self, r: int, rows: Callable[[slice | np.ndarray], sparse.csr_array],
              everybody: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of sums over people with ``rows`` (q, n): expectations (g q,), slopes (g q, k-1, d), and the coins' covariance (g q, g q)."""
        g, J = len(self.groups), self.k - 1
        total = [np.zeros(1)] * 3
        for at, raw, weights in self.sample.parts(r, everybody):
            p, Q = self.chances_at(raw, r), rows(at)
            own, G = p[:, self.groups], self._slopes(p) * weights[:, None, None]
            q, of_all = Q.shape[0], sparse.vstack([Q] * g, format="csr")
            slopes, coins, data = np.empty((g, q, J, raw.shape[1])), np.empty((g, q, g, q)), of_all.data.reshape(g, -1)
            for a in range(g):
                for j in range(J):
                    slopes[a, :, j] = sparse.csr_array((Q.data * G[Q.indices, a, j], Q.indices, Q.indptr), shape=Q.shape) @ raw
                shared = (weights * own[:, a])[:, None] * ((np.arange(g) == a) - own)
                of_all.data = (data * shared[Q.indices].T).ravel()
                coins[a] = np.moveaxis((of_all @ Q.T).toarray().reshape(g, q, q), 2, 0)
            total = [before + more for before, more in zip(total, ((Q @ (weights[:, None] * own)).T, slopes, coins), strict=True)]
        expected, slopes, coins = total
        return expected.ravel(), (slopes @ self.sample.to[r]).reshape(g * q, J, -1), coins.reshape(g * q, g * q)

    def _linearize(self, everybody: bool) -> None:
        """At the present coefficients: ``expected`` answers (T,), their slopes (T, k-1, d), and their covariance (T, T).

        An answer's variance has three parts: the coefficients', which answers of both labels share, the coins', and the noise's.
        """
        R = range(len(self.asked))
        found = [self._sums(r, partial(self._rows, r), everybody) for r in R]
        self.slopes = [slopes for _, slopes, _ in found]
        self.expected = np.concatenate([expected for expected, _, _ in found])
        ends = np.cumsum([0] + [len(slopes) for slopes in self.slopes])
        self.of_part = [slice(*pair) for pair in pairwise(ends)]
        flat = [slopes.reshape(len(slopes), -1) for slopes in self.slopes]
        covariance = np.block([[self.mixed[r, s] * flat[r] @ flat[s].T for s in R] for r in R])
        for r, (_, _, coins) in enumerate(found):
            at = self.of_part[r]            # without noise, answers that say the same would be a singular matrix: a little is left
            least = 1e-11 * np.diag(covariance[at, at] + coins)
            covariance[at, at] += coins + np.diag(np.maximum(self.variances[r] + 1e-9, least))
        self.root = cho_factor(covariance, lower=True)

    def _solved(self) -> np.ndarray:
        """The likeliest coefficients where answers are linear in them, (R, d, k-1), by what each answer ``pull``s with, (T,)."""
        told = np.concatenate([np.einsum("tjd,dj->t", slopes, w) for slopes, w in zip(self.slopes, self.coefficients, strict=True)])
        self.pull = cho_solve(self.root, self.answers - self.expected + told)
        return np.stack([w.T for w in self._pulled(self.pull)])

    def _pulled(self, pull: np.ndarray) -> list[np.ndarray]:
        """Of each part, (k-1, d, ...): the prior covariance of coefficients and answers, times ``pull`` (T, ...)."""
        parts = [np.tensordot(slopes, pull[at], (0, 0)) for slopes, at in zip(self.slopes, self.of_part, strict=True)]
        return [sum(self.mixed[r, s] * part for s, part in enumerate(parts)) for r in range(len(parts))]

    # ----------------------------------------------------------------------------- what is known of people, and of sums over them

    def means(self, r: int) -> np.ndarray:
        """How many of each counted group each of the sample of a part stands for, in expectation, (n, g)."""
        check.integer("r", r, low=0, high=len(self.p) - 1)
        told = self._moved(r, self.beyond[r][:, :, None], self.pull[self.of_part[r], None])[:, :, 0]
        return self.sample.weights[r][:, None] * self.p[r][:, self.groups] + told

    def of_everybody(self, r: int) -> np.ndarray:
        """:meth:`means` of each of the people of a part, not of the sample alone, (N, g)."""
        if self.sample.whole:
            return self.means(r)
        found, pull = np.empty((len(self.public.people[r]), len(self.groups))), self.pull[self.of_part[r]].reshape(len(self.groups), -1)
        for at, raw, _ in self.sample.parts(r, everybody=True):
            own = self.chances_at(raw, r)[:, self.groups]
            told = (self._rows(r, at).T @ pull.T) * (not self.new)
            found[at] = own + own * (told - (own * told).sum(axis=1, keepdims=True))
        return found

    def _moved(self, r: int, coefficients: np.ndarray, pull: np.ndarray) -> np.ndarray:
        """By how much the sample's groups move with coefficients (d, k-1, s), and with what answers of their part pull with, (T_r, s): what
        answers tell of people beyond their chances, which of people to come is nothing."""
        n, (d, J, s) = len(self.p[r]), coefficients.shape
        scores = (self.sample.raw[r] @ (self.sample.to[r] @ coefficients.reshape(d, J * s))).reshape(n, J, s)
        moved = self.G[r] @ scores
        if self.new:
            return moved
        own, told = self.p[r][:, self.groups, None], pull.reshape(len(self.groups), -1, s)
        numbers = np.stack([self.Q[r].T @ part for part in told], axis=1)
        return moved + self.sample.weights[r][:, None, None] * own * (numbers - (own * numbers).sum(axis=1, keepdims=True))

    def all_groups(self, counted: np.ndarray, everybody: np.ndarray | float) -> np.ndarray:
        """Numbers (..., g) of the counted groups as those of all k: group 0 is the rest."""
        if len(self.groups) == self.k:
            return counted
        return np.concatenate([everybody - counted.sum(axis=-1, keepdims=True), counted], axis=-1)

    def _before(self, r: int, rows: sparse.csr_array, coins: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """Before any answer: the covariance of sums over the sample with weights ``rows`` (q, n), (g q, g q), and theirs with all answers,
        (T, g q); of people, or without their ``coins`` of their chances alone."""
        g, q, asked = len(self.groups), rows.shape[0], self.Q[r].shape[0]
        _, slopes, tossed = self._sums(r, lambda _: sparse.vstack([self.Q[r], rows], format="csr"))
        theirs, ours = (part.ravel() for part in np.split(np.arange(g * (asked + q)).reshape(g, -1), [asked], axis=1))
        flat = slopes[ours].reshape(g * q, -1)
        with_answers = np.concatenate([self.mixed[s, r] * told.reshape(len(told), -1) @ flat.T for s, told in enumerate(self.slopes)])
        own = self.mixed[r, r] * flat @ flat.T
        if coins:
            own += tossed[np.ix_(ours, ours)]
            with_answers[self.of_part[r]] += tossed[np.ix_(theirs, ours)]
        return own, with_answers

    def covariance(self, r: int, rows: sparse.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Given the answers, covariances (g q, g q) of sums over the sample of a part with weights ``rows`` (q, n), of each group: of these
        people; of these with those whose gaps matter; and of those. People to come have these people's chances, and not their coins."""
        asked, with_answers = self._before(r, rows)
        wanted, wanted_with_answers = self._before(r, rows, coins=False) if self.new else (asked, with_answers)
        read, read_wanted = (cho_solve(self.root, each) for each in (with_answers, wanted_with_answers))
        return asked - with_answers.T @ read, wanted - with_answers.T @ read_wanted, wanted - wanted_with_answers.T @ read_wanted

    def noise(self, r: int, weights: np.ndarray) -> np.ndarray:
        """The variance that noise alone gives to what the answers say of each counted group's sum of weights (n,), shrunk by nothing; and
        of group 0's, where it is not counted: (k,)."""
        before, with_answers = self._before(r, sparse.csr_array(weights[None]))
        if len(self.groups) < self.k:       # whom group 0 has the others have not
            rest = -np.ones((len(before), 1))
            before = np.block([[rest.T @ before @ rest, rest.T @ before], [before @ rest, before]])
            with_answers = np.hstack([with_answers @ rest, with_answers])
        gain = cho_solve(self.root, with_answers)
        known = (gain * with_answers).sum(axis=0) / np.maximum(np.diag(before), 1e-300)
        return np.concatenate(self.variances) @ gain**2 / np.maximum(known, 1e-18) ** 2

    # ------------------------------------------------------------------------------------------------------------ what could be true

    def draws(self, size: int, rng: np.random.Generator) -> list[np.ndarray]:
        """Of each part how many of each counted group the sample could stand for, (n, g, size).

        Whatever could be: draw coefficients, coins and noise by the law before the answers, and move them all by how far the answers that
        would then have been given are from those that were. The seed hides nothing: this is no noise that protects.
        """
        check.integer("size", size, low=1)
        d, J, R = self.sample.to[0].shape[1], self.k - 1, range(len(self.p))
        both, drawn, answers = rng.standard_normal((d, J, size)), [], []
        for r in R:
            w = np.sqrt(self.shared) * both + np.sqrt(1 - self.shared) * rng.standard_normal((d, J, size))
            scores = (self.sample.raw[r] @ (self.sample.to[r] @ w.reshape(d, -1))).reshape(-1, J, size)
            drawn.append(self.G[r] @ scores)
            people = drawn[r] + self._tossed(r, size, rng)
            told = np.concatenate([self.Q[r] @ people[:, a] for a in range(len(self.groups))])
            answers.append(told + np.sqrt(self.variances[r])[:, None] * rng.standard_normal(told.shape))
            if not self.new:
                drawn[r] = people
        pull = cho_solve(self.root, np.concatenate(answers))
        back = [np.moveaxis(part, 0, 1) for part in self._pulled(pull)]
        return [self.means(r)[:, :, None] + drawn[r] - self._moved(r, back[r], pull[self.of_part[r]]) for r in R]

    def _tossed(self, r: int, size: int, rng: np.random.Generator) -> np.ndarray:
        """Normal numbers with the covariance of the coins, (n, g, size)."""
        p, weights = self.p[r], np.sqrt(self.sample.weights[r])
        if len(self.groups) == 1:
            return (weights * np.sqrt(p[:, 0] * p[:, 1]))[:, None, None] * rng.standard_normal((len(p), 1, size))
        own = np.sqrt(p)[:, :, None]
        z = rng.standard_normal((*p.shape, size))
        return weights[:, None, None] * (own * (z - own * (own * z).sum(axis=1, keepdims=True)))[:, self.groups]

    def rates(self, counted: list[np.ndarray], size: int, rng: np.random.Generator, exact: np.ndarray | None = None) -> np.ndarray:
        """What rates of each group candidates could have, (size, k, H, R). ``counted`` (n, H): whom of the sample of a part each counts.

        A group with less than one person in a draw is filled up to one by people who are counted as often as all of the part.
        ``exact`` (R, g + 1, H + 1), of very many people: how many of each group are expected among those counted, and among all; with
        the number of people in the last row. How many people to come are like each of these is drawn, too.
        """
        found = np.empty((size, self.k, len(counted), counted[0].shape[1]), dtype=np.float32)       # a rate's candidates side by side
        at_once = int(np.clip(TOGETHER / (self.k * found.shape[3]), 1, FEW))
        for start in range(0, size, at_once):
            drawn = self.draws(min(at_once, size - start), rng)
            for r, (people, weights) in enumerate(zip(drawn, self.sample.weights, strict=True)):
                n, g, S = people.shape
                # Whom people to come are like is not known: Rubin's (1981) Bayesian bootstrap; one of the sample stands for several.
                like = rng.standard_gamma(weights[:, None], (n, S)) / weights[:, None] if self.new else np.ones((n, 1))
                rows, unit = whole_numbers(np.vstack([(people * like[:, None]).reshape(n, g * S).T, (weights[:, None] * like).T]))
                counts = np.column_stack([rows @ counted[r].astype(np.float32, copy=False), rows.sum(axis=1, dtype=float)])
                counts *= unit              # (g S + S, H + 1), or of these people (g S + 1, H + 1)
                of_groups, everybody = counts[:g * S].reshape(g, S, -1), counts[g * S:]
                if exact is not None:
                    of_groups = of_groups - of_groups.mean(axis=1, keepdims=True) + exact[r, :g, None]
                    everybody = everybody - everybody.mean(axis=0) + exact[r, g]
                groups = np.moveaxis(self.all_groups(np.moveaxis(of_groups, 0, -1), everybody[:, :, None]), -1, 1)   # (S, k, H + 1)
                sizes = np.maximum(groups[:, :, -1:], 1.0)
                filled = (sizes - groups[:, :, -1:]) * (everybody[:, None, :-1] / np.maximum(everybody[:, None, -1:], unit))
                filled += groups[:, :, :-1]
                filled /= sizes
                # A normal law also draws what cannot be: more counted than there are, or fewer than nobody.
                np.clip(filled, 0.0, 1.0, out=found[start:start + S, :, r])
        return np.moveaxis(found, 2, 3)


def whole_numbers(rows: np.ndarray) -> tuple[np.ndarray, float]:
    """Rows (s, n) as whole numbers in single precision, times a unit: so coarse that every sum of some of a row is exact.

    A product with zeros and ones is then the same on every processor, in whatever order that one adds.
    """
    unit = np.exp2(np.ceil(np.log2(max(np.abs(rows).sum(axis=1).max(), 1e-300))) + 1 - 24)
    return np.rint(rows / unit).astype(np.float32), float(unit)


def fit_group_posterior(public: PublicData, asked: Sequence[Answer], n_groups: int = 2) -> GroupPosterior:
    """What to believe of everybody's group by noisy answers.

    Source: ours, chapter 14, the belief. Neighbours on the public map have similar logits, and so have people of both labels, up to a
    mean logit b of each label's own, of which only the answers tell; each person is a coin beyond that.

    Parameters
    ----------
    public : of :func:`public_data`
    asked : sequence of records
        Of :func:`ask_part`: at least one for each rate, cells first.
    n_groups : int in 2..1000

    Returns
    -------
    record with ``means(r)``: how many of each counted group each of the sample of a rate stands for, in expectation, (n, g), g = k-1, or
        k between pairs of three or more groups; ``draws(size, rng)``: how many it could be, (n, g, size) for each rate;
        ``covariance(r, rows)``: of sums of these. The sample is everybody, or of very many people some

    Raises
    ------
    ValueError
        ``public`` that is none, a rate that was not asked, questions of other people.

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> from dpfair_teach.oneshot import ask_part, public_cells, public_data, split_epsilon
    >>> people = make_logistic(300, rng=np.random.default_rng(1))
    >>> public, rng = public_data(people.X, people.Y), np.random.default_rng(2)
    >>> asked = [ask_part(public_cells(public, p), people.A, p, p.first, rng) for p in split_epsilon(public, 2.0)]
    >>> belief = fit_group_posterior(public, asked)
    >>> belief.means(0).shape, round(float(belief.means(0).mean()), 1)
    ((164, 1), 0.5)
    """
    settings_of(public)
    k = check.group_count(n_groups)
    how = "Give the records of oneshot.ask_part, for each rate one of cells before any other."
    counted = k if public.counts_every_group(k) else k - 1
    first: set[int] = set()
    for one in check.filled("asked", check.entries("asked", asked, "records of questions", how), "question"):
        if not isinstance(one, Answer) or one.partition != public.partition or not 0 <= one.rate < len(public.people):
            check.refuse("asked", one, "is no question to these people", how)
        if len(one.answers) != counted:
            check.refuse("n_groups", k, f"asks for answers about {counted} groups, and there are {len(one.answers)}",
                         "Give the n_groups that they were asked with.")
        if one.rate not in first and isinstance(one.question, tuple):
            check.refuse("asked", one, "is the first question of its rate, and not one of cells", how)
        first.add(one.rate)
    if len(first) < len(public.people):
        check.refuse("asked", sorted(first), "are the rates that were asked, and not all", how)
    return GroupPosterior(public, asked, k)
