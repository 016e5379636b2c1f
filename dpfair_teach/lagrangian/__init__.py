"""Networks whose fairness has a price: F-LD, PF-LD as printed, as autograd users write it, and repaired.

``terms`` say what is to be equal, ``problem`` who learns it, ``plan`` in which steps. ``algorithm`` has F-LD and the repaired PF-LD on one
screen each, ``printed`` what is not private; ``private_steps`` is all that reads A in the repair, ``calibration`` finds its noise.

How far one person moves a step say ``sensitivity``, ``violations`` and, by trying everybody, ``group_term``; what printed steps give away
``leaks`` and ``batches``; what a clip and missing groups cost ``clipping`` and ``missing``. ``choosing`` finds a clip without A,
``reports`` say what silence does to a violation.
"""
from .algorithm import dual_step, f_ld, pf_ld, start_training
from .batches import Counts as Counts
from .batches import partition_epsilon, theorem_5, visible_batch_delta, visible_batch_epsilon
from .calibration import Noise, find_noise, training_releases
from .choosing import PublicClip as PublicClip
from .choosing import public_clip, sorted_clip
from .chunks import spool
from .clipping import BestClip as BestClip
from .clipping import best_clip, clip_error_bound, mean_length, theorem_6, theorem_7
from .directions import penalty, penalty_gradient, printed_direction
from .duality import dual_value, relaxed_problem
from .group_term import Move as Move
from .group_term import People as People
from .group_term import group_term, largest_move, worst_people
from .leaks import printed_step_epsilon, scale_leak_delta, scale_leak_epsilon, sign_flip_epsilon, size_from_noise
from .learner import FairLagrangian, PrivateFairLagrangian
from .missing import missing_sensitivity
from .plan import Plan
from .printed import clipped, pf_ld_as_printed, pf_ld_autograd, printed_sensitivity
from .private_steps import centred_prices, noisy_group_sum, noisy_sizes, noisy_violations, public_directions, public_sizes
from .problem import FairProblem, epoch_batches, poisson_sample
from .reports import reported_violations
from .sensitivity import (
    clipped_mean_sensitivity,
    fixed_sensitivity,
    floored_sensitivity,
    mean_update,
    means_sensitivity,
    sign_flip_sensitivity,
    theorem_1,
)
from .terms import FairTerms
from .violations import fixed_violation_sensitivity, theorem_2

__all__ = [
    "FairLagrangian", "PrivateFairLagrangian", "FairTerms", "FairProblem", "Plan", "Noise", "epoch_batches", "poisson_sample",
    "start_training", "dual_step", "f_ld", "pf_ld", "clipped", "printed_sensitivity", "pf_ld_as_printed", "pf_ld_autograd",
    "centred_prices", "noisy_group_sum", "noisy_violations", "noisy_sizes", "public_sizes", "public_directions",
    "find_noise", "training_releases", "spool",
    "theorem_1", "mean_update", "means_sensitivity", "sign_flip_sensitivity", "clipped_mean_sensitivity", "floored_sensitivity",
    "fixed_sensitivity", "theorem_2", "fixed_violation_sensitivity",
    "group_term", "largest_move", "worst_people",
    "printed_step_epsilon", "scale_leak_delta", "scale_leak_epsilon", "size_from_noise", "sign_flip_epsilon",
    "theorem_5", "visible_batch_delta", "visible_batch_epsilon", "partition_epsilon",
    "mean_length", "clip_error_bound", "best_clip", "theorem_6", "theorem_7", "missing_sensitivity",
    "public_clip", "sorted_clip", "reported_violations",
    "relaxed_problem", "dual_value", "penalty", "penalty_gradient", "printed_direction",
]
