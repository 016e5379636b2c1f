"""From the hand to the screen: how long each way to move a figure takes until it is painted. ``python tests/explore/bench_player.py``.

A headless Chromium gets real keys and pointer moves, unthrottled. *Work* is what the page does for one input: the script, and from the
next frame's beginning until it is painted. *Latency* is from the input until then; it holds the wait for the frame, which comes every
16.7 ms. ``measure`` is also what the test of the player asks.
"""
from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

from playwright.sync_api import Page, sync_playwright

from dpfair_teach.explore import Explorer
from dpfair_teach.plotting import whole_subject
from explorer_samples import samples

FRAME = 1000 / 60
TIMES = 40

WATCH = """() => {
    window.taken = [];
    const figure = document.querySelector("dpfair-explorer");
    let from = null;
    const begin = (event) => { if (from === null) from = [event.timeStamp, performance.now()]; };
    // the window hears of an input before the figure does, and again after it
    for (const kind of ["input", "click", "keydown", "pointermove"]) {
        window.addEventListener(kind, begin, true);
        window.addEventListener(kind, () => {
            if (from === null) return;
            const [input, start] = from, script = performance.now() - start;
            from = null;
            requestAnimationFrame(() => {
                const frame = performance.now(), channel = new MessageChannel();
                channel.port1.onmessage = () => window.taken.push([script + performance.now() - frame, performance.now() - input]);
                channel.port2.postMessage(0);
            });
        });
    }
}"""


def hands() -> dict[str, tuple[str, Callable[[Page], Callable[[int], None]]]]:
    """Each way to move a figure: which figure, and what a reader does, given the number of the time."""
    def focus(page: Page, what: str, *keys: str) -> Callable[[int], None]:
        page.locator(what).first.focus()
        return lambda i: page.keyboard.press(keys[i % len(keys)])

    def over(page: Page, press: bool) -> Callable[[int], None]:
        area = page.locator(".dpx-read").first
        area.scroll_into_view_if_needed()
        box = area.bounding_box()
        assert box is not None
        if press:
            page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
            page.mouse.down()
        return lambda i: page.mouse.move(box["x"] + box["width"] * (i % 20 + 0.5) / 20, box["y"] + box["height"] * (0.3 + 0.02 * (i % 9)))

    def shown(page: Page) -> Page:
        page.get_by_role("button", name="Show me").click()
        return page

    return {
        "slider": ("lines", lambda page: focus(page, "input[type=range]", "ArrowRight", "ArrowLeft")),
        "names": ("whole subject", lambda page: focus(page, "input[type=radio]", "ArrowRight", "ArrowLeft")),
        "checkbox": ("crowd", lambda page: focus(page, "input[type=checkbox]", "Space")),
        "people, key": ("whole subject", lambda page: focus(page, ".dpx-who", "Enter")),
        "people, 4 panels": ("crowd", lambda page: focus(page, ".dpx-who", "Enter")),
        "values, keys": ("lines", lambda page: focus(page, ".dpx-read", "ArrowRight")),
        "values, pointer": ("lines", lambda page: over(page, press=False)),
        "values of points": ("pareto", lambda page: over(page, press=False)),
        "guess, drawn": ("draw", lambda page: over(page, press=True)),
        "guess, keys": ("draw", lambda page: focus(page, ".dpx-read", "ArrowUp", "ArrowRight")),
        "step": ("rounds", lambda page: focus(shown(page), ".dpx-time button:nth-of-type(2)", "Enter")),
        "only what is offered": ("some", lambda page: focus(page, "input[type=range]", "ArrowRight", "ArrowLeft")),
    }


def measure(page: Page, figures: dict[str, Explorer], name: str) -> tuple[list[float], list[float]]:
    """Work and latency of each input, in ms."""
    figure, hand = hands()[name]
    page.set_content(f'<!doctype html><html lang="en"><meta charset="utf-8"><title>t</title><body>{figures[figure].html()}</body></html>')
    page.wait_for_selector(".dpx-on")
    move = hand(page)
    page.evaluate(WATCH)
    for i in range(TIMES):
        seen = page.evaluate("window.taken.length")
        move(i)
        page.wait_for_function("seen => window.taken.length > seen", arg=seen)
    work, latency = zip(*page.evaluate("window.taken"), strict=True)
    return list(work), list(latency)


def main() -> int:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from conftest import CHROMIUM_ARGUMENTS
    figures = samples() | {"whole subject": whole_subject()}
    slow = 0
    print(f"{'moved':24}{'figure':16}{'work, ms':>10}{'95 %':>8}{'latency, ms':>13}{'95 %':>8}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM_ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        for name, (figure, _) in hands().items():
            work, latency = measure(page, figures, name)
            print(f"{name:24}{figure:16}{median(work):10.1f}{quantiles(work, n=20)[-1]:8.1f}{median(latency):13.1f}"
                  f"{quantiles(latency, n=20)[-1]:8.1f}")
            slow += median(work) > FRAME
        browser.close()
    return slow


if __name__ == "__main__":
    sys.exit(main())
