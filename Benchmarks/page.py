"""Measures the page in a browser; called by Benchmarks/page.

usage: page.py [RUNS]     LIGHTD, LIGHTSIM and CHROMIUM name the programs.
"""

from __future__ import annotations

import contextlib
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import requests
from lightd import Lightd
from lightsim import LOOPBACK, Lightsim
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, sync_playwright

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 15
DESKTOP = {"width": 1280, "height": 900}
FRAME = 1000 / 60
CONFIGURATION = f"""
discovery: {{mdns: false, hosts: ['{LOOPBACK}:443']}}
tcp: {{enabled: true, port: 8377}}
"""

# Interactive: every tile stands, has been painted, and a key has moved the first one.
START = """
const marks = {}
window.start = new Promise((resolve) => new MutationObserver((_, observer) => {
    const first = document.querySelector('.surface[role=slider]')
    if (!first) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => {
        marks.painted = performance.now()
        const before = first.getAttribute('aria-valuenow')
        const key = before === '100' ? 'ArrowLeft' : 'ArrowRight'
        first.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
        marks.reacted = first.getAttribute('aria-valuenow') !== before
        requestAnimationFrame(() => setTimeout(() => {
            marks.interactive = performance.now()
            resolve(marks)
        }))
    }))
}).observe(document, { subtree: true, childList: true }))
"""

# From the first node that a change touches to the frame that shows it, by the wall clock; and which tiles were touched.
WATCH = """() => {
    const tiles = new Set()
    let painted = null
    window.news = new Promise((resolve) => new MutationObserver((changes, observer) => {
        for (const { target } of changes) {
            const tile = (target.nodeType === 1 ? target : target.parentElement)?.closest('.tile')
            if (tile) tiles.add(tile.dataset.key)
        }
        if (painted !== null || ![...tiles].some((key) => key.startsWith('light/'))) return
        painted = 0
        requestAnimationFrame(() => setTimeout(() => {
            painted = performance.timeOrigin + performance.now()
            // What comes in the frames after this one belongs to it.
            setTimeout(() => {
                observer.disconnect()
                resolve({ painted, tiles: [...tiles] })
            }, 300)
        }))
    }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true }))
}"""

COMING = """() => {
    window.coming = new Promise((resolve) => new MutationObserver((_, observer) => {
        observer.disconnect()
        requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())))
    }).observe(document.getElementById('upcoming'),
        { subtree: true, childList: true, attributes: true, characterData: true }))
}"""

MOVED = """() => {
    const note = ({ timeStamp }) => { window.moved = performance.timeOrigin + timeStamp }
    addEventListener('pointermove', note, { once: true, capture: true })
}"""

FRAMES = """() => {
    const times = window.frames_ = []
    let last = null
    const next = (now) => {
        if (last !== null) times.push(now - last)
        last = now
        requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
}"""


@contextlib.contextmanager
def home(rooms: int, lights: int) -> Iterator[tuple[Lightsim, Lightd]]:
    """A bridge with so many rooms of so many lights, and a lightd that is paired with it."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        lines = ["rooms:"]
        for room in range(1, rooms + 1):
            lines += [f"  - name: Room {room}", "    lights:"]
            for light in range(1, lights + 1):
                state = f"on: true, brightness: {10 + light}, mirek: 366"
                lines.append(f'      - {{ name: "Light {room}-{light}", kind: color, {state} }}')
        (place / "home.yaml").write_text("\n".join(lines) + "\n")
        bridge = Lightsim(LOOPBACK, "--home", str(place / "home.yaml"), "--quirk", f"most-lights:{rooms * lights}")
        daemon = Lightd(place, CONFIGURATION)
        try:
            bridge.press_button()
            daemon.ask("POST", "/v1/messages", {"command": "pair"})
            yield bridge, daemon
        finally:
            daemon.stop()
            bridge.stop()


def signed_in(browser: Browser, daemon: Lightd) -> dict:
    """The cookie of a browser that a link has signed in."""
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.goto(daemon.ask("POST", "/v1/links", {"access": "full"})["url"])
    page.get_by_role("button", name="Without a name").click()
    page.locator(".tile").first.wait_for()
    state = context.storage_state()
    context.close()
    return state


@contextlib.contextmanager
def visit(browser: Browser, daemon: Lightd, state: dict, script: str = "") -> Iterator[tuple[BrowserContext, Page]]:
    """A page in a browser that has never seen it: its cache is empty."""
    context = browser.new_context(storage_state=state, viewport=DESKTOP, service_workers="block")
    page = context.new_page()
    if script:
        page.add_init_script(script)
    page.goto(daemon.url)
    page.locator(".surface[role=slider]").first.wait_for()
    yield context, page
    context.close()


def tell(what: str, name: str, value: str) -> None:
    print(f"{what:<24} {name:<38} {value}", flush=True)


def spread(times: list[float]) -> str:
    ordered = sorted(times)
    return f"{statistics.median(ordered):7.1f} ms median, {ordered[-1]:.1f} ms worst of {len(ordered)}"


def sizes(daemon: Lightd) -> dict[str, int]:
    """Bytes as they are sent, compressed, of each file of the page."""
    index = requests.get(daemon.url, timeout=10)
    found = {}
    for path in ["/", "/sw.js", *sorted(set(re.findall(r"/assets/[^\"]+", index.text)))]:
        with requests.get(daemon.url + path, headers={"Accept-Encoding": "gzip"}, stream=True, timeout=10) as answer:
            answer.raise_for_status()
            found[path] = len(answer.raw.read(decode_content=False))
    return found


def start(browser: Browser) -> None:
    with home(5, 10) as (_, daemon):
        found = sizes(daemon)
        tell("the whole page", f"{len(found)} files, compressed", f"{sum(found.values()) / 1000:7.1f} kB")
        plain = sum(size for path, size in found.items() if not path.endswith((".png", ".json")))
        tell("", "without icons and German", f"{plain / 1000:7.1f} kB")
        state, marks = signed_in(browser, daemon), []
        for _ in range(RUNS):
            with visit(browser, daemon, state, START) as (_, page):
                found = page.evaluate("""async () => ({
                    ...await start, contentful: performance.getEntriesByName('first-contentful-paint')[0].startTime,
                    bytes: [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
                        .reduce((sum, one) => sum + one.transferSize, 0)
                })""")
                if not found["reacted"]:
                    raise RuntimeError("the first tile did not react to a key")
                marks.append(found)
        tell("50 lights, empty cache", "first contentful paint", spread([one["contentful"] for one in marks]))
        tell("", "tiles painted", spread([one["painted"] for one in marks]))
        tell("", "a key moved a tile, painted", spread([one["interactive"] for one in marks]))
        tell("", "sent to the browser, without events", f"{statistics.median(one['bytes'] for one in marks) / 1000:7.1f} kB")


def now(time: str) -> float:
    """Milliseconds since 1970."""
    return datetime.fromisoformat(time).timestamp() * 1000


def scroll(page: Page, session: CDPSession) -> list[float]:
    """Scrolls to the foot of the page and back, as a finger does; the times between frames."""
    page.evaluate(FRAMES)
    height = page.evaluate("document.documentElement.scrollHeight - innerHeight")
    for distance in (-height, height):
        session.send(
            "Input.synthesizeScrollGesture",
            {"x": 640, "y": 450, "yDistance": distance, "speed": 4000, "gestureSourceType": "mouse"})  # fmt: skip
    return page.evaluate("frames_")


def change(page: Page, daemon: Lightd, step: int) -> tuple[float, int]:
    """Milliseconds from a command of another client to the frame that shows it, and how many lights' tiles it touched."""
    page.evaluate(WATCH)
    began = page.evaluate("performance.timeOrigin + performance.now()")
    daemon.ask("POST", "/v1/messages", {"command": "set", "target": "Light 1-3", "brightness": 20 + step})
    news = page.evaluate("news")
    return news["painted"] - began, sum(key.startswith("light/") for key in news["tiles"])


def coming(page: Page, daemon: Lightd, step: int) -> float:
    """Milliseconds from a timer that another client sets or cancels to the frame that says so above the rooms."""
    page.evaluate(COMING)
    began = page.evaluate("performance.timeOrigin + performance.now()")
    if step % 2 == 0:
        command = {"command": "schedule", "do": ['turn off "Light 1-1"'], "after": 600}
    else:
        command = {"command": "cancel_timer", "timer": daemon.ask("GET", "/v1/timers")[-1]["name"]}
        began = page.evaluate("performance.timeOrigin + performance.now()")
    daemon.ask("POST", "/v1/messages", command)
    return page.evaluate("coming") - began


def drag(page: Page, bridge: Lightsim, light: str, step: int) -> float:
    """Milliseconds from the pointer's first move to the bridge's first request."""
    bridge.control("/requests", method="DELETE")
    surface = page.get_by_role("slider", name="Light 1-2", exact=True)
    area = surface.bounding_box()
    x, y = area["x"] + area["width"] * (0.3 + 0.02 * (step % 10)), area["y"] + area["height"] * 0.75
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(MOVED)
    # To and fro: a level moves by as much as the finger does, and one that is full stays so.
    page.mouse.move(x + (-30 if step % 2 else 30), y)
    end = time.monotonic() + 30
    while not (sent := [one for one in bridge.requests if one["method"] == "PUT" and light in one["path"]]):
        if time.monotonic() > end:
            raise RuntimeError("the drag led to no request")
    page.mouse.up()
    page.locator("#toast:visible").wait_for()
    return now(sent[0]["time"]) - page.evaluate("moved")


def to_the_last_room(page: Page) -> tuple[int, int]:
    """How often Tab is pressed until the focus is in the last room, by Tab alone; and how many keys in all, over the chips
    of the rooms."""
    is_there = "() => document.querySelector('section:last-of-type').contains(document.activeElement)"
    page.reload()
    page.locator(".surface[role=slider]").first.wait_for()
    alone = keys = 0
    while not page.evaluate(is_there):
        page.keyboard.press("Tab")
        alone += 1
    if not page.locator("#rooms").count():
        return alone, alone
    page.reload()
    page.locator(".surface[role=slider]").first.wait_for()
    while not page.evaluate("document.activeElement.matches('#rooms *')"):
        page.keyboard.press("Tab")
        keys += 1
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    if not page.evaluate(is_there):
        raise RuntimeError("the last chip did not lead to the last room")
    return alone, keys + 2


def many(browser: Browser) -> None:
    with home(20, 25) as (bridge, daemon):
        state = signed_in(browser, daemon)
        ids = {light["name"]: light["id"].split("/")[-1] for light in daemon.ask("GET", "/v1/lights")}
        marks = []
        for _ in range(RUNS):
            with visit(browser, daemon, state, START) as (_, page):
                marks.append(page.evaluate("start"))
        tell("500 lights, empty cache", "tiles painted", spread([one["painted"] for one in marks]))
        with visit(browser, daemon, state) as (context, page):
            alone, keys = to_the_last_room(page)
            tell("500 lights", "keys to the last room", f"{keys:7}, {alone} by Tab alone")
            height = "document.documentElement.scrollHeight"
            tell("", "height of the page, as it opens", f"{page.evaluate(height):7} px")
            # Every room unfolded.
            page.evaluate("document.querySelectorAll('.fold[aria-expanded=false]').forEach((fold) => fold.click())")
            tell("", "with every room unfolded", f"{page.evaluate(height):7} px")
            session = context.new_cdp_session(page)
            scroll(page, session)
            frames = [one for _ in range(max(1, RUNS // 5)) for one in scroll(page, session)]
            slow = sum(one > 1.5 * FRAME for one in frames)
            tell("", "frames while scrolling", f"{spread(frames)}; {slow} came late")
            page.evaluate("scrollTo(0, 0)")
            changes = [change(page, daemon, step) for step in range(RUNS)]
            tell("", "a change elsewhere to its frame", spread([took for took, _ in changes]))
            tell("", "lights' tiles that it touched", f"{max(count for _, count in changes):7}")
            tell("", "a timer set elsewhere to its frame",
                 spread([coming(page, daemon, step) for step in range(RUNS)]))  # fmt: skip
            tell("", "a drag to the bridge's first request",
                 spread([drag(page, bridge, ids["Light 1-2"], step) for step in range(RUNS)]))  # fmt: skip


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
        print(f"{browser.browser_type.name} {browser.version}")
        start(browser)
        many(browser)
        browser.close()


main()
