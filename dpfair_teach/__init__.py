"""Fair classifiers that keep group membership private: the library of the book."""
__version__ = "0.1.0"
