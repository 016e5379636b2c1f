"""Data sets: who is in them, under which rule, and from which bytes."""
from .base import base_classifier
from .dataset import Dataset, Population, Provenance
from .loader import list_datasets, load
from .sources import CorruptData, DataUnavailable
from .ten import TEN_NAMES, ten_people_base

__all__ = ["CorruptData", "DataUnavailable", "Dataset", "Population", "Provenance", "TEN_NAMES", "base_classifier", "list_datasets", "load",
           "ten_people_base"]
