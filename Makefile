# Two commands do everything: `make book` builds the book and opens it on this machine, `make test` the checks.
# Each makes its own environment first. Only that set-up uses the network.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

VENV := .venv
READER := .venv-reader
BIN := $(VENV)/bin
PY := $(BIN)/python
SITE := _build/html
# Two workers: the checks are meant to be fast enough on two cores.
JOBS ?= 2

# Matrix products round in another order on other processors, and a near tie of a fit then goes another way. These are the routines that
# the stored outputs and tables were made with; every processor with AVX2 has them.
ifeq ($(shell uname -m),x86_64)
export OPENBLAS_CORETYPE ?= Haswell
endif

# Else each process compiles the library and twelve thousand tests anew.
unexport PYTHONDONTWRITEBYTECODE

# Data files that are not embedded, for the tests of the library alone: what `make data` fetched, and a folder ../shared/data for those
# who keep such files once for several checkouts. Or the folders you name, separated as in PATH.
FETCHED := .data
empty :=
DPFAIR_TEACH_DATA ?= $(subst $(empty) $(empty),:,$(abspath $(wildcard $(FETCHED) ../shared/data)))

# The first Python that is new enough and can make an environment. Another one: make PYTHON=/path/to/python3
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3 python; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && command -v $$p && break; done)

.PHONY: book html picture notebooks minutes size test nightly quick bench mutants violations results ci-deps data clean help env

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/:[^#]*## /\t/' | expand -t 14

book: html  ## build the book and open it on this machine (the address is printed)
	@$(PY) book/_tools/serve.py $(SITE)

test: $(VENV)/.complete $(READER)/.reader  ## the checks, of long ones a part each day: lint, spelling, site, mutants, notebooks, browser, Lab, Binder, library
	@JOBS=$(JOBS) DPFAIR_TEACH_DATA="$(DPFAIR_TEACH_DATA)" $(PY) book/_tools/checks.py

nightly: $(VENV)/.complete $(READER)/.reader  ## the same, and all of what `make test` spreads over days (CHECKS="site mutants": only these)
	@NIGHTLY=1 JOBS=$(JOBS) DPFAIR_TEACH_DATA="$(DPFAIR_TEACH_DATA)" $(PY) book/_tools/checks.py $(CHECKS)

# Of one room: its own tests, and the examples in its docstrings.
IN_ROOM = $(if $(ROOM),$(wildcard $(foreach name,$(ROOM) $(ROOM).py,tests/$(name) tests/test_$(name) dpfair_teach/$(name)) tests/test_$(ROOM)_*.py))

quick: $(VENV)/.complete  ## the linter, the types, the fast tests of what is new and a seventh of the others (ROOM=games: of one room, no types)
ifdef ROOM
	@test -n "$(IN_ROOM)" || { echo "no room is called $(ROOM); there are: $(filter-out _%,$(basename $(notdir $(patsubst %/,%,$(wildcard dpfair_teach/*/ dpfair_teach/*.py)))))" >&2; exit 1; }
endif
	@$(BIN)/ruff check --quiet
	@$(if $(ROOM),,$(BIN)/mypy --no-error-summary)
	@$(if $(ROOM),,QUICK=1) DPFAIR_TEACH_DATA="$(DPFAIR_TEACH_DATA)" OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(PY) -m pytest -p no:nbval -m "not slow and not site and not browser" -n $(JOBS) --dist worksteal $(IN_ROOM)

html: notebooks  ## build the site into _build/html
	@$(PY) book/_tools/build_site.py

notebooks: $(VENV)/.reader  ## execute the chapters that changed into book/notebooks/
	@$(PY) book/_tools/notebooks.py $(ARGS)

picture: html  ## take the picture of the README again: the first page
	@$(PY) book/_tools/picture.py

minutes: html  ## words and minutes of each chapter, of its core and of the whole, as the built pages have them
	@$(PY) book/_tools/minutes.py $(ARGS)

size:  ## lines, files, names and tests of each room against its budget (ARGS=--names: who uses each name; --write: lower the budgets)
	@$(if $(wildcard $(PY)),$(PY),$(PYTHON)) book/_tools/size.py $(ARGS)

bench: $(VENV)/.complete  ## measure the library against its peers
	@$(PY) tests/bench.py

mutants: $(VENV)/.complete  ## put every deliberate fault in: the test of its statement must fail
	@JOBS=$(JOBS) $(PY) tests/mutants.py

violations: $(VENV)/.complete  ## every learner's violation for 2, 3 and 5 groups, from the library and counted by hand
	@$(PY) tests/violations.py

results: $(VENV)/.reader  ## recompute the long experiments into book/results/
	@for name in $$($(PY) -m book.studies --list | cut -d: -f1); do \
	  $(PY) -m book.studies $$name --out book/results --jobs $(JOBS) || exit 1; done

ci-deps:  ## install what the checks of the pages, and of code that is handed in, need (Debian, Ubuntu)
	@if command -v chromium >/dev/null && command -v bwrap >/dev/null; then echo "chromium and bubblewrap are there"; else \
	  sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  $$sudo apt-get update -q && $$sudo apt-get install -y -q --no-install-recommends chromium bubblewrap; fi

data: $(VENV)/.reader  ## fetch the data files that are not embedded into .data, for the tests
	@DPFAIR_TEACH_DATA="$(DPFAIR_TEACH_DATA)" $(PY) book/_tools/fetch_data.py $(FETCHED)

clean:  ## remove what was built; the environments and .data stay (rm -r .venv .venv-reader .data removes them)
	rm -rf _build build .pytest_cache .hypothesis

env: $(VENV)/.complete $(READER)/.reader

# --- environments -----------------------------------------------------------------------------------------------------------
# .reader: what a reader needs (requirements.txt, exact pins). .complete: what the checks need on top.

# Progress without the two hundred lines on what is there already.
BRIEFLY := | sed '/already satisfied/d'

define make-environment
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer with venv was found. Install one (Debian, Ubuntu: apt install python3 python3-venv)," \
	  "or say where it is: make PYTHON=/path/to/python3 $(MAKECMDGOALS)" >&2; exit 1; }
	@test -x $(1)/bin/python || { echo "making $(1) with $$($(PYTHON) --version)"; $(PYTHON) -m venv $(1); }
endef

$(VENV)/.reader: requirements.txt pyproject.toml
	$(call make-environment,$(VENV))
	@echo "installing requirements.txt into $(VENV) (a minute or two, once)"
	@$(PY) -m pip install --disable-pip-version-check -r requirements.txt $(BRIEFLY)
	@$(PY) -m pip install --disable-pip-version-check --quiet --no-deps -e .
	@touch $@

$(VENV)/.complete: requirements-dev.txt $(VENV)/.reader
	@echo "installing requirements-dev.txt into $(VENV)"
	@$(PY) -m pip install --disable-pip-version-check -r requirements-dev.txt $(BRIEFLY)
	@touch $@

# What Binder makes: requirements.txt and the library as a package, nothing else. One check opens JupyterLab in it.
$(READER)/.requirements: requirements.txt
	$(call make-environment,$(READER))
	@echo "installing requirements.txt into $(READER), as Binder does"
	@$(READER)/bin/python -m pip install --disable-pip-version-check -r requirements.txt $(BRIEFLY)
	@touch $@

# The package is built with what .venv has, so that a change of the library needs no network.
$(READER)/.reader: $(READER)/.requirements $(VENV)/.complete pyproject.toml $(shell find dpfair_teach -type f -not -name '*.pyc')
	@rm -rf _build/wheel build
	@$(PY) -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir _build/wheel .
	@$(READER)/bin/python -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall _build/wheel/*.whl
	@touch $@
