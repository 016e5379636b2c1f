"""Networks whose fairness has a price: F-LD, PF-LD as printed, as autograd users write it, and repaired.

``problem`` says who learns what, ``plan`` in which steps and with which noise. ``algorithm`` has F-LD and the repaired PF-LD on one screen
each, ``printed`` what is not private, ``learner`` the estimators. ``private_steps`` is all that reads A in the repair.

``sensitivity`` says how far one person moves a step, ``leaks`` what printed steps give away, ``clipping`` what a clip costs, ``penalty``
what a price does.
"""
from .algorithm import f_ld, f_ld_signed, pf_ld, start_training
from .clipping import (
    best_clip,
    clip_error_bound,
    mean_length,
    public_clip,
    reported_violations,
    theorem_6,
    theorem_7,
)
from .leaks import (
    partition_epsilon,
    printed_step_epsilon,
    scale_leak_epsilon,
    sign_flip_epsilon,
    size_from_noise,
    visible_batch_epsilon,
)
from .learner import FairLagrangian, PrivateFairLagrangian
from .penalty import dual_function, penalty, penalty_gradient, printed_direction
from .plan import NoiseMultipliers, Plan, find_noise, training_releases
from .printed import pf_ld_as_printed, pf_ld_autograd
from .private_steps import centred_prices, noisy_group_sum, noisy_violations, public_sizes
from .problem import FairProblem, FairTerms, epoch_batches
from .sensitivity import (
    clipped_mean_sensitivity,
    fixed_sensitivity,
    fixed_violation_sensitivity,
    group_term,
    largest_move,
    mean_update,
    means_sensitivity,
    missing_sensitivity,
    theorem_1,
    theorem_2,
    worst_people,
)

__all__ = [
    "FairLagrangian", "PrivateFairLagrangian", "FairTerms", "FairProblem", "Plan", "NoiseMultipliers", "epoch_batches",
    "start_training", "f_ld", "f_ld_signed", "pf_ld", "pf_ld_as_printed", "pf_ld_autograd",
    "centred_prices", "noisy_group_sum", "noisy_violations", "public_sizes",
    "find_noise", "training_releases",
    "theorem_1", "mean_update", "means_sensitivity", "clipped_mean_sensitivity",
    "fixed_sensitivity", "theorem_2", "fixed_violation_sensitivity", "missing_sensitivity", "group_term", "largest_move", "worst_people",
    "printed_step_epsilon", "scale_leak_epsilon", "size_from_noise", "sign_flip_epsilon",
    "visible_batch_epsilon", "partition_epsilon",
    "mean_length", "clip_error_bound", "best_clip", "theorem_6", "theorem_7", "public_clip", "reported_violations",
    "dual_function", "penalty", "penalty_gradient", "printed_direction",
]
