"""What noise in doubles gives away beside its law, counted, and the deltas that are refused or set apart for it."""
from __future__ import annotations

import itertools
import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import ndtr

from dpfair_teach import accounting
from dpfair_teach.games import FairnessGame, dp_oracle_learner, largest_step, regression_dp_oracle_learner
from dpfair_teach.games import regression_private as door
from dpfair_teach.games.budget import STEPS, choice_delta, gaussian_cost, laplace_delta, losses_off
from dpfair_teach.oracles import RegressionOracle
from dpfair_teach.oracles.private import charged
from faults import Mutant, calling, scaled, with_arguments
from plays import frozen, promised

UNIT = 2.0**-53


def without_the_vector(f):
    return lambda oracle, k, first, T, learner, auditor: f(oracle, k, first, T, 0.0, auditor)


def laplace_of(units, factor=lambda epsilon: 1 + math.exp(epsilon)):
    """The cost of Laplace noise from other numbers of chances."""
    return lambda f: lambda scale, epsilon, rounding=0.0: factor(epsilon) * units(scale, rounding) * UNIT


def gaussian_less(of_epsilon, of_delta=lambda scale, mu: 0.0):
    """The cost of Gaussian noise less a term of epsilon and one of delta."""
    def make(f):
        def gaussian_cost(scale, mu, rounding=0.0):
            epsilon, delta = f(scale, mu, rounding)
            return epsilon - of_epsilon(scale, rounding) * UNIT, delta - of_delta(scale, mu)
        return gaussian_cost
    return make


def of_a_play_with(**others):
    """What a play gives away, if some of its numbers were others."""
    names = ("n_groups", "m", "n_classifiers", "parity", "protect", "selections", "gradients")
    return lambda f: lambda setting, *rest: f(SimpleNamespace(**{name: getattr(setting, name) for name in names} | others), *rest)


def without_the_counts(f):
    """What the loop gives away, less the auditor's part."""
    def in_doubles(oracle, k, first, T, learner, auditor):
        numbers, (epsilon, delta) = 1 if k == 2 else 2, f(oracle, k, first, T, learner, auditor)
        less = gaussian_cost(STEPS, auditor / math.sqrt(numbers))
        return epsilon - (T - 1) * numbers * less[0], delta - (T - 1) * numbers * less[1]
    return in_doubles


DOUBLES = "dpfair_teach.games.budget."
#: Each term of the bounds dropped, one at a time.
TERMS = {
    "laplace_own_chances_alone": Mutant(DOUBLES + "laplace_delta", laplace_of(
        lambda s, r: 60 * (s + 1) + r, lambda epsilon: 1.0), "the neighbour's chances are exact"),
    "laplace_neighbours_chances_alone": Mutant(DOUBLES + "laplace_delta", laplace_of(
        lambda s, r: 60 * (s + 1) + r, math.exp), "the number's own chances are exact"),
    "laplace_without_its_steps": Mutant(DOUBLES + "laplace_delta", laplace_of(lambda s, r: 60 + r), "no chance for each step of the scale"),
    "laplace_without_one_step_more": Mutant(DOUBLES + "laplace_delta", laplace_of(lambda s, r: 60 * s + r), "no step beyond the scale"),
    "laplace_of_exact_numbers": Mutant(DOUBLES + "laplace_delta", laplace_of(lambda s, r: 60 * (s + 1)), "numbers are exact before noise"),
    "choice_without_its_classifiers": Mutant(DOUBLES + "choice_delta", lambda f: lambda n, *rest: f(0, *rest), "no chance a classifier"),
    "choice_without_its_sums": Mutant(DOUBLES + "choice_delta", lambda f: lambda n, *rest: f(n - 150, *rest), "scores are added exactly"),
    "choice_of_exact_losses": Mutant(DOUBLES + "choice_delta", lambda f: lambda n, e, r=0.0: f(n, e), "losses are exact"),
    "losses_without_their_rates": Mutant(DOUBLES + "losses_off", lambda f: lambda rates, *rest: f(0, *rest), "no rounding a rate"),
    "losses_without_their_errors": Mutant(DOUBLES + "losses_off", lambda f: lambda rates, *rest: f(rates - 6, *rest), "errors are exact"),
    "play_without_its_sizes": Mutant("dpfair_teach.games.setting._in_doubles", with_arguments(first=lambda _: 0.0),
                                     "sizes give nothing away"),
    "play_without_its_numbers": Mutant("dpfair_teach.games.setting._in_doubles", of_a_play_with(gradients=0), "measured numbers are free"),
    "play_without_its_choices": Mutant("dpfair_teach.games.setting._in_doubles", of_a_play_with(selections=0), "choices are free"),
    "loop_without_its_sizes": Mutant("dpfair_teach.games.regression_private._in_doubles", calling(
        "laplace_delta", scaled(0.0)), "sizes give nothing away"),
    "loop_without_its_counts": Mutant("dpfair_teach.games.regression_private._in_doubles", without_the_counts, "counts are free"),
    "gaussian_without_its_layers": Mutant(DOUBLES + "gaussian_cost", gaussian_less(lambda s, r: 51 * (s + 1)), "layers are exact"),
    "gaussian_without_its_tables": Mutant(DOUBLES + "gaussian_cost", gaussian_less(lambda s, r: 2**9), "tables and wedges are exact"),
    "gaussian_of_exact_numbers": Mutant(DOUBLES + "gaussian_cost", gaussian_less(lambda s, r: 26 * r), "numbers are exact before noise"),
    "gaussian_steps_never_widen": Mutant(DOUBLES + "gaussian_cost", gaussian_less(
        lambda s, r: 0.0, lambda s, mu: 0.0004 * s * (1 + math.exp(3.66 * mu)) * UNIT), "steps are as fine in the tail"),
}
FAULTS = TERMS | {
    "holes_alone": Mutant(DOUBLES + "laplace_delta", lambda f: lambda scale, epsilon, rounding=0.0: scale * 2.0**-52,
                          "only numbers that a neighbour never says are counted, not chances that are a little too large"),
    "choices_are_exact": Mutant("dpfair_teach.games.budget.choice_delta", scaled(0.0), "choices in doubles give nothing away"),
    "gaussians_are_exact": Mutant("dpfair_teach.games.budget.gaussian_cost", lambda f: lambda *args: (0.0, 0.0),
                                  "Gaussian noise in doubles gives nothing away"),
    "gaussians_have_no_tail": Mutant("dpfair_teach.games.budget.gaussian_cost", lambda f: lambda *args: (f(*args)[0], 0.0),
                                     "beyond the layers the steps of Gaussian noise widen, and nothing is set apart for it"),
    "losses_are_exact": Mutant("dpfair_teach.games.budget.losses_off", scaled(0.0),
                               "losses are taken for exact, however many people they are summed over"),
    "the_steps_get_all_of_delta": Mutant("dpfair_teach.games.setting._step", calling("_in_doubles", lambda f: lambda *args: 0.0),
                                         "the accountant of a play is handed the whole delta"),
    "the_gaussians_get_all_of_delta": Mutant("dpfair_teach.games.regression_private._in_doubles",
                                             lambda f: lambda *args: (0.0, 0.0),
                                             "the accountant of the loop is handed all of epsilon and delta"),
    "two_halves_for_who_stays": Mutant("dpfair_teach.games.setting._in_doubles", of_a_play_with(protect="A"),
                                        "with X private too, one rate moved by all of the step is taken for two moved by half"),
    "the_vector_is_not_counted": Mutant("dpfair_teach.games.regression_private._in_doubles", without_the_vector,
                                        "the entries of the learner's vector are not moved"),
}


# --- what the generator does

def raws(seed, n):
    """One 64-bit number and what numpy makes of it, n times, by each law."""
    for _ in range(n):
        bits = np.random.PCG64(seed)
        bits.advance(int(np.random.default_rng(seed).integers(2**60)))
        state = bits.state
        raw = int(bits.random_raw())
        said = []
        for law in ("laplace", "gumbel", "standard_normal"):
            bits.state = state
            said.append(getattr(np.random.Generator(bits), law)())
        yield raw, *said
        seed += 1


#: Marsaglia and Tsang's layers: how far each reaches, and where the one above it ends.
R = 3.6541528853610088


def layers():
    f = lambda x: math.exp(-x * x / 2)
    area = R * f(R) + math.sqrt(math.pi / 2) * math.erfc(R / math.sqrt(2))
    edge = [area / f(R), R]
    while len(edge) < 256:
        edge.append(math.sqrt(-2 * math.log(area / edge[-1] + f(edge[-1]))))
    return np.array(edge), np.append(edge[1:], 0.0)


def test_numpy_draws_as_the_proofs_say():
    """Laplace and Gumbel noise by logarithms of one multiple of 2^-53, Gaussian noise by layer, side and one of 2^52 numbers."""
    edge, inner = layers()
    number = np.array([0, *range(255, 0, -1)])          # numpy counts the layers from within, the lowest is 0
    by_number = {int(i): (e, n) for i, e, n in zip(number, edge, inner, strict=True)}
    quick = 0
    for raw, laplace, gumbel, normal in raws(11, 400):
        u = (raw >> 11) * UNIT
        assert laplace == pytest.approx(-math.log((2.0 - u) - u) if u >= 0.5 else math.log(2 * u), rel=5e-16)
        assert gumbel == pytest.approx(-math.log(-math.log(1 - u)), rel=1e-13, abs=1e-15)
        reach, inn = by_number[raw & 255]
        side, j = (raw >> 8) & 1, (raw >> 9) & (2**52 - 1)
        if j * 2.0**-52 * reach < inn * (1 - 1e-12):
            quick += 1
            assert normal == pytest.approx((-1) ** side * j * 2.0**-52 * reach, rel=2.0**-45)
    assert quick > 380


# --- Laplace: every chance, counted

def laplace_chances(scale, value, reach):
    """In 2^-53, the chance of each z of -reach..reach to be the nearest whole number to value + noise: exact, by bisection."""
    z = np.arange(-reach, reach + 2.0)

    def at_least(sign):
        """How many of the 2^52 numbers on one side lead beyond each z."""
        low, high = np.zeros(len(z)), np.full(len(z), 2.0**52 + 1)
        for _ in range(54):
            middle = np.maximum(np.floor((low + high) / 2), 1.0)
            u = 1 - middle * UNIT if sign > 0 else middle * UNIT
            beyond = sign * np.rint(value + sign * (-np.log((2 - u) - u if sign > 0 else u + u) * scale)) >= z
            open_ = high - low > 1
            low, high = np.where(beyond & open_, middle, low), np.where(~beyond & open_, middle, high)
        return low
    up, down = at_least(1), np.minimum(at_least(-1), 2.0**52 - 1)           # 0 itself comes from above alone
    return (up[:-1] - up[1:]) + (down[:-1] - down[1:])[::-1]


@pytest.mark.parametrize(("scale", "moved"), [(1.7, 1), (37.0, 1), (37.0, 111), (511.3, 1), (511.3, 1022), (0.2, 1)])
def test_what_laplace_noise_in_doubles_gives_away_is_counted(scale, moved):
    """A whole number and one ``moved`` further: the sum of what P has more than exp(epsilon) Q, exact, is below the bound, and no tenth."""
    reach, epsilon = math.ceil(37 * scale) + moved + 1, moved / scale
    P, Q = (laplace_chances(scale, value, reach) for value in (0.0, float(moved)))
    assert P.sum() == Q.sum() == 2**53 - 1
    factor = Fraction(math.exp(epsilon))
    lost = float(sum(max(Fraction(0), Fraction(int(p)) - factor * int(q)) for p, q in zip(P, Q, strict=True))) * UNIT
    bound = laplace_delta(scale, epsilon)
    assert bound / (15 if scale > 30 else 100) < lost <= bound
    if moved == 1 and scale > 30:
        assert lost > 5 * scale * 2.0**-52      # the holes alone, which an earlier bound counted, are a fifth of it


def test_an_epsilon_step_above_nine_leaves_no_delta_of_use():
    assert laplace_delta(STEPS, 8) < 1e-7 < laplace_delta(STEPS, 10)


# --- Gaussian: layer by layer, and the tail

def gaussian_errors(scale, value, reach):
    """In chances of 2^-53, by how much each z of -reach..reach is too likely as the nearest whole number to value + noise: the layers."""
    bounds, found = np.arange(-reach, reach + 2.0) - 0.5, np.zeros(2 * reach + 1)
    for edge, inn in zip(*layers(), strict=True):
        step, most = edge * 2.0**-52, math.floor(inn / edge * 2.0**52)

        def below(x, step=step, most=most):
            j = np.clip(np.ceil(x / (step * scale)), 0, most)
            for _ in range(3):
                j = np.where((j > 0) & ((j - 1) * step * scale >= x), j - 1, j)
                j = np.where((j < most) & (j * step * scale < x), j + 1, j)
            return j
        for sign in (1, -1):
            ends = sign * (bounds - value)
            found += sign * (np.diff(below(ends)) - np.diff(np.clip(ends / (edge * scale), 0, inn / edge) * 2.0**52))
    return found / 256


@pytest.mark.parametrize("scale", [20.3, 256.9])
def test_gaussian_chances_are_right_to_a_share_of_themselves(scale):
    """Every whole number within 3.654 sigma: the share by which its chance is off, for a value and its neighbour, is what is set apart."""
    reach, worst = int(R * scale) - 1, 0.0
    z = np.arange(-reach, reach + 1)
    for value in (0.0, 0.3):
        chance = (ndtr((z + 0.5 - value) / scale) - ndtr((z - 0.5 - value) / scale)) / UNIT
        worst = max(worst, (np.abs(gaussian_errors(scale, value, reach)) / chance).max() / UNIT)
    assert 2.0 * scale < worst < 25 * scale
    assert 2 * worst * UNIT <= gaussian_cost(scale, 0.1)[0]
    # Of either: 25.5 for each step and one more, tables and wedges right to 2^-45, and r sigma of density out to 13.
    for r in (0.0, 7.0, 1e6):
        assert gaussian_cost(scale, 0.1, r)[0] == pytest.approx(2 * (25.5 * (scale + 1) + 2**8 + 13 * r) * UNIT, rel=1e-12, abs=0)


@pytest.mark.parametrize("mu", [0.05, 2.0, 5.0])
def test_the_tail_of_gaussian_noise_is_set_apart(mu, scale=64.0):
    """Beyond the layers, each of 2^53 numbers leads to one outcome: counted. What they lack, weighted by the neighbour's law. (Beyond 8 the
    noise is drawn on, and less is lacking; counted as if it were not, but where it would end.)"""
    z = np.arange(math.ceil(R * scale), math.ceil(12 * scale))
    ends = (np.append(z - 0.5, z[-1] + 0.5) / scale - R).clip(min=0.0)
    left = np.floor(2.0**53 * np.exp(-R * ends))                # how many numbers lead so far
    mass = math.erfc(R / math.sqrt(2)) / 2 / (math.exp(-R * R / 2) / math.sqrt(2 * math.pi) / R)
    kept = np.exp(-((z / scale - R).clip(min=0.0) ** 2) / 2)
    drawn = np.where(kept > UNIT, (left[:-1] - left[1:]) * kept, 0.0) * UNIT
    exact = (np.exp(-R * ends[:-1]) - np.exp(-R * ends[1:])) * kept
    total = math.erfc(R / math.sqrt(2)) / 2 / exact.sum()
    share = np.maximum(1 - drawn / exact, 0.0)
    theirs = ndtr((z + 0.5) / scale - mu) - ndtr((z - 0.5) / scale - mu)
    lost = (theirs * np.where(share > 25 * scale * UNIT, share, 0.0)).sum()
    assert total > 0 and mass > 0 and 0 < lost <= gaussian_cost(scale, mu)[1]
    assert gaussian_cost(scale, mu)[1] == pytest.approx(0.0004 * scale * (1 + math.exp(3.66 * mu)) * UNIT, rel=1e-9, abs=0)


# --- choices

@pytest.mark.parametrize("losses", [(0.0, 0.0), (0.0, 1.0), (0.0, 0.3, 2.0), (0.0, 0.0, 0.0)])
def test_a_choice_is_off_by_one_chance_for_each_classifier(losses, bits=7):
    """Uniform numbers of 7 bits instead of 53: all of them, tried. The mass in the wrong place is at most 2^-7 for each, twice."""
    u = np.arange(1, 2**bits) * 2.0**-bits
    scores = np.meshgrid(*[-loss - np.log(-np.log(u)) for loss in losses], indexing="ij")
    chosen = np.bincount(np.argmax(scores, axis=0).ravel(), minlength=len(losses)) / u.size**len(losses)
    law = np.exp(-np.array(losses)) / np.exp(-np.array(losses)).sum()
    off = np.abs(chosen - law).sum() / 2
    assert off <= 2 * len(losses) * 2.0**-bits and choice_delta(len(losses), 0.0) >= 2 * 2 * len(losses) * UNIT


@pytest.mark.parametrize(("k", "m"), [(2, 10**8), (3, 10**6 + 1)])
def test_losses_are_right_to_what_is_set_apart_for_them(k, m):
    """Losses over many people, against fractions: they are off by no more chances than that, and by more than none."""
    rng, step = np.random.default_rng(0), 0.37
    n = rng.multinomial(m, np.full(2 * k, 0.5 / k)).reshape(k, 2)
    n_pos = rng.integers(0, n + 1, (30, k, 2))
    game = FairnessGame.from_counts(n_pos, n, 0.1, empty="zero")
    worst = 0.0
    some = n + rng.integers(-9, 9, n.shape)
    for player, sizes in ((frozen(game, step, some), some), (promised(game, step, float(n.min())), None)):
        for _ in range(5):
            w = 5 * rng.normal(size=2 * (k - 1))
            loss, scale = player.heard(w)
            price = game.parity.prices_of_rates(charged(w), k)
            table = n_pos
            if sizes is not None:
                price = price / sizes
                exact = [[Fraction(int(c)) * Fraction(float(p)) for c, p in zip(one.ravel(), price.ravel(), strict=True)] for one in table]
            else:
                exact = [[Fraction(int(c), int(people)) * Fraction(float(p)) for c, people, p in
                          zip(one.ravel(), n.ravel(), price.ravel(), strict=True)] for one in table]
            errors = game.errors - game.errors.min()
            off = [abs(Fraction(float(said)) - Fraction(float(error)) - sum(parts)) / Fraction(float(scale))
                   for said, error, parts in zip(loss, errors, exact, strict=True)]
            worst = max(worst, float(max(off)) / UNIT)
    assert 1e-4 * m * step < worst <= losses_off(2 * k, m, step)


# --- what is refused, and what the accountant is handed

def game(k=2, m=40):
    A, Y = np.arange(m) % k, np.arange(m) // k % 2
    return FairnessGame(np.random.default_rng(0).integers(0, 2, (4, m)), A, Y, 0.1, n_groups=k, empty="zero")


def by_hand(k, how, first, step, T, H=4, m=40):
    """The formulas once more: of frozen sizes and counts one person moves one of two groups' and two of more."""
    numbers = 1 if k == 2 else 2
    off = 0.0 if how["cell_sizes"] == "noisy" else m * step
    measured = numbers * (1 + math.exp(step / numbers)) * (60 * 2049 + off)
    chosen = (1 + math.exp(step)) * (2 * H + 300 + (2 * k + 6) * m * step)
    each = numbers if how["cell_sizes"] == "noisy" else 1
    sizes = each * (1 + math.exp(first / each)) * 60 * (each / first + 1) if first else 0.0
    return (sizes + (T - 1) * (measured + chosen)) * UNIT


REPAIRS_TRIED = [(dict(cell_sizes="noisy"), 0.1, 1.0), (dict(cell_sizes="noisy_lower_bound"), 0.1, 0.5),
                 (dict(cell_sizes="public_lower_bound", smallest_cell=1), 0.0, 1.0)]


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(("how", "share", "part"), REPAIRS_TRIED)
def test_a_delta_that_doubles_do_not_keep_is_refused(k, how, share, part):
    """The least delta by hand, from what each repair draws; a little below it is refused, a little above it plays."""
    for epsilon, T in ((1e-4, 2), (1.0, 30)):
        least, step = 1e-9, None
        for _ in range(4):
            step = largest_step((1 - share) * epsilon, part * least, T - 1, T - 1)
            least = by_hand(k, how, share * epsilon, step, T) / part

        def play(delta, epsilon=epsilon, T=T):
            return dp_oracle_learner(game(k), epsilon, delta, 2.0, np.random.default_rng(0), rounds=T, **how)
        play(least * 1.001)
        with pytest.raises(ValueError, match=r"^delta=.*: not above .*, what noise in doubles gives away here"):
            play(least * 0.999)
    dp_oracle_learner(game(k), 1.0, 1e-200, 2.0, np.random.default_rng(0), rounds=1)        # nothing private is drawn


def test_a_play_that_doubles_break_is_refused():
    """1e8 people, one rate: the size alone, its part of epsilon 1.008e-6, gives away 3e-9 at least; delta was to be 2.3e-10."""
    n_pos, n = np.array([[[3e7, 0], [2e7, 0]], [[0, 0], [0, 0]]]), np.full((2, 2), 2.5e7)
    n_pos = np.minimum(n_pos, n)
    one = FairnessGame.from_counts(n_pos, n, 0.1, constraints=("FP",), empty="zero")
    with pytest.raises(ValueError, match=r"^delta=2\.3e-10: not above"):
        dp_oracle_learner(one, 1.12e-6, 2.3e-10, 2.0, np.random.default_rng(0), budget_fraction=0.9, rounds=2)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(("how", "share", "part"), REPAIRS_TRIED)
def test_the_accountant_of_a_play_is_handed_what_doubles_leave(k, how, share, part):
    """At a delta three times the least: the steps are the largest for what is left, and not for all of it."""
    epsilon, T, delta = 1.0, 5, 0.0
    step = largest_step((1 - share) * epsilon, 1e-9, T - 1, T - 1)
    delta = 3 * by_hand(k, how, share * epsilon, step, T) / part
    at_most = largest_step((1 - share) * epsilon, part * delta, T - 1, T - 1)
    left = part * delta - by_hand(k, how, share * epsilon, at_most, T)
    play = dp_oracle_learner(game(k), epsilon, delta, 2.0, np.random.default_rng(0), rounds=T, **how)
    assert play.epsilon_step == pytest.approx(largest_step((1 - share) * epsilon, left, T - 1, T - 1), rel=1e-9)
    assert play.epsilon_step < at_most * (1 - 1e-3)
    rounds = [r for r in play.releases_ if r.times > 1]
    assert accounting.compose(rounds, left, "rdp") <= (1 - share) * epsilon * (1 + 1e-9) < accounting.compose(rounds, left * 0.9, "rdp")


@pytest.mark.parametrize("how", [dict(cell_sizes="public_lower_bound", smallest_cell=1),
                                 dict(cell_sizes="noisy_lower_bound", budget_fraction=0.01)])
def test_who_stays_in_a_cell_of_one_moves_one_rate_by_all_of_the_step(how):
    """Three groups, X private: that person's rate goes from 0 to 1, which is 1/N and not 1/(N + 1), in doubles a factor of exp(step)."""
    A, Y = np.array([0, 1, 1, 2, 2, 0]), np.array([0, 0, 0, 0, 0, 1])
    rates = [FairnessGame([[says, 0, 1, 0, 1, 0]], A, Y, 0.1, n_groups=3, constraints=("FP",), empty="zero").table.compared[0, :, 0]
             for says in (0, 1)]
    assert np.abs(rates[1] - rates[0]).tolist() == [1, 0, 0]                    # at N = 1: all of 2/(N + 1)
    step = 8.5
    assert laplace_delta(STEPS, step) > 20 * 2 * laplace_delta(STEPS, step / 2)

    def play(delta):
        return dp_oracle_learner(game(3), 27.0, delta, 2.0, np.random.default_rng(0), rounds=2, protect="X and A", **how)
    assert play(1e-6).epsilon_step > step
    with pytest.raises(ValueError, match=r"^delta=5e-08: not above"):           # halves alone and the choices: less than 3e-8
        play(5e-8)


@pytest.mark.parametrize("k", [2, 3])
def test_a_delta_that_doubles_do_not_keep_is_refused_by_the_loop(k):
    rng = np.random.default_rng(0)
    X, A, Y = rng.normal(size=(60, 2)), rng.integers(0, k, 60), np.arange(60) % 2
    numbers, first = (1, 2)[k > 2], 0.05 * 1e-3
    least = numbers * (1 + math.exp(first / numbers)) * 60 * (numbers / first + 1) * UNIT
    for delta, fine in ((least * 1.001, True), (least * 0.999, False), (1e-90, False)):
        def play(delta=delta, rounds=5):
            return regression_dp_oracle_learner(RegressionOracle(X, Y), A, 0.1, 1e-3, delta, np.random.default_rng(0), n_groups=k,
                                                rounds=rounds)
        if fine:
            assert math.isfinite(play().rules.sum())
        else:
            with pytest.raises(ValueError, match=r"^delta=.*what noise in doubles gives away"):
                play()
            play(rounds=1)


@pytest.mark.parametrize(("k", "epsilon", "delta", "T"), [(2, 1.0, 1e-7, 5), (3, 1.0, 1e-7, 5), (2, 1e-4, 4e-9, 2), (2, 40.0, 1e-9, 2)])
def test_the_accountant_of_the_loop_is_handed_what_doubles_leave(k, epsilon, delta, T):
    """All that was released, added up exactly at what doubles leave of delta, spends no more than what they leave of epsilon."""
    rng = np.random.default_rng(0)
    X, A, Y = rng.normal(size=(60, 2)), rng.integers(0, k, 60), np.arange(60) % 2
    play = regression_dp_oracle_learner(RegressionOracle(X, Y), A, 0.1, epsilon, delta, np.random.default_rng(0), n_groups=k, rounds=T)
    sizes, learner, auditor = play.releases_
    moved = [door.gaussian_cost(2048, r.sensitivity / r.scale / math.sqrt(j), 2 * k * 60 * r.sensitivity / r.scale * sums)
             for r, j, sums in ((learner, 1, 1), (learner, 2, 1), (learner, 3, 1), (auditor, 1, 0), (auditor, 1, 0))[:5 if k > 2 else 4]]
    more, less = ((T - 1) * sum(costs) for costs in zip(*moved, strict=True))
    numbers, first = (1, 2)[k > 2], sizes.sensitivity / sizes.scale
    less += numbers * laplace_delta(numbers / first, first / numbers)
    assert 0 < more < 1e-3 * epsilon and 0 < less < delta
    of_vector, of_counts = (r.sensitivity / r.scale for r in (learner, auditor))
    moved = [gaussian_cost(STEPS, of_vector / math.sqrt(j), 2 * k * 60 * of_vector) for j in (1, 2, 3)]     # X has two columns
    moved += numbers * [gaussian_cost(STEPS, of_counts / math.sqrt(numbers))]
    hand = [(T - 1) * sum(costs) for costs in zip(*moved, strict=True)] + np.array([0, numbers * laplace_delta(
        numbers / first, first / numbers)])
    found = door._in_doubles(RegressionOracle(X, Y), k, first, T, of_vector, of_counts)
    assert found == pytest.approx(tuple(hand), rel=1e-12, abs=0)
    mu = math.sqrt((T - 1) * (of_vector**2 + of_counts**2))
    assert together(first, numbers, mu, epsilon - more) <= delta - less
    assert together(first, numbers, mu * 1.2, epsilon) > delta


def together(first, numbers, mu, epsilon, points=4001):
    """delta of one or two Laplace numbers, each moved by its part of ``first``, and a Gaussian, at epsilon: never less than the truth."""
    part = first / numbers
    x = np.linspace(0.0, 1.0, points)           # between the two values the loss falls from part to -part
    losses = np.concatenate([[part], part * (1 - 2 * x[:-1]), [-part]])
    chances = np.concatenate([[0.5], 0.5 * -np.diff(np.exp(-part * x)), [0.5 * math.exp(-part)]])
    total = 0.0
    for both in itertools.product(*[range(0, len(losses), 1)] * numbers) if numbers == 1 else ():
        t = epsilon - losses[both[0]]
        total += chances[both[0]] * (ndtr(mu / 2 - t / mu) - math.exp(min(t, 700.0)) * ndtr(-mu / 2 - t / mu))
    if numbers == 2:
        grid = losses[:, None] + losses
        t = epsilon - grid[::16, ::16]
        weight = np.add.reduceat(np.add.reduceat(np.outer(chances, chances), np.arange(0, len(losses), 16), 0),
                                 np.arange(0, len(losses), 16), 1)
        total = (weight * (ndtr(mu / 2 - t / mu) - np.exp(t) * ndtr(-mu / 2 - t / mu))).sum()
    return total
