"""Data sets: who is in them, under which rule, and from which bytes."""
from .dataset import Dataset, base_classifier
from .dataset import Provenance as Provenance
from .loader import list_datasets, load
from .sources import CorruptData as CorruptData
from .sources import DataUnavailable as DataUnavailable
from .synthetic import TEN_NAMES, Population, make_logistic, ten_people_base

__all__ = ["Dataset", "Population", "TEN_NAMES", "base_classifier", "list_datasets", "load", "make_logistic", "ten_people_base"]
