"""Makes the page's icon-*.png; called by scripts/icons."""

from __future__ import annotations

import io
import os
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

FILES = Path(__file__).parent.parent / "Sources/ControlServer/Page/Files"
# What Android asks of a manifest; iOS takes the smaller one.
SIZES = [192, 512]
# The glow has thousands. So few cannot be told from them at the size of an icon, and take a sixth of the bytes.
COLORS = 32


def main() -> None:
    svg = (FILES / "icon.svg").read_text()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
        for size in SIZES:
            page = browser.new_page(viewport={"width": size, "height": size})
            page.set_content(f"<style>body {{ margin: 0 }} svg {{ display: block; width: {size}px }}</style>{svg}")
            image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            file = FILES / f"icon-{size}.png"
            image.quantize(COLORS, kmeans=2, dither=Image.Dither.NONE).save(file, optimize=True)
            print(f"{file.name}: {file.stat().st_size} bytes")
            page.close()
        browser.close()


main()
