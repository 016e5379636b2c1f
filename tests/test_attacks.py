"""Attribute inference: the bound against exhaustive and exact attacks, and the attacks of chapter 1 on what learners publish."""
from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from sklearn.svm import SVC

from dpfair_teach import attacks, audit, fairness, load, mechanisms, postprocessing
from dpfair_teach.experiments import EPSILONS
from faults import Mutant, scaled, with_arguments

ALPHA = 1e-10                        # each two-sided interval below misses with at most this chance


def coin_flips(m, seed):
    return np.random.default_rng(seed).integers(0, 2, m)


def openly(delta, epsilon):
    """Randomized response that with probability delta tells the truth openly: laws on (open 0, open 1, said 0, said 1)."""
    laws = mechanisms.randomized_response_matrix(2, epsilon)
    return [np.concatenate([delta * np.eye(2)[a], (1 - delta) * laws[a]]) for a in (0, 1)]


# ------------------------------------------------------------------------------------------------------------- the bound

def test_the_advantage_bound_is_attained_and_never_passed():
    """Attained by randomized response that tells the truth openly with probability delta; never passed by 4,000 pairs of random laws."""
    grid = itertools.product((0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 30.0), (0.0, 0.001, 0.2, 0.9), (0.1, 0.3, 0.5, 0.8, 0.99))
    for epsilon, delta, prior in grid:
        laws = openly(delta, epsilon)
        assert audit.exact_delta(*laws, epsilon) == pytest.approx(delta, abs=1e-12)
        bound = attacks.attribute_advantage_bound(epsilon, delta, prior)
        assert attacks.exact_advantage(*laws, prior) == pytest.approx(bound, abs=1e-12)
        if prior == 0.5:
            top = math.exp(epsilon)
            assert bound == pytest.approx((top - 1 + 2 * delta) / (2 * (top + 1)), abs=1e-12)
    rng = np.random.default_rng(41)
    for _ in range(4000):
        n, epsilon, prior = rng.integers(2, 6), rng.exponential(1), rng.uniform(0.02, 0.98)
        laws = rng.dirichlet(np.full(n, rng.choice([0.3, 1, 5])), size=2)
        delta = audit.exact_delta(*laws, epsilon)
        if delta < 1:
            assert attacks.exact_advantage(*laws, prior) <= attacks.attribute_advantage_bound(epsilon, delta, prior) + 1e-12


def test_the_balanced_form_needs_no_prior():
    """Over all events of the worst law, P_1(E) - P_0(E) reaches (e^eps - 1 + 2 delta) / (e^eps + 1), twice the advantage at prior 1/2."""
    for epsilon, delta in itertools.product((0.1, 1.0, 3.0), (0.0, 0.05)):
        law_0, law_1 = openly(delta, epsilon)
        events = np.array(list(itertools.product((0, 1), repeat=4)))
        assert (events @ (law_1 - law_0)).max() == pytest.approx(2 * attacks.attribute_advantage_bound(epsilon, delta), abs=1e-12)


def test_posterior_odds_move_by_at_most_e_to_the_epsilon():
    rng = np.random.default_rng(42)
    for epsilon, prior in itertools.product((0.1, 1.0, 5.0), (0.01, 0.5, 0.9)):
        law_0, law_1 = mechanisms.randomized_response_matrix(2, epsilon)
        posterior = prior * law_1 / (prior * law_1 + (1 - prior) * law_0)
        assert attacks.posterior_bound(epsilon, prior) == pytest.approx((posterior.min(), posterior.max()), abs=1e-12)
    for _ in range(2000):
        law_0, law_1 = rng.dirichlet(np.ones(4), size=2)
        prior = rng.uniform(0.02, 0.98)
        low, high = attacks.posterior_bound(audit.exact_epsilon(law_0, law_1), prior)
        posterior = prior * law_1 / (prior * law_1 + (1 - prior) * law_0)
        assert low - 1e-9 <= posterior.min() and posterior.max() <= high + 1e-9


def test_groups_that_go_together_are_as_many_people_as_they_are():
    """Siblings who share one coin, and a street whose count is known: the best attack over all reports at epsilon 1 is beyond the bound
    for one person, and within the one for as many people as change together."""
    true = 1 / (1 + math.exp(-1))

    def law(A):
        said = np.array(list(itertools.product((0, 1), repeat=len(A))))
        return np.where(said == A, true, 1 - true).prod(axis=1)

    for siblings, right, surest in ((2, 0.7311, 0.8808), (3, 0.8219, 0.9526), (5, 0.8755, 0.9933)):
        laws = law(np.zeros(siblings)), law(np.ones(siblings))
        advantage = attacks.exact_advantage(*laws)
        assert 0.5 + advantage == pytest.approx(right, abs=5e-5)
        assert advantage <= attacks.attribute_advantage_bound(siblings)
        assert siblings == 2 or advantage > attacks.attribute_advantage_bound(1.0) + 0.09
        posterior = (laws[1] / (laws[0] + laws[1])).max()
        assert posterior == pytest.approx(surest, abs=5e-5) and posterior == pytest.approx(attacks.posterior_bound(siblings)[1])

    streets = [[i not in pair for i in range(8)] for pair in itertools.combinations(range(8), 2)]
    laws = np.array([law(np.array(street)) for street in streets])
    you_in_0 = np.array([not street[0] for street in streets])
    posterior = (laws[you_in_0].sum(axis=0) / laws.sum(axis=0)).max()
    assert posterior == pytest.approx(0.7112, abs=5e-5) and posterior == pytest.approx(attacks.posterior_bound(2.0, 2 / 8)[1])
    assert attacks.posterior_bound(1.0, 2 / 8)[1] == pytest.approx(0.4754, abs=5e-5)


def test_with_delta_a_posterior_beyond_the_bound_is_rare():
    """P(posterior odds above e^t prior odds | A = 1) <= delta / (1 - e^(eps - t)) for t > eps; an open truth attains delta as t grows."""
    for epsilon, delta, t in itertools.product((0.1, 1.0), (0.01, 0.2), (1.5, 3.0, 20.0)):
        law_0, law_1 = openly(delta, epsilon)
        beyond = law_1[law_1 > math.exp(t) * law_0].sum()
        assert beyond == pytest.approx(delta) and beyond <= delta / -math.expm1(epsilon - t)


def test_more_groups_cannot_be_guessed_more_often_than_randomized_response_tells_them():
    """Exercise 1C: uniform prior on k groups, P(right) <= (e^eps + (k - 1) delta) / (e^eps + k - 1)."""
    rng = np.random.default_rng(43)
    for k in (2, 3, 5):
        law = mechanisms.randomized_response_matrix(k, 1.0)
        assert law.max(axis=0).sum() / k == pytest.approx(math.e / (math.e + k - 1))
        for _ in range(500):
            laws = rng.dirichlet(np.ones(4), size=k)
            epsilon = rng.uniform(0.1, 2)
            delta = max(audit.exact_delta(laws[a], laws[b], epsilon) for a in range(k) for b in range(a))
            assert laws.max(axis=0).sum() / k <= (math.exp(epsilon) + (k - 1) * delta) / (math.exp(epsilon) + k - 1) + 1e-12


def test_geometric_noise_on_one_count_is_as_bad_as_the_bound_and_laplace_noise_a_little_better():
    outcomes = np.arange(-4000, 4002)
    for epsilon in EPSILONS:
        laws = [mechanisms.geometric_law(1, epsilon, value).pmf(outcomes) for value in (0, 1)]
        assert attacks.exact_advantage(*laws) == pytest.approx(attacks.attribute_advantage_bound(epsilon), abs=1e-9)
        laplace = mechanisms.laplace_law(1, epsilon)
        advantage = laplace.cdf(0.5) - 0.5                              # guess the nearer of the two counts
        assert advantage == pytest.approx(-math.expm1(-epsilon / 2) / 2)
        assert advantage < attacks.attribute_advantage_bound(epsilon)


# -------------------------------------------------------------------------------------------------------------- the game

@pytest.mark.slow
def test_measured_advantage_of_private_releases_stays_below_the_bound():
    """Laplace noise on the paper's two cells, 400,000 rounds an epsilon, and randomized response with the guess its own report:
    the first below the bound by its whole interval where they can be told apart, both at what the law says. alpha 1e-10 an interval."""
    rng = np.random.default_rng(44)

    table = np.full((2, 2, 2), 50.0)
    tables = [table + (np.arange(2) == a)[:, None] * np.array([[[0.0, 0.0]] * 2, [[0.0, 1.0]] * 2]) for a in (0, 1)]     # [1, a, 1]

    def counts(epsilon):
        def release(A, rng):
            outputs = np.empty((len(A), 2, 2, 2))
            for a in (0, 1):
                outputs[a == A] = postprocessing.noisy_counts(tables[a], epsilon, rng, size=int((a == A).sum()))
            return outputs
        return release

    def nearer(epsilon):
        return lambda outputs: audit.privacy_loss(outputs, tables[1], tables[0], 2 / epsilon) > 0

    for epsilon in EPSILONS:
        bound = attacks.attribute_advantage_bound(epsilon)
        result = attacks.guessing_game(counts(epsilon), nearer(epsilon), trials=400_000, rng=rng)
        low, high = result.interval(ALPHA)
        assert low < bound and (epsilon < 0.5 or high < bound)
        # two cells, each with loss epsilon / 2 at most: the exact advantage by convolution on a fine grid
        half = mechanisms.laplace_law(2, epsilon)
        grid = (np.arange(200_000) + 0.5) / 200_000
        loss = (np.abs(half.ppf(grid) + 1) - np.abs(half.ppf(grid))) * epsilon / 2
        pairs = loss[::2], np.random.default_rng(1).permutation(loss[1::2])
        right = np.mean(pairs[0] + pairs[1] > 0) + np.mean(pairs[0] + pairs[1] == 0) / 2
        assert low - 0.01 < right - 0.5 < high + 0.01
        told = attacks.guessing_game(lambda A, rng, e=epsilon: mechanisms.randomized_response(A, 2, e, rng), lambda reports: reports,
                                     trials=400_000, rng=rng)
        assert told.interval(ALPHA)[0] <= bound <= told.interval(ALPHA)[1]


def test_any_guess_about_you_comes_out_nearly_as_often_had_you_answered_otherwise():
    """Exact, over all answers of the people, all who answer otherwise, and all attacks (each set of outputs: the guess there)."""
    for epsilon in (0.2, 1.0):
        said = mechanisms.randomized_response_matrix(3, epsilon)
        w = np.arange(-4, 9)                                             # the two ends take the tails
        cdf = [mechanisms.geometric_law(1, epsilon, n).cdf(w[:-1]) for n in range(4)]
        releases = {
            "reports of two people, three groups": (3, 2, lambda A, said=said: np.outer(said[A[0]], said[A[1]]).ravel()),
            "a count among three": (2, 3, lambda A, cdf=cdf: np.diff(cdf[sum(A)], prepend=0.0, append=1.0)),
            "one who may be seen openly": (2, 1, lambda A, e=epsilon: openly(0.05, e)[A[0]]),
        }
        for name, (k, m, law) in releases.items():
            laws = {A: law(A) for A in itertools.product(range(k), repeat=m)}
            guessed = np.array(list(itertools.product((0.0, 1.0), repeat=len(laws[(0,) * m]))))        # all attacks
            other_answer = [(A, (*A[:i], g, *A[i + 1:])) for A in laws for i in range(m) for g in range(k) if g != A[i]]
            delta = 0.05 if "openly" in name else 0.0
            excess = [guessed @ (laws[A] - math.exp(epsilon) * laws[B]) for A, B in other_answer]
            assert np.max(excess) == pytest.approx(delta, abs=1e-12), name
            for at in (0.0, epsilon / 2, epsilon):                       # and at each epsilon with the delta that goes with it
                worst = max(audit.exact_delta(laws[A], laws[B], at) for A, B in other_answer)
                here = max(float((guessed @ (laws[A] - math.exp(at) * laws[B])).max()) for A, B in other_answer)
                assert here == pytest.approx(worst, abs=1e-12), name
            smaller = [guessed @ (laws[A] - math.exp(0.9 * epsilon) * laws[B]) for A, B in other_answer]
            assert np.max(smaller) > delta + 1e-3, name                  # no smaller epsilon will do


def test_the_game_draws_by_its_prior_and_counts_right_guesses():
    result = attacks.guessing_game(lambda A, rng: A, lambda outputs: np.zeros_like(outputs), trials=100_000, rng=np.random.default_rng(2),
                                   prior=0.3)
    assert result.interval(ALPHA)[0] < 0 < result.interval(ALPHA)[1] and result.n == 100_000
    everything = attacks.guessing_game(lambda A, rng: A, lambda outputs: outputs, trials=1000, rng=np.random.default_rng(2), prior=0.3)
    assert everything.hits == 1000 and everything.advantage == pytest.approx(0.3)
    for release in (lambda A, rng: A[1:], lambda A, rng: 3.0):
        with pytest.raises(ValueError, match="release"):
            attacks.guessing_game(release, lambda outputs: outputs, trials=10, rng=np.random.default_rng(2))
    with pytest.raises(ValueError, match="attack"):
        attacks.guessing_game(lambda A, rng: A, lambda outputs: outputs + 5, trials=10, rng=np.random.default_rng(2))


def test_the_interval_is_that_of_the_share_moved_by_the_blind_guess():
    advantage, low, high = attacks.advantage_interval([70, 80], 100, prior=0.2, alpha=0.1)
    expected = audit.clopper_pearson([70, 80], 100, 0.1)
    assert np.allclose(advantage, [-0.1, 0.0]) and np.allclose([low, high], np.array(expected) - 0.8)


# ------------------------------------------------------------------------------------------------- what is published

def test_secret_shares_sum_to_the_number_as_they_are_or_are_refused():
    modulus = 2**53 - 111
    shares = attacks.secret_shares([5, 7], 1024, modulus, np.random.default_rng(0))
    assert (shares.sum(axis=0) % modulus).tolist() == [5, 7]
    with pytest.raises(ValueError, match=r"^parties=1025: with modulus=9007199254740881 shares may sum to more than an int64 holds"):
        attacks.secret_shares([5, 7], 1025, modulus, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"^parties=1000000: asks for more than 100,000,000 numbers"):
        attacks.secret_shares(np.zeros(101), 10**6, 2, np.random.default_rng(0))


def test_secret_shares_hide_the_computation_and_not_its_output():
    """All shares but one are uniform whatever is shared (chi-square, n = 60,000, alpha 1e-10); sums can be computed on shares; and the
    exact sum that comes out tells the last unknown A."""
    rng = np.random.default_rng(45)
    for value in (0, 3):
        shares = attacks.secret_shares(np.full(60_000, value), 3, 5, rng)
        assert (shares.sum(axis=0) % 5 == value).all()
        for seen in itertools.combinations(range(3), 2):
            pairs = np.bincount(5 * shares[seen[0]] + shares[seen[1]], minlength=25)
            assert stats.chisquare(pairs).pvalue > ALPHA
    A = coin_flips(40, 46)
    published = attacks.secret_shares(A, 3, 1009, rng).sum(axis=1).sum() % 1009       # each party adds its own shares, then they tell
    assert published == A.sum()
    for person in range(len(A)):                                        # everybody else's A is known: subtract
        assert published - np.delete(A, person).sum() == A[person]


def test_a_support_vector_machine_publishes_the_group_of_every_support_vector():
    """Communities, A a fair coin: read right for every support vector and for nobody else."""
    people = load("communities")
    for seed, kernel in ((47, "linear"), (48, "rbf")):
        A = coin_flips(people.m, seed)
        machine = SVC(kernel=kernel).fit(np.column_stack([people.X, A]), people.Y)
        guesses = attacks.read_support_vectors(machine.support_vectors_, people.X)
        assert 500 < len(machine.support_) < 900
        assert (np.flatnonzero(guesses >= 0) == np.sort(machine.support_)).all()
        assert (guesses[machine.support_] == A[machine.support_]).all()


def test_people_who_share_all_features_are_not_told_apart():
    guesses = attacks.read_support_vectors([[0.5, 1.0], [0.0, 0.0]], [[0.5], [0.5], [0.0], [2.0]])
    assert guesses.tolist() == [-1, -1, 0, -1]


def test_a_machine_that_never_had_the_group_publishes_it_through_its_multipliers():
    """Communities, trained on X and Y with weights n_a n_y / (m n_ay), A a fair coin or the real one: everybody at his limit."""
    people = load("communities")
    for A, kernel in ((coin_flips(people.m, 49), "linear"), (coin_flips(people.m, 50), "rbf"), (people.A, "linear")):
        machine = SVC(kernel=kernel).fit(people.X, people.Y, sample_weight=attacks.reweighing_weights(A, people.Y))
        rows, multipliers = machine.support_, machine.dual_coef_[0]
        at_limit = np.isin(np.abs(multipliers), np.unique(attacks.reweighing_weights(A, people.Y)))
        known = np.full(len(rows), -1)
        first = np.flatnonzero(at_limit)[0]
        known[first] = A[rows[first]]
        guesses = attacks.read_multipliers(multipliers, people.Y[rows], known)
        assert ((guesses >= 0) == at_limit).all() and at_limit.sum() > 450
        assert (guesses[at_limit] == A[rows[at_limit]]).all()


@pytest.mark.parametrize("multipliers", [[1.25, 1.25, 0.75, 0.75, 0.3, 0.3, 0.3], [1.25, 1.25, 1.25, 0.75, 0.75, 0.75, 0.3, 0.3],
                                         [0.75, 0.75, 0.3, 0.3, 1.25]])
def test_multipliers_that_do_not_show_the_limits_are_refused(multipliers):
    """A third value that repeats, or one above both: no count tells limits from people with the same row of X."""
    n = len(multipliers)
    with pytest.raises(ValueError, match=r"^multipliers=.*label 1"):
        attacks.read_multipliers(multipliers, np.ones(n, int), np.ones(n, int))
    assert attacks.read_multipliers([1.25, 1.25, 0.75, 0.75, 0.3], [1] * 5, [1, -1, -1, -1, -1]).tolist() == [1, 1, 0, 0, -1]
    one_label = attacks.read_multipliers([1.25, -1.25, 0.75, 0.75, 0.3, 0.3, 0.1], [1] * 4 + [0] * 3, [1] + [-1] * 6)
    assert one_label.tolist() == [1, 1, 0, 0, -1, -1, -1]


def test_reweighing_makes_group_and_label_independent():
    rng = np.random.default_rng(51)
    for k in (2, 3):
        A, Y = rng.integers(0, k, 500), rng.integers(0, 2, 500)
        weights = attacks.reweighing_weights(A, Y)
        table = np.array([[weights[(A == a) & (Y == y)].sum() for y in (0, 1)] for a in range(k)])
        assert weights.sum() == pytest.approx(500) and np.allclose(table, np.outer(table.sum(1), table.sum(0)) / 500)
        cells = fairness.cell_counts(Y, A, Y).sum(axis=0)
        assert np.allclose(attacks.reweighing_weights(A, Y, counts=cells), weights)


def test_private_counts_do_not_make_a_machine_private_that_weighs_people_by_their_own_group():
    """The broken assumption of chapter 1: the four counts are private, the weights then look at A again; A is read as before."""
    people = load("communities")
    A = coin_flips(people.m, 52)
    noisy = np.maximum(mechanisms.geometric(fairness.cell_counts(people.Y, A, people.Y).sum(axis=0), 2, 0.1, np.random.default_rng(53)), 1)
    machine = SVC(kernel="linear").fit(people.X, people.Y, sample_weight=attacks.reweighing_weights(A, people.Y, counts=noisy))
    rows = machine.support_
    guesses = attacks.read_multipliers(machine.dual_coef_[0], people.Y[rows], known=np.where(np.arange(len(rows)) < 20, A[rows], -1))
    read = guesses >= 0
    assert read.sum() > 450 and (guesses[read] == A[rows][read]).all()


@pytest.mark.slow
def test_the_same_attack_after_randomized_response_stays_at_its_bound():
    """The machine of the first attack, trained on reports: over its support vectors right at e^eps / (e^eps + 1), no more; over all people
    (a coin for the rest) below. Twelve releases an epsilon; with A a fair coin whether a report is true does not depend on what it
    says, so people are independent. alpha 1e-10 an interval."""
    people, rng = load("communities").subset(np.arange(700)), np.random.default_rng(54)
    for epsilon in EPSILONS:
        read = right = right_of_all = 0
        for _ in range(12):
            A = rng.integers(0, 2, people.m)
            reports = mechanisms.randomized_response(A, 2, epsilon, rng)
            machine = SVC(kernel="linear").fit(np.column_stack([people.X, reports]), people.Y)
            guesses = attacks.read_support_vectors(machine.support_vectors_, people.X)
            read, right = read + (guesses >= 0).sum(), right + (guesses == A).sum()
            right_of_all += (np.where(guesses < 0, rng.integers(0, 2, people.m), guesses) == A).sum()
        bound = attacks.attribute_advantage_bound(epsilon)
        _, low, high = attacks.advantage_interval(right, int(read), alpha=ALPHA)
        assert low <= bound <= high
        assert attacks.advantage_interval(right_of_all, 12 * people.m, alpha=ALPHA)[1] < bound
        assert epsilon < 1 or attacks.advantage_interval(right_of_all, 12 * people.m, alpha=ALPHA)[2] < bound


def test_a_private_rule_guesses_the_group_of_people_it_never_saw():
    """The postcode of Communities: two counts at epsilon 0.1, of the real A on one half by a public feature, guess the other half
    better than the theorem allows against a coin (Clopper-Pearson, alpha 1e-9); what one person answers changes no chance of a guess by
    more than e^0.1."""
    people, epsilon = load("communities"), 0.1
    white = people.X[:, people.feature_names.index("racePctWhite")]
    few = (white < np.median(white)).astype(int)
    seen, unseen = np.array_split(np.random.default_rng(55).permutation(people.m), 2)
    counts = np.array([people.A[seen][few[seen] == side].sum() for side in (0, 1)])
    half = np.bincount(few[seen]) / 2
    released = mechanisms.geometric(counts, 1, epsilon, np.random.default_rng(56))
    right = int(((released > half).astype(int)[few[unseen]] == people.A[unseen]).sum())
    assert attacks.advantage_interval(right, len(unseen), alpha=1e-9)[1] > 0.2 > attacks.attribute_advantage_bound(epsilon)
    for side, answer in itertools.product((0, 1), (-1, 1)):
        here, otherwise = (mechanisms.geometric_law(1, epsilon, int(counts[side]) + change).sf(half[side]) for change in (0, answer))
        assert abs(math.log(otherwise / here)) <= epsilon + 1e-6


# ------------------------------------------------------------------------------------------ what doubles give away

def test_no_noise_leads_to_what_is_excluded_and_some_noise_to_all_else():
    """Of single numbers with their noise: where a world is excluded, none of 4,001 doubles about answer - v leads to the answer; where it
    is not, the noise that was found does. Worlds of all sizes, and the true one is never excluded."""
    rng, seen = np.random.default_rng(61), [0, 0]
    for _ in range(400):
        v, size = rng.normal() * 10.0**rng.uniform(-6, 6), 10.0**rng.uniform(-6, 6)
        answer = v + rng.normal() * size
        worlds = np.array([v, v + 1, v - 1, v * 3, 0.0, answer])
        excluded = attacks.floating_point_exclusions(worlds[:, None], [answer])
        assert not excluded[0] and not excluded[4:].any(), "noise 0 and noise answer always lead there"
        for world, impossible in zip(worlds, excluded, strict=True):
            n = np.float64(answer - world)
            near = n + np.spacing(n) * np.arange(-2000, 2001)
            assert (world + near == answer).any() != impossible
            seen[int(impossible)] += 1
    assert min(seen) > 100


def test_a_world_is_excluded_by_any_of_its_numbers_and_a_grid_excludes_none():
    rng = np.random.default_rng(62)
    v = rng.random((200, 30)) * 100
    raw, on_grid = [0, 0], 0
    for row in v:
        worlds = np.stack([row, row + rng.random(30)])
        noisy = row + rng.laplace(scale=100, size=30)
        found = attacks.floating_point_exclusions(worlds, noisy)
        alone = [attacks.floating_point_exclusions(worlds[:, [j]], noisy[[j]])[1] for j in range(30)]
        assert found.tolist() == [False, any(alone)]
        raw[int(found[1])] += 1
        on_grid += attacks.floating_point_exclusions(worlds, np.rint(noisy * 1024) / 1024, step=2**-10).any()
    assert raw[1] > 150 and on_grid == 0


def test_what_is_no_world():
    for candidates, answer, said in (([[1.0, 2.0]], [1.0], r"^candidates=\(1, 2\): has no row of 1 numbers"), ([], [1.0], "^candidates="),
                                     ([[1.0]], [], r"^answer=\(0,\): is empty"), ([[np.nan]], [1.0], "^candidates=")):
        with pytest.raises(ValueError, match=said):
            attacks.floating_point_exclusions(candidates, answer)


VALID_CALLS = {"attacks.floating_point_exclusions": lambda: dict(candidates=[[1.0, 2.0], [1.5, 2.0]], answer=[1.25, 3.0], step=0.25)}


# --- deliberate faults

def noise_of_one_sign(f):
    """Noise below 0 is forgotten."""
    def excluded(candidates, answer, step=0.0):
        return f(candidates, answer, step) | (np.asarray(candidates, float) > np.asarray(answer, float)).any(axis=1)
    return excluded


def chance_of_a_larger_loss(f):
    def exact_delta(law, law_neighbour, epsilon):
        p, q = np.asarray(law, float), np.asarray(law_neighbour, float)
        return float(max(p[p > np.exp(epsilon) * q].sum(), q[q > np.exp(epsilon) * p].sum()))
    return exact_delta


def bound_without_delta(f):
    return lambda epsilon, delta=0.0, prior=0.5: f(epsilon, 0.0, prior)


def interval_of_the_share(f):
    def advantage_interval(hits, n, prior=0.5, alpha=0.05):
        return tuple(part + max(prior, 1 - prior) for part in f(hits, n, prior, alpha))
    return advantage_interval


def without_masks(f):
    def secret_shares(values, parties, modulus, rng):
        return np.concatenate([np.zeros((parties - 1, *np.shape(values)), int), np.asarray(values)[None]])
    return secret_shares


def exchanged_where_read(f):
    def read(*args, **kw):
        guesses = f(*args, **kw)
        return np.where(guesses < 0, guesses, 1 - guesses)
    return read


def labels_not_crossed(f):
    """The group with the larger weight for label 1 is taken to have the larger one for label 0."""
    def read_multipliers(multipliers, Y, known):
        guesses = f(multipliers, Y, known)
        return np.where((np.asarray(Y) == 0) & (guesses >= 0), 1 - guesses, guesses)
    return read_multipliers


FAULTS = {
    "exclusions_of_one_sign": Mutant(
        "dpfair_teach.attacks.floating_point_exclusions", noise_of_one_sign, "only noise of at least 0 is tried: too many are excluded"),
    "advantage_bound_of_delta_alone": Mutant("dpfair_teach.attacks.attribute_advantage_bound", with_arguments(epsilon=lambda e: 1e-12),
                                             "epsilon left out"),
    "exact_delta_is_a_tail": Mutant(
        "dpfair_teach.audit.exact_delta", chance_of_a_larger_loss, "the chance of a larger loss, not its mean excess"),
    "advantage_bound_halved": Mutant("dpfair_teach.attacks.attribute_advantage_bound", scaled(0.5), "half the bound"),
    "advantage_bound_doubled": Mutant("dpfair_teach.attacks.attribute_advantage_bound", scaled(2), "the balanced form for the advantage"),
    "advantage_bound_without_delta": Mutant("dpfair_teach.attacks.attribute_advantage_bound", bound_without_delta, "delta left out"),
    "posterior_bound_at_half_epsilon": Mutant(
        "dpfair_teach.attacks.posterior_bound", lambda f: lambda epsilon, prior=0.5: f(epsilon / 2, prior), "odds move by half as much"),
    "game_with_a_fair_coin": Mutant(
        "dpfair_teach.attacks.guessing_game", lambda f: lambda *args, prior=0.5, **kw: f(*args, **kw), "the prior is forgotten"),
    "advantage_interval_of_the_share": Mutant(
        "dpfair_teach.attacks.advantage_interval", interval_of_the_share, "blind guessing not taken off"),
    "shares_without_masks": Mutant("dpfair_teach.attacks.secret_shares", without_masks, "one party gets the number, the others 0"),
    "support_vectors_read_backwards": Mutant("dpfair_teach.attacks.read_support_vectors", exchanged_where_read, "the groups exchanged"),
    "multipliers_labels_not_crossed": Mutant(
        "dpfair_teach.attacks.read_multipliers", labels_not_crossed, "the two labels not matched crosswise"),
}
