"""Makes docs/page-*.png; called by scripts/screenshots. LIGHTD, LIGHTSIM and CHROMIUM name the programs."""

from __future__ import annotations

import io
import os
import tempfile
from pathlib import Path
from typing import Any

from lightd import Lightd
from lightsim import LOOPBACK, REPOSITORY, Lightsim
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

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
SHOTS = {
    "phone": {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 1.5},
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


def shoot(browser: Browser, url: str, name: str, scheme: str, **options: Any) -> None:
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce", locale="en-GB", **options)
    page = context.new_page()
    page.goto(url)
    page.get_by_role("button", name="Without a name").click()
    page.get_by_text("No answer").wait_for()
    page.locator('[data-freshness="expected"]').first.wait_for(state="detached")
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    context.close()
    path = REPOSITORY / f"docs/page-{name}-{scheme}.png"
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
        finally:
            browser.close()
            daemon.stop()
            bridge.stop()


main()
