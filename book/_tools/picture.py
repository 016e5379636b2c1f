"""Take the picture of the README, `book/_static/page.png`, from the built site: the first page at epsilon 2, Ada in the other group."""
from __future__ import annotations

import shutil
import sys
import threading
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import serve

PICTURE = Path(__file__).resolve().parents[1] / "_static" / "page.png"
SIZE = {"width": 1280, "height": 900}
COLOURS = 256       # a page has few: the picture takes a third of the room


def main() -> int:
    """Take it; returns 1 where there is no Chromium or no site."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None or not (serve.SITE / "index.html").is_file():
        print("needs Chromium (make ci-deps) and the built site (make html)", file=sys.stderr)
        return 1
    server = serve.server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
        page.goto(f"http://127.0.0.1:{server.server_port}/index.html", wait_until="networkidle")
        page.get_by_role("radio", name="epsilon 2").check(force=True)
        page.get_by_role("button", name="Ada").click()
        page.mouse.move(0, 0)
        page.wait_for_timeout(300)
        image = Image.open(BytesIO(page.screenshot()))
        browser.close()
    server.shutdown()
    image.convert("RGB").quantize(COLOURS, kmeans=1).save(PICTURE, optimize=True)     # k-means keeps a colour of few pixels
    print(f"{PICTURE.name}: {PICTURE.stat().st_size // 1024} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
