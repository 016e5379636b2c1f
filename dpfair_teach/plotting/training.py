"""A network as a picture that trains: the boundary moves over the plane, and the multipliers answer."""
from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._checks import array, flag, groups, labels, refuse, rows
from ..explore import Explorer, Panel
from ..explore.axes import shown
from ..networks import Network

__all__ = ["network_picture"]

PLANE, GAPS, BARS = "People, and who is accepted", "Violation of each group", "Multipliers"
FINE = 41           # places of the grid on which a boundary is found, along each side
MOST_GROUPS = 3     # of two labels each, and the boundary: more series than a picture can hold apart
ARROW = 0.6         # the arrow of the largest multiplier, as a part of the picture's height
HEAD = 0.015
SHIFT = 0.1         # from arrow to arrow, and from the last epoch to the edge
BOUNDARY = "boundary: accepted on the side of its ticks"
#: How far a corner that is left out may lie from the line, as a part of the plane's sides.
CLOSE = 0.003
#: From tick to tick along a line, and how long one is, as parts of the plane's sides.
EVERY, LONG = 0.08, 0.035


class TrainingRun(NamedTuple):
    """What a run left after each epoch, the start first; whether its multipliers are of the violations or of their absolute values."""

    thetas: Any
    multipliers: Any
    signed: bool


def network_picture(network: Network, X: ArrayLike, A: ArrayLike, Y: ArrayLike, runs: Mapping[str, tuple], *, title: str,
                    question: str = "") -> Explorer:
    """Play the epochs of some runs: people of two features in the plane, the line between the decisions, and the multipliers of the groups.

    The line has ticks on the side of those who are accepted. A group's violation is everybody's mean score less the group's, and an arrow
    shows where the constraint's term in the loss drives it, as long as the multiplier. Nothing here is private.

    Source: ours, of Algorithm 1 (Tran et al. 2020).

    Parameters
    ----------
    network : networks.Network
    X : (m, 2) array
    A : (m,) array of 0..k-1
        k is 2 or 3.
    Y : (m,) array of 0/1
    runs : dict str -> (thetas, multipliers, signed)
        What a reader chooses from, each of as many epochs, at least 2. ``thetas`` (epochs + 1, p): parameters, the start first.
        ``multipliers`` (epochs + 1, k): of the violation where ``signed``, else of the absolute one and at least 0.
    title, question : str

    Returns
    -------
    Explorer
        Its slider ``epoch`` plays, its buttons ``run`` choose. It stands at the last epoch first.

    Examples
    --------
    >>> network = Network(2, hidden=())
    >>> X, A, Y = [[0., 0.], [1., 0.], [0., 1.], [1., 1.]], [0, 0, 1, 1], [0, 1, 0, 1]
    >>> run = [[4., 0., -2.], [4., 1., -2.], [4., 2., -2.]], [[0., 0.], [.1, .1], [.3, .3]], False
    >>> figure = network_picture(network, X, A, Y, {"absolute": run}, title="Four people")
    >>> figure.sentence(epoch=2)
    'After 2 epochs 0.25 of the people are decided wrongly; violations 0.121, -0.121.'
    """
    if not isinstance(network, Network) or network.n_features != 2:
        refuse("network", network, "not a Network of two features, as a plane has", "Give Network(2, ...).")
    X, (A, k), Y = rows("X", X, columns=2), groups("A", A), labels("Y", Y)
    if not len(X) == len(A) == len(Y):
        refuse("X, A, Y", (X.shape, A.shape, Y.shape), "of different lengths", "Give one row of X, and one entry of A and of Y, a person.")
    if k > MOST_GROUPS:
        refuse("A", k, f"groups, and a picture tells at most {MOST_GROUPS} apart", "Choose some of them.")
    frames = NetworkFrames(network, X, A, Y, k, read(runs, network.n_parameters, k))
    several = [f"group {a}" for a in range(k)]
    people = {f"{one}, label {y}": ("squares", "circles")[y] for one in several for y in (1, 0)}
    pushes = {f"arrow: push on {one}": one for one in several}
    kinds = dict.fromkeys(several, "line") | dict.fromkeys(pushes, "segments")
    past = frames.epochs * (1 + SHIFT * (k + 0.5))
    return Explorer(
        [Panel(frames.plane, name=PLANE, view="pareto", share=0.6, series=people | {BOUNDARY: "segments"},
               colors={f"{one}, label 0": f"{one}, label 1" for one in several}, x_label="first feature", y_label="second feature",
               x_range=frames.ends[0], y_range=frames.ends[1]),
         [Panel(frames.gaps, name=GAPS, view="pareto", share=0.4, series=kinds, colors=pushes, x_range=(0, past),
                y_range=(-frames.widest, frames.widest), x_label="epoch", y_label="violation"),
          Panel(frames.bars, name=BARS, view="bars", share=0.4, x_range=(-frames.most if frames.signed else 0, frames.most))]],
        sliders={"run": list(frames.runs), "epoch": range(frames.epochs + 1)}, start={"epoch": frames.epochs}, play="epoch", title=title,
        question=question, alt=frames.sentence)


def read(runs: Any, p: int, k: int) -> dict[str, TrainingRun]:
    """The runs as arrays, of as many epochs each."""
    remedy = 'Give {"name": (thetas, multipliers, signed), ...}.'
    if not isinstance(runs, Mapping) or not runs or not all(isinstance(run, tuple) and len(run) == 3 for run in runs.values()):
        refuse("runs", runs, "not a dict of at least one (thetas, multipliers, signed)", remedy)
    found = {}
    for name, (thetas, multipliers, signed) in runs.items():
        at = f"runs[{name!r}]"
        run = TrainingRun(array(f"{at}, thetas", thetas, shape=(None, p)), array(f"{at}, multipliers", multipliers, shape=(None, k)),
                         flag(f"{at}, signed", signed))
        if not run.signed and (run.multipliers < 0).any():
            refuse(f"{at}, multipliers", float(run.multipliers.min()), "below 0, of an absolute violation", "Give True for signed.")
        found[name] = run
    lengths = {len(part) for run in found.values() for part in (run.thetas, run.multipliers)}
    if len(lengths) > 1 or min(lengths) < 3:
        refuse("runs", sorted(lengths), "not one number of epochs, of at least 2", "Keep the start and each epoch of every run.")
    return found


class NetworkFrames:
    """What the panels show of each run at each epoch."""

    def __init__(self, network: Network, X: np.ndarray, A: np.ndarray, Y: np.ndarray, k: int, runs: dict[str, TrainingRun]) -> None:
        self.network, self.X, self.A, self.Y, self.k, self.runs = network, X, A, Y, k, runs
        self.epochs = len(next(iter(runs.values())).thetas) - 1
        low, high = X.min(axis=0), X.max(axis=0)
        room = 0.05 * (high - low) + 1e-9
        self.ends = [(float(a), float(b)) for a, b in zip(low - room, high + room, strict=True)]
        self.known = {name: np.array([self.violations(theta) for theta in run.thetas]) for name, run in runs.items()}
        most = max(float(np.abs(run.multipliers).max()) for run in runs.values()) or 1.0
        step = 10.0 ** (math.floor(math.log10(most)) - 1)
        self.most = math.ceil(most / step - 1e-9) * step        # two digits
        self.signed = any(run.signed for run in runs.values())
        self.widest = 1.1 * max(float(np.abs(known).max()) for known in self.known.values()) + 1e-9

    def violations(self, theta: np.ndarray) -> np.ndarray:
        """Everybody's mean score less each group's, (k,)."""
        scores = self.network.probabilities(theta, self.X)
        return scores.mean() - np.bincount(self.A, scores, minlength=self.k) / np.bincount(self.A, minlength=self.k)

    def pushes(self, run: str) -> np.ndarray:
        """What the violation is multiplied with in the loss, sign included, (epochs + 1, k)."""
        return self.runs[run].multipliers * (1 if self.runs[run].signed else np.sign(self.known[run]))

    def plane(self, run: str, epoch: int) -> dict[str, np.ndarray]:
        """People by group and label, and where the network's chance is one half, with ticks to where it is larger."""
        theta = self.runs[run].thetas[epoch]
        people = {f"group {a}, label {y}": self.X[(self.A == a) & (self.Y == y)] for a in range(self.k) for y in (1, 0)}
        x, y = (np.linspace(*ends, FINE) for ends in self.ends)

        def chance(points: np.ndarray) -> np.ndarray:
            return self.network.probabilities(theta, points)

        line = crossing(chance, x, y, 0.5)
        return people | {BOUNDARY: np.concatenate([line, ticks(chance, line, *self.ends)])}

    def gaps(self, run: str, epoch: int) -> dict[str, np.ndarray]:
        """The violations up to now, and the arrows: down where the term in the loss makes a violation smaller."""
        so_far, pushes = self.known[run][:epoch + 1], self.pushes(run)[epoch]
        lines = {f"group {a}": np.column_stack([np.arange(epoch + 1), so_far[:, a]]) for a in range(self.k)}
        scale = ARROW * self.widest / self.most
        return lines | {f"arrow: push on group {a}": self.arrow(epoch + (a + 0.5) * SHIFT * self.epochs, so_far[-1, a], -scale * pushes[a])
                        for a in range(self.k)}

    def arrow(self, x: float, y: float, long: float) -> np.ndarray:
        """Three segments: from (x, y) up by ``long``, and its head."""
        side, back = HEAD * self.epochs, np.sign(long) * HEAD * 4 * self.widest
        tip = np.array([x, y + long])
        return np.array([[x, y], tip, tip, tip - [side, back], tip, tip - [-side, back]]) if long else np.empty((0, 2))

    def bars(self, run: str, epoch: int) -> dict[str, float]:
        return {f"group {a}": float(value) for a, value in enumerate(self.runs[run].multipliers[epoch])}

    def sentence(self, run: str, epoch: int) -> str:
        """Error and violations; and what has jumped since the epoch before."""
        wrong = np.mean((self.network.probabilities(self.runs[run].thetas[epoch], self.X) >= 0.5) != self.Y)
        said = f"After {epoch} epochs {shown(wrong)} of the people are decided wrongly; violations {told(self.known[run][epoch])}."
        before, now = self.pushes(run)[[max(epoch - 1, 0), epoch]]
        if not self.runs[run].signed and (before * now < 0).any():
            said += f" A sign has changed: the pushes turn from {ways(before)} to {ways(now)}."
        return said


def ways(pushes: np.ndarray) -> str:
    """How hard each violation is pushed, and which way its arrow points: a price above 0 pushes down."""
    return ", ".join(f"{shown(abs(push))}{' down' if push > 0 else ' up' if push else ''}" for push in pushes.tolist())


def told(values: np.ndarray) -> str:
    """A number for each group, in their order."""
    return ", ".join(map(shown, values.tolist()))


# --- the boundary -----------------------------------------------------------------------------------------------------------

def crossing(fn: Callable[[np.ndarray], np.ndarray], x: np.ndarray, y: np.ndarray, level: float) -> np.ndarray:
    """Where ``fn``, of (n, 2) points, crosses ``level``, by its values on the grid of ``x`` and ``y``: (2 s, 2), every two rows a segment.

    >>> crossing(lambda points: points[:, 0] + points[:, 1], np.linspace(0, 1, 5), np.linspace(0, 1, 5), 0.5)
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    import contourpy  # matplotlib draws its contours with it, and brings it along
    across, up = np.meshgrid(x, y)
    values = fn(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    sides = np.array([x[-1] - x[0], y[-1] - y[0]])
    lines = contourpy.contour_generator(x, y, values, line_type=contourpy.LineType.Separate).lines(level)
    ends = [np.repeat(line, 2, axis=0)[1:-1] for line in (sides * fewer(np.asarray(line) / sides, CLOSE) for line in lines)]
    return np.concatenate(ends) if ends else np.empty((0, 2))


def ticks(fn: Callable[[np.ndarray], np.ndarray], line: np.ndarray, x: tuple[float, float], y: tuple[float, float]) -> np.ndarray:
    """Short strokes from a line of segments, as :func:`crossing` gives it, to the side where ``fn`` is larger: (2 t, 2), two rows each.

    They stand at a right angle to the line on a plane whose ends ``x`` and ``y`` are drawn equally long.

    >>> ticks(lambda points: points[:, 1], np.array([[0., 0.5], [0.1, 0.5]]), (0., 1.), (0., 1.)).round(3)
    array([[0.04 , 0.5  ],
           [0.04 , 0.535]])
    """
    low, sides = np.array([x[0], y[0]]), np.array([x[1] - x[0], y[1] - y[0]])
    starts, along = line[::2] / sides, (line[1::2] - line[::2]) / sides
    lengths = np.hypot(*along.T)
    starts, along, lengths = starts[lengths > 0], along[lengths > 0], lengths[lengths > 0]
    if not len(lengths):
        return np.empty((0, 2))
    passed = np.concatenate([[0.0], lengths.cumsum()])
    at = np.arange(min(EVERY, passed[-1]) / 2, passed[-1], EVERY)
    which = np.minimum(np.searchsorted(passed, at, side="right") - 1, len(lengths) - 1)
    feet = starts[which] + along[which] * ((at - passed[which]) / lengths[which])[:, None]
    across = along[which][:, ::-1] * [-1, 1] / lengths[which][:, None] * LONG
    larger = fn((feet + across) * sides) >= fn((feet - across) * sides)
    tips = np.clip((feet + np.where(larger[:, None], across, -across)) * sides, low, low + sides)
    return np.stack([feet * sides, tips], axis=1).reshape(-1, 2)


def fewer(line: np.ndarray, close: float) -> np.ndarray:
    """A line of fewer corners, none of those left out further than ``close`` from it (Ramer; Douglas and Peucker).

    >>> fewer(np.array([[0, 0], [1, 0.001], [2, 0], [2, 1]]), 0.01)
    array([[0., 0.],
           [2., 0.],
           [2., 1.]])
    """
    if len(line) < 3:
        return line
    along, from_first = line[-1] - line[0], line - line[0]
    length = np.linalg.norm(along)
    away = np.linalg.norm(from_first, axis=1)
    if length > close:
        away = np.abs(along[0] * from_first[:, 1] - along[1] * from_first[:, 0]) / length
    far = int(away.argmax())
    if away[far] <= close:
        return line[[0, -1]]
    return np.concatenate([fewer(line[:far + 1], close)[:-1], fewer(line[far:], close)])
