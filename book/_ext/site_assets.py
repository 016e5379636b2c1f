"""What the pages load, and nothing else: no live-code scripts, no address outside the site, icons as a small style sheet.

The theme draws its icons with a script of 1.5 MB. The few that the pages use are taken out of that script when the site is built
and become masks in ``_static/icons.css``; the script, and the fonts behind it, are then left out.
"""
from __future__ import annotations

import re
import shutil
from pathlib import Path
from urllib.parse import quote


def setup(app) -> dict:
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
