"""A ReLU network in numpy that can say what each person's gradient is, how long it is, and what all sum to once each is clipped.

``network`` goes forward and remembers what each layer read; ``gradients`` says what a logit costs, and goes back; ``optimizers`` makes a
step of a gradient. Nothing here reads a group, and nothing is private: noise is added to what these return.
"""
from .gradients import clipped_sum, gradient_norms, log_loss_slopes, per_example_gradients
from .gradients import gradient as gradient
from .gradients import log_loss as log_loss
from .gradients import soft_error as soft_error
from .gradients import soft_error_slopes as soft_error_slopes
from .network import Network
from .network import Pass as Pass
from .optimizers import SGD, Adam
from .optimizers import Optimizer as Optimizer

__all__ = ["Network", "gradient_norms", "clipped_sum", "per_example_gradients", "log_loss_slopes", "SGD", "Adam"]
