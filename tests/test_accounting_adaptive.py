"""Steps chosen after the answers before them: every such procedure over a family of steps, by its exact law."""
from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dpfair_teach import audit
from dpfair_teach.accounting import UNIT_A, Release, compose
from dpfair_teach.mechanisms import randomized_response_matrix
from faults import Mutant


def leaky(epsilon, delta):
    """Randomized response that with probability delta tells the truth in words of its own."""
    stay, lie = randomized_response_matrix(2, epsilon)[0] * (1 - delta)
    return np.array([delta, stay, lie, 0.0]), np.array([0.0, lie, stay, delta])


def family(epsilon, delta, rng):
    """Pairs of laws that are (epsilon, delta)-private, in both orders: the leaky one, those that leak one way, and random ones."""
    high = math.exp(epsilon)
    one_way = np.array([delta, 1 - delta]), np.array([0.0, 1.0])
    pairs = [leaky(epsilon, delta), one_way]
    while len(pairs) < 5:
        p, q = rng.dirichlet(np.full(3, 3.0), size=2)
        q = p + (q - p) * np.linspace(1, 0, 101)[:, None]                 # from q to p: the furthest that is private enough
        q = next(law for law in q if audit.exact_delta(p, law, epsilon) <= delta)
        pairs.append((p, q))
    pairs += [pair[::-1] for pair in pairs]
    for p, q in pairs:
        assert max((p - high * q).clip(0).sum(), (q - high * p).clip(0).sum()) <= delta + 1e-12
    return pairs


def adaptive(families, epsilon, p=1.0, q=1.0):
    """The largest delta at epsilon of all procedures that choose step t from ``families[t]`` after the answers before it."""
    if not families:
        return max(0.0, p - math.exp(epsilon) * q)
    return max(sum(adaptive(families[1:], epsilon, p * here, q * there) for here, there in zip(*pair, strict=True)) for pair in families[0])


def planned(families, epsilon):
    """The same of all that fix their steps beforehand."""
    return max(sum(max(0.0, np.prod(p) - math.exp(epsilon) * np.prod(q))
                   for p, q in zip(itertools.product(*[pair[0] for pair in steps]), itertools.product(*[pair[1] for pair in steps]),
                                   strict=True)) for steps in itertools.product(*families))


@pytest.mark.parametrize("steps", [((0.5, 0.02), (0.3, 0.05)), ((0.2, 0.0), (0.7, 0.03)), ((0.4, 0.01), (0.4, 0.01), (0.1, 0.02))])
def test_no_steps_however_chosen_exceed_the_sums_and_some_come_near(steps):
    """Theorem 1.4, deltas and adaptivity: the sums bound the exact law of every procedure, and less than them does not."""
    rng = np.random.default_rng(14)
    families = [family(epsilon, delta, rng)[: 10 if len(steps) == 2 else 7] for epsilon, delta in steps]
    records = [Release("randomized response", UNIT_A, epsilon=epsilon, delta=delta) for epsilon, delta in steps]
    total = sum(delta for _, delta in steps)
    epsilon = compose(records, delta=total)
    worst = adaptive(families, epsilon)
    assert 0.95 * total < worst <= total + 1e-12          # the sum of deltas is needed, but for two leaks at once
    assert adaptive(families, 0.9 * epsilon) > total      # and so is the sum of epsilons
    for too_little in (0.0, 0.9 * total):                 # which is less than the worst procedure's delta
        with pytest.raises(ValueError, match="delta"):
            compose(records, delta=too_little)


def test_who_looks_before_asking_finds_out_more_than_any_plan():
    """Adaptive procedures are more than plans: of the same steps, with losses t and t - 1, some reach a larger delta."""
    lows = [(1 - math.exp(-t)) / (1 - math.exp(-1)) for t in np.linspace(0.1, 0.9, 9)]
    pairs = [(np.array([1 - low * math.exp(t - 1), low * math.exp(t - 1)]), np.array([1 - low, low]))
             for low, t in zip(lows, np.linspace(0.1, 0.9, 9), strict=True)]
    gains = [adaptive([pairs, pairs], e) - planned([pairs, pairs], e) for e in (0.1, 0.3, 0.5, 0.8)]
    assert min(gains) >= -1e-12 and max(gains) > 1e-3


def test_losses_of_steps_add_up_and_delta_is_an_expectation_over_their_sum():
    """Random adaptive procedures of two or three steps, with answers that one side never gives, against every event of answers."""
    rng = np.random.default_rng(16)
    for trial in range(60):
        k, answers = (2, 3) if trial % 2 else (3, 2)
        P, Q, loss = np.ones(1), np.ones(1), np.zeros(1)
        for _ in range(k):
            laws = rng.dirichlet(np.ones(answers), size=(len(P), 2))                  # a law of its own after every past
            if trial % 3 == 0:                                                        # an answer that D' never gives
                laws[:, 1, 0] = 0
                laws[:, 1] /= laws[:, 1].sum(axis=1, keepdims=True)
            with np.errstate(divide="ignore"):
                step = np.log(laws[:, 0]) - np.log(laws[:, 1])
            P, Q, loss = (P[:, None] * laws[:, 0]).ravel(), (Q[:, None] * laws[:, 1]).ravel(), (loss[:, None] + step).ravel()
        seen = Q > 0
        assert loss[seen] == pytest.approx(np.log(P[seen] / Q[seen]))                 # part 3
        events = [np.array(event, bool) for event in itertools.product((0, 1), repeat=len(P))]
        for epsilon in (0.0, 0.4, 1.5):
            here = float(P @ np.maximum(0, -np.expm1(np.minimum(epsilon - loss, 0))))
            there = float(Q[seen] @ np.maximum(0, -np.expm1(epsilon + loss[seen])))
            assert here == pytest.approx(max(P[e].sum() - math.exp(epsilon) * Q[e].sum() for e in events), abs=1e-12)     # part 1
            assert here <= P[loss > epsilon].sum() + 1e-12                            # part 2
            assert audit.exact_delta(P, Q, epsilon) == pytest.approx(max(here, there), abs=1e-12)


# --- deliberate faults

def largest_epsilon_only(f):
    return lambda releases, delta=0.0, method="basic": max(r.epsilon for r in ([releases] if hasattr(releases, "epsilon") else releases))


def never_refuses_a_delta(f):
    return lambda releases, delta=0.0, method="basic": f(releases, 0.999999, method)


FAULTS = {
    "compose_takes_the_largest": Mutant("dpfair_teach.accounting.compose", largest_epsilon_only, "the largest epsilon, not the sum"),
    "compose_never_refuses_a_delta": Mutant("dpfair_teach.accounting.compose", never_refuses_a_delta, "deltas cost nothing"),
}
