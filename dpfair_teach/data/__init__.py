"""Data sets: who is in them, under which rule, and from which bytes."""
from ._sources import CorruptData, DataUnavailable
from .base import base_classifier
from .dataset import Dataset
from .known_files import identify
from .loader import list_datasets, load
from .population import Population
from .provenance import Provenance
from .synthetic import logistic_base, make_logistic, make_synthetic
from .ten import TEN_NAMES, ten_people_base

__all__ = ["CorruptData", "DataUnavailable", "Dataset", "Population", "Provenance", "TEN_NAMES", "base_classifier", "identify",
           "list_datasets", "load", "logistic_base", "make_logistic", "make_synthetic", "ten_people_base"]
