"""What is believed after noisy counts: against formulas written out for everybody, draws, and populations drawn from the prior itself."""
from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression

from dpfair_teach import data
from dpfair_teach.fairness import Parity
from dpfair_teach.mechanisms import release_cells, release_directions, whole_directions
from dpfair_teach.oneshot import ask_part, ask_well, fit_group_posterior, public_cells, public_data, split_epsilon
from dpfair_teach.oneshot.answer import Answer
from dpfair_teach.oneshot.posterior import ARRIVED, GroupPosterior, contrasts, whole_numbers
from dpfair_teach.oneshot.representative import RepresentativeSample
from dpfair_teach.oneshot.settings import SETTINGS, TARGETS
from faults import Mutant

CASES = [(2, "anchor", "equalized_odds"), (3, "anchor", "equalized_odds"), (3, "pairs", "equalized_odds"),
         (2, "pairs", "demographic_parity"), (4, "pairs", "true_positive"), (3, 1, "equalized_odds"),        # 1: group 1 is the anchor
         (3, "anchor", "accuracy_parity")]


def parity_of(notion, against):
    return Parity(notion, against) if isinstance(against, str) else Parity(notion, anchor=against)


def asked(public, A, k, epsilon, rng, n_cells=6):
    """A question of cells to each rate, and one of two directions, with a weight for everybody."""
    every, found = public.counts_every_group(k), []
    for r, people in enumerate(public.people):
        cells = public.cells_of(r, n_cells)
        found.append(Answer(r, cells, *release_cells(cells, A[people], epsilon, rng, n_groups=k, every_group=every)))
        whole = whole_directions(rng.normal(size=(2, len(people))), 50)
        found.append(Answer(r, (whole, np.arange(len(people))),
                            *release_directions(whole, A[people], epsilon, rng, n_groups=k, every_group=every)))
    return found


def population(k, m=120):
    return data.make_logistic(m, n_groups=k, d=3, shifts=np.outer(np.linspace(0, 1, k), [1, .5, 0]), rng=np.random.default_rng(1))


def believed(k, against, notion, epsilon=1.0, target="these"):
    people = population(k)
    public = public_data(people.X, people.Y, notion=parity_of(notion, against), target=target)
    return people, public, GroupPosterior(public, asked(public, people.A, k, epsilon, np.random.default_rng(2)), k)


def prior_features(public, people, scales):
    """Whose inner products are the prior covariance of a logit, written out: a linear part, and bells around the landmarks, whitened.
    One of the ``scales`` is that of the line along the score, the other of all else."""
    place, marks, score = public.place[people], public.map.landmarks, public.map.axes.shape[1]
    bells = SETTINGS.smooth * np.exp(-((place[:, None] - marks) ** 2).sum(axis=2) / (2 * SETTINGS.length**2))
    along, beside = np.sqrt(scales)
    return np.column_stack([np.sqrt(SETTINGS.linear) * place * np.where(np.arange(place.shape[1]) == score, along, beside),
                            beside * bells @ public.map.whiten[:len(marks), :len(marks)]])


def written_out(belief, scales=None):
    """Everything once more, with a row for each group and person of each rate: the law before the answers, and after. ``people`` is the
    covariance of these people's groups given the answers, ``wanted`` of what gaps are made of, and ``both`` of the two; ``likelihood`` is
    the logarithm of that of the answers, with other ``scales`` of the prior if these are given."""
    k, groups, public = belief.k, belief.groups, belief.public
    rates = range(len(belief.asked))
    own_mean = SETTINGS.apart * np.eye(len(rates))              # the first features are the mean logits, of which each rate has its own
    fitted, features = ([np.column_stack([np.tile(own_mean[r], (len(i), 1)), prior_features(public, i, these)])
                         for r, i in enumerate(public.people)] for these in (belief.factors, belief.factors if scales is None else scales))
    p = [softmax(fitted[r] @ belief.coefficients[r] @ belief.contrasts.T, axis=1) for r in rates]
    slopes, coins, queries, noise, answers, told = [], [], [], [], [], []
    for r in rates:
        n = len(p[r])
        J, C = np.zeros((len(groups), n, k - 1, features[r].shape[1])), np.zeros((len(groups), n, len(groups), n))
        for i in range(n):
            law = np.diag(p[r][i]) - np.outer(p[r][i], p[r][i])
            J[:, i] = np.einsum("aj,d->ajd", (law @ belief.contrasts)[groups], features[r][i])
            told.append((law @ belief.contrasts)[groups] @ belief.coefficients[r].T @ fitted[r][i])
            C[:, i, :, i] = law[np.ix_(groups, groups)]
        Q = np.vstack([question.rows(slice(None)).toarray() for question in belief.asked[r]])
        slopes.append(J.reshape(n * len(groups), -1))
        coins.append(C.reshape(n * len(groups), -1))
        queries.append(np.kron(np.eye(len(groups)), Q))
        noise.append(np.tile(np.concatenate([np.full(q.q, q.variance) for q in belief.asked[r]]), len(groups)))
        answers.append(np.hstack([q.answers for q in belief.asked[r]]).ravel())
    mixed = np.array([[1.0 if r == s else SETTINGS.shared for s in rates] for r in rates])
    chances = np.block([[mixed[r, s] * slopes[r] @ slopes[s].T for s in rates] for r in rates])
    prior, Q = chances + block(coins), block(queries)
    # the model is linear at these coefficients: its mean is p less the slopes times the coefficients there
    parts = np.split(np.array(told), np.cumsum([len(i) for i in public.people])[:-1])
    mean = np.concatenate([(p[r][:, groups] - part).T.ravel() for r, part in enumerate(parts)])
    S = Q @ prior @ Q.T + np.diag(np.concatenate(noise) + 1e-9)
    wanted = chances if belief.new else prior
    gain = np.linalg.solve(S, Q @ wanted).T
    people = prior - np.linalg.solve(S, Q @ prior).T @ Q @ prior
    off = np.concatenate(answers) - Q @ mean
    likelihood = -(off @ np.linalg.solve(S, off) + np.linalg.slogdet(S)[1]) / 2
    return SimpleNamespace(mean=mean + gain @ off, likelihood=likelihood, people=people, both=wanted - (Q @ prior).T @ gain.T,
                           wanted=wanted - gain @ Q @ wanted, ends=np.cumsum([0] + [len(s) for s in slopes]),
                           prior=prior, gain=gain, noise=np.concatenate(noise))


def block(parts):
    return sparse.block_diag(parts).toarray()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_means_and_spread_are_those_of_the_law_written_out(k, against, notion, target):
    """After both questions; of people to come, without anybody's coin."""
    people, public, _ = believed(k, against, notion, target=target)
    belief = ask_well(public, people.A, 2.0, np.random.default_rng(2), n_groups=k, share=.5)[1]
    assert [len(questions) for questions in belief.asked] == [2] * len(public.people)
    law, rng = written_out(belief), np.random.default_rng(3)
    for r, here in enumerate(map(slice, law.ends[:-1], law.ends[1:])):
        assert belief.means(r).T.ravel() == pytest.approx(law.mean[here], abs=1e-6)
        rows = rng.normal(size=(3, len(belief.means(r))))
        Q = np.kron(np.eye(len(belief.groups)), rows)
        for found, told in zip(belief.covariance(r, sparse.csr_array(rows)), (law.people, law.both, law.wanted), strict=True):
            assert found == pytest.approx(Q @ told[here, here] @ Q.T, abs=1e-6)


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_for_people_to_come_the_prior_s_factors_are_the_likeliest_by_the_answers(k, against, notion):
    """Where answers are linear in the coefficients, with logarithms that have a prior of deviation 2: the top of the parabola through three
    points is within .05 of them."""
    belief = believed(k, against, notion, target="new")[2]

    def likelihood(steps):
        factors = belief.factors * np.exp(steps)
        return written_out(belief, factors).likelihood - (np.log(factors)**2).sum() / (2 * 2.0**2)
    best = likelihood(np.zeros(2))
    for one in np.eye(2):
        up, down = likelihood(.3 * one), likelihood(-.3 * one)
        assert max(up, down) < best and abs(.15 * (up - down) / (2 * best - up - down)) < .05


@pytest.mark.parametrize("target", TARGETS)
def test_along_what_a_base_says_a_logit_of_people_to_come_may_bend(target):
    """The prior covariance of two people's logits: that of the map, which is the same for both targets, and bells on the base's line."""
    people = population(2)
    base = LogisticRegression().fit(people.X**2, people.Y)
    public = public_data(people.X, people.Y, base=base, target=target)
    assert public.place[:, -1].std() == pytest.approx(1)
    sample = RepresentativeSample(public, [np.zeros(len(i), dtype=int) for i in public.people], 2)
    for r, i in enumerate(public.people):
        features = sample.raw[r] @ sample.to[r]
        said = np.clip(public.place[i][:, -1], -3, 3)
        bent = np.exp(-(said[:, None] - said) ** 2 / 2) if target == "new" else 0.0
        map_alone = prior_features(public, i, np.ones(2))
        assert features[:, 2:] @ features[:, 2:].T == pytest.approx(map_alone @ map_alone.T + bent, abs=1e-3)
        assert len(sample.kinds[0]) == (15 if target == "new" else 2)


def test_where_groups_go_by_the_score_alone_the_rest_of_the_prior_shrinks():
    """Groups that go by the score alone: along it the prior widens, and all else shrinks to a fifth; by chance alone both shrink."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4))
    Y = (rng.random(2000) < expit(1.7 * X[:, 0])).astype(int)
    public, found = public_data(X, Y, target="new"), []
    for chance in (expit(1.4 * X[:, 0]), np.full(2000, .5)):
        A = (rng.random(2000) < chance).astype(int)
        answers = [ask_part(public.cells_of(part.rate, 80), A, part, part.first, rng) for part in split_epsilon(public, 4.0)]
        found.append(fit_group_posterior(public, answers).factors)
    assert found[0][0] > 2 and found[0][1] < .2 and max(found[1]) < .3


@pytest.mark.parametrize("target", TARGETS)
def test_people_to_come_are_others_than_these(target):
    """Were nothing in doubt of anybody's group, rates of people to come would vary as the mean over so many others does."""
    belief = believed(2, "anchor", "equalized_odds", target=target)[2]
    sample, rng = belief.sample, np.random.default_rng(3)
    sample.weights = [rng.choice([1.0, 3.0], size=len(p)) for p in belief.p]
    belief.draws = lambda size, rng: [np.repeat((w * p[:, 1])[:, None, None], size, axis=2)
                                      for w, p in zip(sample.weights, belief.p, strict=True)]
    accepts = [rng.random((len(p), 3)) < [.2, .5, .8] for p in belief.p]
    found = belief.rates(accepts, 4000, rng)
    for r, (w, p, accepted) in enumerate(zip(sample.weights, belief.p, accepts, strict=True)):
        for a in range(2):
            rate = (w * p[:, a]) @ accepted / (w @ p[:, a])
            variance = (w * p[:, a]**2) @ (accepted - rate)**2 / (w @ p[:, a])**2
            assert found[:, a, :, r].var(axis=0) == pytest.approx(variance if target == "new" else 0.0, rel=.15, abs=1e-8)
            assert found[:, a, :, r].mean(axis=0) == pytest.approx(rate, abs=.01)


@pytest.mark.parametrize("target", TARGETS)
def test_a_count_that_was_asked_is_known_better_than_by_its_noise_alone(target):
    """Of these people; for them the three covariances are one, and people to come have others."""
    people, rng = population(2), np.random.default_rng(2)
    public = public_data(people.X, people.Y, target=target)
    answers = [ask_part(public.cells_of(part.rate, 6), people.A, part, part.first, rng) for part in split_epsilon(public, 2.0)]
    belief = fit_group_posterior(public, answers)
    for r, questions in enumerate(belief.asked):
        these, both, wanted = belief.covariance(r, questions[0].rows(slice(None)))
        assert np.diag(these).max() < questions[0].variance and np.linalg.eigvalsh(these).min() > 0
        assert np.array_equal(these, wanted) == np.array_equal(these, both) == (target == "these")


@pytest.mark.parametrize(("k", "against", "notion"), CASES)
def test_what_noise_alone_adds_is_that_of_the_law_written_out(k, against, notion):
    """The best guess of a sum by the answers moves with their noise, and is shrunk; what is told of it divides the shrinking out. Group 0,
    where it is not counted, has whom the others have not."""
    _, _, belief = believed(k, against, notion)
    law, rng = written_out(belief), np.random.default_rng(3)
    for r in range(len(belief.asked)):
        weights, found = rng.normal(size=len(belief.means(r))), []
        for a in range(k):
            v = np.zeros(law.ends[-1])
            signs = [-1.0 if a not in belief.groups else float(group == a) for group in belief.groups]
            v[law.ends[r]:law.ends[r + 1]] = np.kron(signs, weights)
            kept = v @ (law.prior - law.people) @ v / (v @ law.prior @ v)
            found.append((v @ law.gain) ** 2 @ law.noise / kept**2)
        assert belief.noise(r, weights) == pytest.approx(found, rel=1e-6)


TELLING = [*((*case, epsilon) for case in [("plain", 2, 1), ("empty", 2, 2), ("few", 2, 1), ("three", 3, 3)] for epsilon in (.05, .5, 5.0)),
           ("sharp", 2, 1, 200.0)]


@pytest.mark.parametrize(("kind", "k", "seed", "epsilon"), TELLING)
@pytest.mark.parametrize("target", TARGETS)
def test_the_coefficients_are_the_likeliest_however_little_or_much_the_answers_tell(target, kind, k, seed, epsilon):
    """One more step would move nobody, and no factor. Whole steps would go back and forth for ever, where a group is empty or epsilon is
    small; where a column tells the group, scores have a long way to go, and factors after them."""
    people = data.make_logistic(400, rng=np.random.default_rng(seed))
    A = {"plain": people.A, "empty": 0 * people.A, "few": (np.arange(400) < 3).astype(int), "three": people.A + (people.X[:, 1] > 1),
         "sharp": (people.X[:, 0] > 0).astype(int)}[kind]
    public = public_data(np.exp(3 * people.X) if kind == "sharp" else people.X, people.Y, target=target)
    rng = np.random.default_rng(seed)
    belief = fit_group_posterior(public, [ask_part(public_cells(public, part), A, part, part.first, rng)
                              for part in split_epsilon(public, epsilon, k)], k)
    assert np.abs(belief._step(everybody=False)[1]).max() < ARRIVED
    with pytest.raises(ValueError, match=r"^r=2"):
        belief.means(2)
    with pytest.raises(ValueError, match=r"^size=0"):
        belief.draws(0, rng)
    assert belief._rescale() < ARRIVED if target == "new" else np.array_equal(belief.factors, [1, 1])


@pytest.mark.slow
@pytest.mark.parametrize(("k", "against", "notion", "target"), [
    *((*case, "these") for case in CASES), (*CASES[0], "new"), (*CASES[2], "new")])
def test_draws_have_the_law_of_the_belief_over_both_rates(k, against, notion, target):
    """20,000 draws of two sums over each rate: every entry of their covariance within 6 of its standard errors."""
    _, _, belief = believed(k, against, notion, target=target)
    told, rng, n = written_out(belief), np.random.default_rng(4), 20_000
    numbers = [rng.normal(size=(end - start, 2)) for start, end in pairwise(told.ends)]
    drawn = np.concatenate([v.T @ np.moveaxis(part, 1, 0).reshape(len(v), n)
                            for part, v in zip(belief.draws(n, np.random.default_rng(5)), numbers, strict=True)])
    weights = block(numbers)
    law = weights.T @ told.wanted @ weights
    off = np.sqrt((np.outer(np.diag(law), np.diag(law)) + law**2) / n)
    assert (np.abs(np.cov(drawn) - law) < 6 * off).all()
    assert (np.abs(drawn.mean(axis=1) - told.mean @ weights) < 6 * np.sqrt(np.diag(law) / n)).all()


def test_draws_of_people_to_come_have_no_coins():
    """So where next to nothing is known each is in less doubt than one of these people; where these are known, others stay in doubt."""
    def variances(epsilon, n_cells):
        people, found = population(2), []
        for target in TARGETS:
            public = public_data(people.X, people.Y, target=target)
            belief = GroupPosterior(public, asked(public, people.A, 2, epsilon, np.random.default_rng(2), n_cells), 2)
            found.append(np.concatenate(belief.draws(2000, np.random.default_rng(4))).var(axis=2))
        return found
    these, new = variances(.05, 6)
    assert (these - new).min() > .1
    these, new = variances(500.0, 120)
    assert these.max() < 1e-9 and new.min() > 5e-4


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
        deviations.append([epsilon * np.sqrt(belief.noise(r, np.where(people.X[i, 0] > 0, .5, -.5))[belief.groups[0]])
                           for r, i in enumerate(public.people)])
    assert deviations[0] == pytest.approx(deviations[1], rel=.05) and deviations[0] == pytest.approx(deviations[2], rel=.05)


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
    public = public_data(people.X, people.Y)
    frame = RepresentativeSample(public, [public.cells_of(r, 8) for r in (0, 1)], 2)
    half = people.X[:, 0] > 0
    for _ in range(150):
        both = rng.normal(size=frame.to[0].shape[1])
        A = np.zeros(people.m, dtype=int)
        for r, i in enumerate(public.people):
            w = np.sqrt(SETTINGS.shared) * both + np.sqrt(1 - SETTINGS.shared) * rng.normal(size=len(both))
            A[i] = rng.random(len(i)) < expit(frame.raw[r] @ frame.to[r] @ w)
        belief = GroupPosterior(public, asked(public, A, 2, 1.0, rng, n_cells=8), 2)
        for r, i in enumerate(public.people):
            deviation = np.sqrt(belief.covariance(r, sparse.csr_array(half[i][None].astype(float)))[2].item())
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
    def pulled(self, pull):
        return [np.tensordot(slopes, pull[at], (0, 0)) for slopes, at in zip(self.slopes, self.of_part, strict=True)]
    return pulled


FAULTS = {
    "coins_are_forgotten": Mutant(
        "dpfair_teach.oneshot.GroupPosterior._moved", lambda f: lambda self, r, coefficients, pull: f(self, r, coefficients, 0 * pull),
        "what an answer tells of people beyond their chances is forgotten"),
    "coins_are_tossed_too_small": Mutant(
        "dpfair_teach.oneshot.GroupPosterior._tossed", lambda f: lambda self, r, size, rng: 0.8 * f(self, r, size, rng),
        "coins of too small a deviation"),
    "labels_tell_nothing_of_each_other": Mutant("dpfair_teach.oneshot.GroupPosterior._pulled", of_own_rate,
                                                "the answers of one label say nothing about the other"),
}
