"""Cost-sensitive classification: what the learner can search, exactly or by a heuristic.

``labelings`` are the finite classes: every labeling that a family of classifiers can give to the people of a data set, and how many
there can be; ``counts`` all that a game asks about them, for classes too large to list; ``private`` the exponential mechanism over them,
and what a private player charges; ``regression`` the heuristic of the experiments, least squares of the costs.
"""
from .counts import halfplane_counts, threshold_counts
from .labelings import halfplane_labelings, labelings_bound, sauer_sum, shattered_sets, threshold_labelings, with_constants
from .private import PrivateChoice as PrivateChoice
from .private import cell_losses, cost_sensitivity, private_oracle
from .regression import RegressionOracle

__all__ = ["threshold_labelings", "halfplane_labelings", "with_constants", "sauer_sum", "labelings_bound", "shattered_sets",
           "threshold_counts", "halfplane_counts", "cell_losses", "cost_sensitivity", "private_oracle",
           "RegressionOracle"]
