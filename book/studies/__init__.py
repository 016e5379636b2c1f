"""The studies of the book, one module a table or figure: ``python -m book.studies`` makes what stands in ``book/results``."""
