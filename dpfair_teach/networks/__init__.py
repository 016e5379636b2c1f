"""A ReLU network in numpy that can say what each person's gradient is, how long it is, and what all sum to once each is clipped.

``network`` goes forward and remembers what each layer read; ``gradients`` goes back; ``losses`` says what a logit costs, and how fast
that changes; ``optimizers`` makes a step of a gradient. All of them read their arguments once and hand them to ``cores``, where the
arithmetic is. Nothing here reads a group but ``clipped_group_sums``, and nothing is private: noise is added to what these return.
"""
from .gradients import clipped_group_sums, clipped_sum, gradient, gradient_norms, per_example_gradients
from .losses import log_loss, log_loss_slopes, score_slopes, soft_error, soft_error_slopes
from .network import Network
from .network import Pass as Pass
from .optimizers import SGD, Adam
from .optimizers import Optimizer as Optimizer

__all__ = ["Network", "gradient", "gradient_norms", "clipped_sum", "clipped_group_sums", "per_example_gradients", "log_loss",
           "log_loss_slopes", "score_slopes", "soft_error", "soft_error_slopes", "SGD", "Adam"]
