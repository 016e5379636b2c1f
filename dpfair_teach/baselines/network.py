"""A network as a scikit-learn classifier: what it learns, from whom and with which weights, and nothing of fairness or privacy."""
from __future__ import annotations

from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .. import _checks as check
from .._classifier import refuse_other_columns, remember_columns
from ..networks import Adam, Network, gradient, log_loss_slopes
from ..training import State, train

__all__ = ["NetworkClassifier"]

#: The numbers a network is trained in.
Precision = Literal["float64", "float32"]


class NetworkClassifier(ClassifierMixin, BaseEstimator):
    """A ReLU network that is trained for accuracy alone, by Adam on the log loss; with weights, so that a reduction can use it.

    Source: Tran et al. 2020, Section 8, baseline CLF, and *Architectures*: two hidden layers, whose widths, steps and batches they do not
    say. **Not private**, and it never sees a group: there is no noise, and there are no ``releases_``. Its contract is scikit-learn's own,
    so any meta-estimator takes it. Standardize X.

    Parameters
    ----------
    hidden : tuple of ints in 1..10^6
        The widths of the hidden layers.
    epochs : int in 0..10^6
        How often everybody is looked at; 0 for the network that training starts from.
    batch : int in 1..10^9
        People in a step; the last one of an epoch may be smaller.
    learning_rate : float > 0
        Of Adam.
    precision : str
        "float64", or "float32", about twice as fast.

    Attributes
    ----------
    theta_, network_ : (p,) array, networks.Network

    Examples
    --------
    >>> from dpfair_teach.data import make_logistic
    >>> people = make_logistic(400, rng=np.random.default_rng(1))
    >>> model = NetworkClassifier(hidden=(8,), epochs=20).fit(people.X, people.Y, rng=np.random.default_rng(2))
    >>> model.predict(people.X[:3]).shape, model.predict_proba(people.X[:3]).shape, model.theta_.shape
    ((3,), (3, 2), (57,))
    """

    #: What scikit-learn's metadata routing hands on, where it is switched on, without being told.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"rng": True}

    def __init__(self, hidden: tuple[int, ...] = (100, 100), *, epochs: int = 10, batch: int = 256, learning_rate: float = 0.001,
                 precision: Precision = "float64") -> None:
        self.hidden = hidden
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.precision = precision

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, rng: np.random.Generator | None = None) -> Self:
        """Train from new first weights. Batches and first weights come from ``rng``, which is not kept; None: from fresh entropy.

        ``sample_weight`` (m,) multiplies the losses; divided by its mean, so that only proportions matter.
        """
        rng = np.random.default_rng() if rng is None else check.rng(rng, drawn="the first weights")
        epochs, batch = check.integer("epochs", self.epochs, low=0, high=10**6), check.integer("batch", self.batch, low=1, high=10**9)
        optimizer = Adam(check.number("learning_rate", self.learning_rate, low=0.0, low_open=True))
        precision = np.dtype(check.choice("precision", self.precision, get_args(Precision)))
        people = self._people(X)
        check.same_people(X=X, y=y)
        labels = check.labels("y", y)
        if len(labels) != len(people):
            check.refuse("y", labels.shape, f"not as long as X, which has {len(people)} rows", "Give one label for each row of X.")
        if labels.min() == labels.max():
            check.refuse("y", int(labels[0]), "everybody has the same label", "Give people of both labels.")
        sample_weight = np.ones(len(people)) if sample_weight is None else sample_weight
        weights = check.array("sample_weight", sample_weight, shape=(len(people),), low=0, high=1e100)
        if weights.sum() <= 0:
            check.refuse("sample_weight", 0.0, "is 0 for everybody", "Give somebody a weight.")
        weights = weights / weights.mean()
        network = Network(people.shape[1], self.hidden)
        if precision == np.float32 and np.abs(people).max() > 1e30:
            check.refuse("X, precision", (float(np.abs(people).max()), "float32"), "an entry too large for it", "Standardize X.")
        people = people.astype(precision)
        rounds_of = -(-len(people) // batch)

        def step(state: State) -> State:
            now = state.round % rounds_of
            assert state.rng is not None
            order = state.rng.permutation(len(people)) if now == 0 else state["order"]
            who = order[now * batch:(now + 1) * batch]
            theta = state["theta"]
            passed = network.forward(theta, people[who])
            slopes = weights[who] * log_loss_slopes(passed.logits, labels[who]) / len(who)
            theta, moments = optimizer.step(theta, gradient(network, theta, passed, slopes), state.values)
            return state.then(theta=theta, order=order, **moments)
        theta = network.initial(rng, precision)
        start = State({"theta": theta, "order": np.arange(len(people)), **optimizer.start(len(theta), precision)}, rng)
        self.theta_ = train(step, start, epochs * rounds_of).state["theta"]
        self.network_, self.classes_ = network, np.array([0, 1])
        self.__dict__.pop("feature_names_in_", None)
        remember_columns(self, X)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Everybody's logit, (n,)."""
        check_is_fitted(self)
        refuse_other_columns(self, X)
        return self.network_.logits(self.theta_, self._people(X, self.n_features_in_)).astype(float)

    def predict_proba(self, X: Any) -> np.ndarray:
        """What the network says are the chances of the labels 0 and 1, (n, 2): no coin, :meth:`predict` takes the likelier."""
        check_is_fitted(self)
        refuse_other_columns(self, X)
        ones = self.network_.probabilities(self.theta_, self._people(X, self.n_features_in_))
        return np.column_stack([1 - ones, ones])

    def predict(self, X: Any) -> np.ndarray:
        """1 where the logit is above 0, (n,)."""
        return (self.decision_function(X) > 0).astype(np.int64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.non_deterministic = True
        return tags

    @staticmethod
    def _people(X: Any, columns: int | None = None) -> np.ndarray:
        return np.asarray(check.filled("X", check.rows("X", X, columns=columns, low=-1e50, high=1e50), "person"), dtype=float)
