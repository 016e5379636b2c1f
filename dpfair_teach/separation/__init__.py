"""The separation of A-blind and A-aware classifiers: how far one changed person moves the least error of a fair classifier, f(D)."""
from .instance import Separation as Separation
from .instance import instance, theorem_3_9
from .optimum import CLASSIFIERS, fair_optimum, optimal_error, optimal_errors
from .optimum import Optimum as Optimum
from .sensitivity import Jump as Jump
from .sensitivity import largest_jump, sensitivity_bound

__all__ = ["CLASSIFIERS", "instance", "theorem_3_9", "fair_optimum", "optimal_error", "optimal_errors",
           "sensitivity_bound", "largest_jump"]
