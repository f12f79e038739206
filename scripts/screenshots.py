"""Makes docs/page-*.png; called by scripts/screenshots. LIGHTD, LIGHTSIM and CHROMIUM name the programs."""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lightd import Lightd
from lightsim import LOOPBACK, REPOSITORY, Lightsim
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

LARGEST = 150_000
CONFIGURATION = f"""
discovery: {{mdns: false, hosts: ['{LOOPBACK}:443']}}
limits: {{groups_per_second: 10}}
tcp: {{enabled: true, port: 8377}}
"""
HOME = """
bridge:
  name: Flat
rooms:
  - name: Family room
    archetype: living_room
    lights:
      - { name: Desk, kind: color }
      - { name: Sofa, kind: ambiance }
      - { name: Shelf strip, kind: gradient }
      - { name: Fan, kind: plug }
      - { name: Floor lamp by the window, kind: color }
  - name: Kitchen
    archetype: kitchen
    lights:
      - { name: Counter, kind: ambiance }
      - { name: Stove, kind: ambiance }
  - name: Main bedroom
    archetype: bedroom
    lights:
      - { name: Bed left, kind: color }
      - { name: Bed right, kind: color }
      - { name: Wardrobe, kind: dimmable }
scenes:
  - name: Evening
    group: Family room
    lights:
      Desk: { brightness: 72, xy: [0.57, 0.39], effect: candle }
      Sofa: { brightness: 30, mirek: 444 }
      Shelf strip: { brightness: 90, gradient: [[0.19, 0.17], [0.3, 0.13], [0.6, 0.35]] }
      Floor lamp by the window: { brightness: 40, mirek: 400 }
  - name: Reading
    group: Family room
    lights:
      Sofa: { brightness: 100, mirek: 300 }
  - name: Aurora
    group: Family room
    lights:
      Desk: { brightness: 60, xy: [0.17, 0.65] }
      Shelf strip: { brightness: 80, xy: [0.25, 0.1] }
  - name: Night
    group: Main bedroom
    lights:
      Bed left: { brightness: 8, xy: [0.6, 0.35] }
      Bed right: { brightness: 8, xy: [0.6, 0.35] }
"""
AUTOMATIONS = """
automations:
  - name: Wake-up
    when: 06:30 mon-fri
    do: [wake "@Main bedroom" --over 30m, wait 1h, turn off "@Main bedroom"]
    mode: restart
  - name: Evening
    when: 18:00
    do: recall "Family room/Evening"
  - name: Kitchen off
    when: room Kitchen on for 2h
    do: turn off @Kitchen
"""
DEVICES = iter(["Ben's phone", "Kitchen tablet", "Anna's laptop", "Grandma's tablet", "Anna's phone"])
PHONE = {"width": 390, "height": 844}
SHOTS = {
    "phone": {"viewport": PHONE, "device_scale_factor": 1.5},
    "desktop": {"viewport": {"width": 1280, "height": 900}},
}


def furnish(bridge: Lightsim, daemon: Lightd) -> None:
    """An evening at home."""
    bridge.press_button()
    daemon.ask("POST", "/v1/messages", {"command": "pair"})
    with daemon.local() as session:

        def command(command: str, **fields: Any) -> None:
            """As a page sends it, until the bridge has confirmed it."""
            body = {"command": command, **fields}
            headers = {"X-Lightd-Client": "page"}
            answer = session.post(f"{daemon.url}/v1/messages", json=body, headers=headers, timeout=20)
            if not answer.ok:
                raise RuntimeError(f"{body}: {answer.text}")

        answer = session.put(f"{daemon.url}/v1/automations", data=AUTOMATIONS.encode(), timeout=20)
        if not answer.ok:
            raise RuntimeError(answer.text)
        command("schedule", do=["turn off @Kitchen"], after=420)
        command("pin", target="@Kitchen")
        command("pin", target="Shelf strip")
        command("set", target="@Kitchen", brightness=40, temperature=300, wait=True)
        command("set", target="Stove", brightness=64, temperature=240, wait=True)
        command("set", target="Bed left", brightness=35, color="pink", wait=True)
        command("recall", scene="Evening", wait=True)
        bridge.control("/lights/Floor%20lamp%20by%20the%20window/mains", {"on": False})
        # That it is gone shows when it does not do what it is told.
        command("turn", to="on", target="Floor lamp by the window")


def shrunk(picture: Image.Image) -> Image.Image:
    """With 256 colours: half of them are the most frequent ones, so that grounds stay even; half are spread, so that small
    marks keep theirs."""
    counted = picture.getcolors(picture.width * picture.height) or []
    frequent = [part for _, color in sorted(counted, reverse=True)[:128] for part in color]
    spread = picture.quantize(128, method=Image.Quantize.MAXCOVERAGE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette(frequent + spread[: 768 - len(frequent)])
    return picture.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG)


@contextlib.contextmanager
def visit(browser: Browser, url: str, scheme: str, name: str, **options: Any) -> Iterator[Page]:
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce", **{"locale": "en-GB", **options})
    page = context.new_page()
    page.goto(url)
    page.get_by_label("What is this device called?").fill(name)
    page.keyboard.press("Enter")
    page.locator('[data-freshness="unreachable"]').first.wait_for(state="attached")
    page.locator('[data-freshness="expected"]').first.wait_for(state="detached")
    yield page
    context.close()


def taken(page: Page) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def shoot(browser: Browser, url: str, name: str, scheme: str, **options: Any) -> None:
    with visit(browser, url, scheme, next(DEVICES), **options) as page:
        save(taken(page), f"{name}-{scheme}")


def shoot_sheets(browser: Browser, url: str) -> None:
    """What is behind the home, on a phone."""
    pictures = []
    with visit(browser, url, "light", next(DEVICES), viewport=PHONE) as page:
        sheet = page.get_by_role("dialog")

        def menu(name: str) -> None:
            page.keyboard.press("Escape")
            page.locator("#menu").click()
            sheet.get_by_role("button", name=re.compile(f"^{name}")).click()

        def take() -> None:
            page.locator(".working").first.wait_for(state="detached")
            pictures.append(taken(page))

        page.locator("#upcoming").click()
        sheet.get_by_role("listitem").first.wait_for()
        take()
        menu("Automations")
        sheet.get_by_role("switch").first.wait_for()
        take()
        sheet.get_by_role("button", name="New automation").click()
        sheet.get_by_role("heading", name="New automation").wait_for()
        sheet.get_by_role("button", name="Wake-up").click()
        sheet.locator(".outcome").get_by_text("Next").wait_for()
        take()
        save(beside(pictures), "time")
        pictures.clear()
        # A form keeps what is filled in: it is left step by step.
        while sheet.is_visible():
            page.keyboard.press("Escape")
            page.wait_for_timeout(200)
        page.locator("#sections button.chip", has_text="Evening").first.click(button="right")
        sheet.get_by_role("button", name="Edit its lamps").click()
        sheet.locator(".tile").first.wait_for()
        take()
        sheet.get_by_role("button", name="Cancel").click()
        for name in ("All of Kitchen", "Fan"):
            page.get_by_role("switch", name=name).first.click()
            page.locator("#toast").get_by_text("turned").wait_for()
        page.locator("#toast").wait_for(state="hidden")
        menu("People and phones")
        sheet.get_by_role("button", name="Add a phone").wait_for()
        take()
        menu("Log")
        sheet.get_by_role("heading", name="Log").wait_for()
        sheet.locator(".log li").nth(2).wait_for()
        take()
        save(beside(pictures), "home")


def beside(pictures: list[Image.Image]) -> Image.Image:
    gap = 12
    width, height = pictures[0].size
    whole = Image.new("RGB", (len(pictures) * (width + gap) - gap, height), "white")
    for place, picture in enumerate(pictures):
        whole.paste(picture, (place * (width + gap), 0))
    return whole


def save(picture: Image.Image, name: str) -> None:
    path = REPOSITORY / f"docs/page-{name}.png"
    shrunk(picture).save(path, optimize=True)
    if (size := path.stat().st_size) > LARGEST:
        raise RuntimeError(f"{path} has {size} bytes, more than {LARGEST}")
    print(f"{path.relative_to(REPOSITORY)}: {size // 1000} kB")


def main() -> None:
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        (home := Path(place) / "home.yaml").write_text(HOME)
        bridge = Lightsim(LOOPBACK, "--home", str(home), "--time-scale", "10")
        daemon = Lightd(Path(place), CONFIGURATION)
        browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
        try:
            furnish(bridge, daemon)
            for name, options in SHOTS.items():
                for scheme in ("light", "dark"):
                    url = daemon.ask("POST", "/v1/links", {"access": "full"})["url"]
                    shoot(browser, url, name, scheme, **options)
            shoot_sheets(browser, daemon.ask("POST", "/v1/links", {"access": "full"})["url"])
        finally:
            browser.close()
            daemon.stop()
            bridge.stop()


main()
