"""Long training, once: a loop over ``step(state) -> state``, with progress, history, a callback, and a checkpoint to resume from.

``state`` is what a step is handed and hands on; ``loop`` goes from state to state; ``budget`` says how many steps a limit on epsilon and
delta allows; ``checkpoint`` writes a state into a file and reads it back, byte by byte.
"""
from .budget import Budget
from .loop import Training as Training
from .loop import train
from .state import State

__all__ = ["State", "train", "Budget"]
