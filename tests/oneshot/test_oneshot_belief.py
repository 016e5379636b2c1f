"""What is believed after noisy counts: against formulas written out for everybody, draws, and populations drawn from the prior itself."""
from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit, softmax

from dpfair_teach import data
from dpfair_teach.fairness import Parity
from dpfair_teach.mechanisms import release_cells, release_directions, whole_directions
from dpfair_teach.oneshot import (
    ask_part,
    ask_well,
    believe,
    crowd,
    logit_posterior,
    public_cells,
    public_part,
    split_epsilon,
)
from dpfair_teach.oneshot._public import Public
from dpfair_teach.oneshot.belief import ARRIVED, Asked, Belief, contrasts, whole_numbers
from dpfair_teach.oneshot.settings import DESIGNED
from faults import Mutant

CASES = [(2, "anchor", "equalized_odds"), (3, "anchor", "equalized_odds"), (3, "pairs", "equalized_odds"),
         (2, "pairs", "demographic_parity"), (4, "pairs", "true_positive"), (3, 1, "equalized_odds")]        # 1: group 1 is the anchor


def parity_of(notion, against):
    return Parity(notion, against) if isinstance(against, str) else Parity(notion, anchor=against)


def asked(public, A, k, epsilon, rng, n_cells=6):
    """A question of cells to each rate, and one of two directions."""
    every, found = public.parity.against == "pairs" and k > 2, []
    for r, people in enumerate(public.people):
        cells, n = public.cells_of(r, n_cells)
        found.append(Asked(r, cells, *release_cells(cells, A[people], epsilon, rng, n_groups=k, n_cells=n, every_group=every)))
        whole = whole_directions(rng.normal(size=(2, len(people))), 50)
        found.append(Asked(r, whole, *release_directions(whole, A[people], epsilon, rng, n_groups=k, every_group=every)))
    return found


def population(k, m=120):
    return data.make_logistic(m, n_groups=k, d=3, shifts=np.outer(np.linspace(0, 1, k), [1, .5, 0]), rng=np.random.default_rng(1))


def believed(k, against, notion, epsilon=1.0):
    people = population(k)
    public = Public(people.X, people.Y, parity=parity_of(notion, against))
    return people, public, Belief(public, asked(public, people.A, k, epsilon, np.random.default_rng(2)), k)


def prior_features(public, people):
    """Whose inner products are the prior covariance of a logit, written out: a linear part, and bells around the landmarks, whitened."""
    place, marks = public.place[people], public.map.landmarks
    bells = DESIGNED.smooth * np.exp(-((place[:, None] - marks) ** 2).sum(axis=2) / (2 * DESIGNED.length**2))
    return np.column_stack([np.sqrt(DESIGNED.linear) * place, bells @ public.map.whiten])


def whole_law(belief):
    """Mean and covariance of all groups given the answers, and where each rate's people end."""
    law = written_out(belief)
    return law.mean, law.covariance, law.ends


def written_out(belief):
    """Everything once more, with a row for each person, counted group and rate: the law before the answers, and after."""
    k, groups, public = belief.k, belief.groups, belief.public
    rates = range(len(belief.asked))
    own_mean = DESIGNED.apart * np.eye(len(rates))              # the first features are the mean logits, of which each rate has its own
    features = [np.column_stack([np.tile(own_mean[r], (len(i), 1)), prior_features(public, i)])
                for r, i in enumerate(public.people)]
    scores = [features[r] @ belief.weights[r] @ belief.contrasts.T for r in rates]
    p = [softmax(s, axis=1) for s in scores]
    slopes, coins, queries, noise, answers = [], [], [], [], []
    for r in rates:
        n = len(p[r])
        J, C = np.zeros((n, len(groups), k - 1, features[r].shape[1])), np.zeros((n, len(groups), n, len(groups)))
        for i in range(n):
            law = np.diag(p[r][i]) - np.outer(p[r][i], p[r][i])
            J[i] = np.einsum("aj,d->ajd", (law @ belief.contrasts)[groups], features[r][i])
            C[i, :, i] = law[np.ix_(groups, groups)]
        Q = np.vstack([question.rows(slice(None)).toarray() for question in belief.asked[r]])
        slopes.append(J.reshape(n * len(groups), -1))
        coins.append(C.reshape(n * len(groups), -1))
        queries.append(np.kron(Q, np.eye(len(groups))))                     # (answer, group) by (person, group)
        noise.append(np.repeat(np.concatenate([np.full(q.q, q.variance) for q in belief.asked[r]]), len(groups)))
        answers.append(np.hstack([q.answers for q in belief.asked[r]]).T.ravel())
    mixed = np.array([[1.0 if r == s else DESIGNED.shared for s in rates] for r in rates])
    prior = np.block([[mixed[r, s] * slopes[r] @ slopes[s].T for s in rates] for r in rates])
    ends = np.cumsum([0] + [len(s) for s in slopes])
    for r in rates:
        prior[ends[r]:ends[r + 1], ends[r]:ends[r + 1]] += coins[r]
    Q = np.zeros((sum(len(q) for q in queries), ends[-1]))
    at = 0
    for r in rates:
        Q[at:at + len(queries[r]), ends[r]:ends[r + 1]] = queries[r]
        at += len(queries[r])
    # the model is linear at these coefficients: its mean is p less the slopes times the coefficients there
    moved = np.concatenate([slopes[r] @ belief.weights[r].T.ravel() for r in rates])
    mean = np.concatenate([p[r][:, groups].ravel() for r in rates]) - moved
    gain = np.linalg.solve(Q @ prior @ Q.T + np.diag(np.concatenate(noise) + 1e-9), Q @ prior).T
    return SimpleNamespace(mean=mean + gain @ (np.concatenate(answers) - Q @ mean), covariance=prior - gain @ Q @ prior, ends=ends,
                           prior=prior, gain=gain, noise=np.concatenate(noise))


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_means_and_spread_are_those_of_the_law_written_out(k, against, notion):
    people, public, _ = believed(k, against, notion)
    belief = ask_well(public, people.A, 1.0, np.random.default_rng(2), n_groups=k)[1]
    mean, covariance, ends = whole_law(belief)
    rng = np.random.default_rng(3)
    for r in range(len(belief.asked)):
        here = slice(ends[r], ends[r + 1])
        assert belief.means(r).ravel() == pytest.approx(mean[here], abs=1e-6)
        numbers = rng.normal(size=(*belief.means(r).shape, 3))
        told = covariance[here, here] @ numbers.reshape(-1, 3)
        assert belief.spread(r, numbers).reshape(-1, 3) == pytest.approx(told, abs=1e-6)


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_what_noise_alone_adds_is_that_of_the_law_written_out(k, against, notion):
    """The best guess of a sum by the answers moves with their noise, and is shrunk; what is told of it divides the shrinking out."""
    _, _, belief = believed(k, against, notion)
    law, rng = written_out(belief), np.random.default_rng(3)
    for r in range(len(belief.asked)):
        numbers, v = rng.normal(size=belief.means(r).shape), np.zeros(law.ends[-1])
        v[law.ends[r]:law.ends[r + 1]] = numbers.ravel()
        kept = v @ (law.prior - law.covariance) @ v / (v @ law.prior @ v)
        assert belief.noise(r, numbers) == pytest.approx((v @ law.gain) ** 2 @ law.noise / kept**2, rel=1e-6)


TELLING = [("plain", 2, 1), ("empty", 2, 2), ("few", 2, 1), ("three", 3, 3)]


@pytest.mark.parametrize("epsilon", [.05, .5, 5.0])
@pytest.mark.parametrize(("kind", "k", "seed"), TELLING)
def test_the_coefficients_are_the_likeliest_however_little_the_answers_tell(kind, k, seed, epsilon):
    """One more step would move nobody. Whole steps would go back and forth for ever, where a group is empty or epsilon is small."""
    people = data.make_logistic(400, rng=np.random.default_rng(seed))
    A = {"plain": people.A, "empty": 0 * people.A, "few": (np.arange(400) < 3).astype(int), "three": people.A + (people.X[:, 1] > 1)}[kind]
    public = public_part(people.X, people.Y)
    rng = np.random.default_rng(seed)
    belief = believe(public, [ask_part(public_cells(public, part), A, part, part.first, rng)
                              for part in split_epsilon(public, epsilon, k)], k)
    assert np.abs(belief._step(everybody=False)[1]).max() < ARRIVED


@pytest.mark.parametrize("epsilon", [.05, .5, 5.0])
def test_of_two_groups_and_one_rate_it_believes_what_the_formula_of_a_few_lines_does(epsilon):
    """:func:`logit_posterior`, with the features of the map and a mean logit."""
    people = population(2, 300)
    public = public_part(people.X, people.Y, notion="demographic_parity")
    part = split_epsilon(public, epsilon)[0]
    belief = believe(public, [ask_part(public_cells(public, part), people.A, part, part.first, np.random.default_rng(5))])
    question = belief.asked[0][0]
    features = np.column_stack([np.full(people.m, DESIGNED.apart), prior_features(public, slice(None))])
    told = logit_posterior(question.rows(slice(None)).toarray(), question.answers[0], np.full(question.q, question.variance), features, .5)
    assert belief.means(0)[:, 0] == pytest.approx(told, abs=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_draws_have_the_law_of_the_belief_over_both_rates(k, against, notion):
    """20,000 draws of two sums over each rate: every entry of their covariance within 6 of its standard errors."""
    _, _, belief = believed(k, against, notion)
    mean, covariance, ends = whole_law(belief)
    rng, n = np.random.default_rng(4), 20_000
    numbers = [rng.normal(size=(end - start, 2)) for start, end in pairwise(ends)]
    drawn = np.concatenate([np.einsum("nas,nam->ms", part, v.reshape(*part.shape[:2], 2))
                            for part, v in zip(belief.draws(n, np.random.default_rng(5)), numbers, strict=True)])
    weights = np.zeros((len(mean), 2 * len(numbers)))
    for r, v in enumerate(numbers):
        weights[ends[r]:ends[r + 1], 2 * r:2 * r + 2] = v
    law = weights.T @ covariance @ weights
    off = np.sqrt((np.outer(np.diag(law), np.diag(law)) + law**2) / n)
    assert (np.abs(np.cov(drawn) - law) < 6 * off).all()
    assert (np.abs(drawn.mean(axis=1) - mean @ weights) < 6 * np.sqrt(np.diag(law) / n)).all()


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_weights_of_cells_tell_what_the_same_weights_of_everybody_do(k, against, notion):
    """A second question of weights of the first one's cells, and the same written out for each person."""
    people = population(k)
    public = Public(people.X, people.Y, parity=parity_of(notion, against))
    of_cells, of_everybody, rng = [], [], np.random.default_rng(7)
    for first in asked(public, people.A, k, 1.0, rng)[::2]:
        weights, A = whole_directions(rng.normal(size=(2, 6)), 50), people.A[public.people[first.rate]]
        told = release_directions(weights, A, 1.0, rng, n_groups=k, cells=first.question, every_group=against == "pairs" and k > 2)
        of_cells += [first, Asked(first.rate, (weights, first.question), *told)]
        of_everybody += [first, Asked(first.rate, weights[:, first.question], *told)]
    one, other = Belief(public, of_cells, k), Belief(public, of_everybody, k)
    for r, i in enumerate(public.people):
        numbers = rng.normal(size=(len(i), len(one.groups), 2))
        assert one.means(r) == pytest.approx(other.means(r), abs=1e-9)
        assert one.spread(r, numbers) == pytest.approx(other.spread(r, numbers), abs=1e-9)


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_drawn_rates_are_ones_that_can_be_where_next_to_nothing_is_known(k, against, notion):
    """Of draws of who is in which group some accept more of a group than there are; a rate of everybody is 1, and of nobody 0."""
    people, public, belief = believed(k, against, notion, epsilon=.01)
    accepts = [np.column_stack([people.X[i] > 0, np.ones(len(i)), np.zeros(len(i))]) for i in public.people]
    rates = belief.rates(accepts, 300, np.random.default_rng(4))
    assert rates.min() == 0.0 and rates.max() == 1.0
    assert rates[:, :, -2] == pytest.approx(1.0, abs=1e-4) and rates[:, :, -1] == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_what_noise_alone_moves_goes_by_epsilon_however_little_is_known(k, against, notion):
    """Of those of a group who are accepted where half are: ten times the noise, ten times the deviation."""
    deviations = []
    for epsilon in (1e-6, 1e-5, 1e-3):
        people, public, belief = believed(k, against, notion, epsilon)
        half = [np.where(people.X[i, 0] > 0, .5, -.5)[:, None] * np.eye(len(belief.groups))[0] for i in public.people]
        deviations.append([epsilon * np.sqrt(belief.noise(r, numbers)) for r, numbers in enumerate(half)])
    assert deviations[0] == pytest.approx(deviations[1], rel=.05) and deviations[0] == pytest.approx(deviations[2], rel=.05)


def test_before_an_answer_a_label_s_mean_share_is_between_2_and_98_percent():
    """Two prior deviations of its mean logit, either way."""
    assert expit([-2 * DESIGNED.apart, 2 * DESIGNED.apart]) == pytest.approx([.02, .98], abs=.003)


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_what_is_known_exactly_has_no_spread(k, against, notion):
    """Cells of one person each, at epsilon 500: the groups themselves come out, whatever the prior thinks."""
    people = population(k, m=60)
    public = Public(people.X, people.Y, parity=parity_of(notion, against))
    belief = Belief(public, asked(public, people.A, k, 500.0, np.random.default_rng(2), n_cells=60), k)
    for r, i in enumerate(public.people):
        assert belief.means(r) == pytest.approx(np.eye(k)[people.A[i]][:, belief.groups], abs=1e-4)
        assert np.abs(belief.spread(r, np.eye(len(i))[:, None, :] * np.ones((1, len(belief.groups), 1)))).max() < 1e-4


def test_scores_of_two_groups_have_one_logit_of_the_prior_s_variance():
    for k in (2, 3, 5):
        B = contrasts(k)
        assert B.sum(axis=0) == pytest.approx(np.zeros(k - 1))
        assert 2 * B @ B.T == pytest.approx(np.eye(k) - 1 / k)             # no group is another's reference
        assert ((B[1] - B[0])**2).sum() == pytest.approx(1.0)               # of the difference of two scores


@pytest.mark.slow
def test_populations_drawn_from_the_prior_are_believed_as_they_are():
    """Coefficients, coins and noise drawn by the model, 150 times: true rates of a public half lie as many deviations from the
    belief's mean as a normal law says. The mean square of 300
    is 1 up to .25, three standard errors; a linearized law need not do better."""
    rng, off = np.random.default_rng(6), []
    people = population(2, m=400)
    public = Public(people.X, people.Y)
    frame = crowd.Crowd(public, [public.cells_of(r, 8)[0] for r in (0, 1)])
    half = people.X[:, 0] > 0
    for _ in range(150):
        both = rng.normal(size=frame.to[0].shape[1])
        A = np.zeros(people.m, dtype=int)
        for r, i in enumerate(public.people):
            w = np.sqrt(DESIGNED.shared) * both + np.sqrt(1 - DESIGNED.shared) * rng.normal(size=len(both))
            A[i] = rng.random(len(i)) < expit(frame.raw[r] @ frame.to[r] @ w)
        belief = Belief(public, asked(public, A, 2, 1.0, rng, n_cells=8), 2)
        for r, i in enumerate(public.people):
            numbers = half[i].astype(float)[:, None, None]
            deviation = np.sqrt((numbers * belief.spread(r, numbers)).sum())
            off.append(((A[i] - belief.means(r)[:, 0]) @ half[i]) / deviation)
    assert np.mean(np.square(off)) == pytest.approx(1.0, abs=.25)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e7])
def test_a_sum_of_whole_numbers_is_exact_in_whatever_order(size):
    """In single precision, of any part of a row: against whole numbers without end. And next to nothing is lost."""
    rng = np.random.default_rng(6)
    given = size * rng.normal(.4, 1, size=(5, 3000))
    rows, unit = whole_numbers(given)
    assert rows.dtype == np.float32 and np.array_equal(rows, np.rint(rows))
    accepts = rng.integers(0, 2, size=(3000, 40))
    told = rows.astype(np.int64) @ accepts
    order = rng.permutation(3000)
    for at in (slice(None), order):
        assert np.array_equal(rows[:, at] @ accepts[at].astype(np.float32), told)
        assert np.array_equal(np.cumsum(rows[:, at], axis=1, dtype=np.float32)[:, -1], rows.sum(axis=1, dtype=float))
    lost = np.abs(unit * told - given @ accepts).max()      # by rounding to the nearest, of 3,000 people
    assert lost < 5 * unit * np.sqrt(3000 / 12) < 2e-5 * np.abs(given).sum(axis=1).max()
    assert np.array_equal(whole_numbers(np.zeros((2, 3)))[0], np.zeros((2, 3)))


# --- deliberate faults

def of_own_rate(f):
    def coefficients(self, pull):
        return [np.tensordot(slopes, pull[at], (0, 0)) for slopes, at in zip(self.slopes, self.of_rate, strict=True)]
    return coefficients


FAULTS = {
    "coins_are_forgotten": Mutant("dpfair_teach.oneshot.belief.Belief._coins", lambda f: lambda self, r, numbers: 0.0 * numbers,
                                  "what an answer tells of people beyond their chances is forgotten"),
    "coins_are_tossed_too_small": Mutant(
        "dpfair_teach.oneshot.belief.Belief._tossed", lambda f: lambda self, r, size, rng: 0.8 * f(self, r, size, rng),
        "coins of too small a deviation"),
    "labels_tell_nothing_of_each_other": Mutant("dpfair_teach.oneshot.belief.Belief._coefficients", of_own_rate,
                                                "the answers of one label say nothing about the other"),
}
