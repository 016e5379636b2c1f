"""Build the site: every warning is an error, and the build goes on to show them all. What `_toc.yml` no longer lists leaves the site.

    python book/_tools/build_site.py           build what changed; every page when what shapes all pages did
    python book/_tools/build_site.py --all     build every page again
"""
from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import time
from pathlib import Path

import yaml

import notebooks

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "html"


def listed(toc: Path) -> list[str]:
    """The pages of a `_toc.yml`, in order and as it writes them."""
    found: list[str] = []

    def walk(node: dict) -> None:
        found.extend(node[key] for key in ("root", "file") if key in node)
        for key in ("parts", "chapters", "sections"):
            for child in node.get(key) or []:
                walk(child)

    walk(yaml.safe_load(toc.read_text(encoding="utf-8")))
    return found


def misplaced(pages: list[str], root: Path) -> list[str]:
    """What to change in `_toc.yml`: a chapter with cells is published as a notebook, or it would stand there without its outputs."""
    with_cells = {path.stem for path in notebooks.chapters(root / "book" / "chapters")}
    complaints = []
    for page in pages:
        name = Path(page).name
        if page.startswith("book/chapters/") and name in with_cells:
            complaints.append(f"{page} has cells: list it as book/notebooks/{name}, which `make notebooks` writes")
        elif page.startswith("book/notebooks/") and name not in with_cells:
            chapter = f"book/chapters/{name}"
            remedy = f"list it as {chapter}" if (root / f"{chapter}.md").is_file() else f"write {chapter}.md, or take the line out"
            complaints.append(f"{page} has no chapter with cells: {remedy}")
    return complaints


def remove_stale(pages: list[str], site: Path = SITE) -> list[str]:
    """Take pages of the book that are not listed, left by an earlier build, off the site; returns their names."""
    stale = [page for page in site.glob("book/**/*.html") if page.relative_to(site).with_suffix("").as_posix() not in pages]
    for page in stale:
        page.unlink()
        for source in (site / "_sources" / page.parent.relative_to(site)).glob(f"{page.stem}.*"):
            source.unlink()
    return sorted(page.relative_to(site).as_posix() for page in stale)


def shape(root: Path = ROOT) -> str:
    """One hash of all that shapes every page: configuration, extensions, static files, the ledger's and reference's sources.

    Sphinx builds a page again when its own source changes; it does not see these.
    """
    book = root / "book"
    files = [root / "_config.yml", root / "requirements.txt", *book.glob("*.yml"), *book.glob("*.bib"),
             *(path for folder in (book / "_ext", book / "_static", root / "dpfair_teach") for path in folder.rglob("*.*"))]
    digest = hashlib.sha256()
    for path in sorted(files):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def main(arguments: list[str] | None = None) -> int:
    """Build into _build/html; returns the exit code of the builder, or 1 for a `_toc.yml` that must not be built."""
    pages = listed(ROOT / "_toc.yml")
    if complaints := misplaced(pages, ROOT):
        print("site: NOT built. _toc.yml:\n" + "\n".join(f"  {complaint}" for complaint in complaints), file=sys.stderr)
        return 1
    mark, now = ROOT / "_build" / "shape.txt", shape()
    changed = not mark.is_file() or mark.read_text(encoding="utf-8") != now
    everything = changed or "--all" in (sys.argv[1:] if arguments is None else arguments)
    if everything:
        shutil.rmtree(ROOT / "_build", ignore_errors=True)
    start = time.perf_counter()
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    code = subprocess.run([jupyter_book, "build", ".", "-W", "-n", "--keep-going", *(["--all"] if everything else [])], cwd=ROOT).returncode
    if code == 0:
        mark.write_text(now, encoding="utf-8")
    for page in remove_stale(pages):
        print(f"site: {page} is no longer in _toc.yml and was removed")
    print(f"site: {'built' if code == 0 else 'NOT built without warnings'} in {time.perf_counter() - start:.0f} s")
    return code


if __name__ == "__main__":
    sys.exit(main())
