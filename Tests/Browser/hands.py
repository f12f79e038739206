"""What a person's hand does to the page: with a mouse, and with a finger."""

from __future__ import annotations

import math

from playwright.sync_api import FloatRect, Locator, Page, expect

# What a finger drifts before it drags, in pixels.
SLOP = 10


def box(locator: Locator) -> FloatRect:
    """Once nothing moves it: while the connection is lost, the page says so above everything."""
    expect(locator.page.locator("#connection")).to_be_hidden()
    found = locator.bounding_box()
    assert found is not None
    return found


def begin_drag(page: Page, area: FloatRect, start: float, end: float, steps: int = 8) -> float:
    """Moves a level by so much of the tile's width. Leaves the finger down.

    Returns its y.
    """
    end += math.copysign(SLOP / area["width"], end - start)
    y = area["y"] + area["height"] * 0.75
    sheet = page.locator("#sheet")
    for _ in range(5):
        page.mouse.move(area["x"] + area["width"] * start, y)
        page.mouse.down()
        page.mouse.move(area["x"] + area["width"] * end, y, steps=steps)
        # Half a second between the press and the first move, as on a busy machine, is a finger that rests.
        if not sheet.is_visible():
            return y
        page.mouse.up()
        page.keyboard.press("Escape")
        expect(sheet).to_be_hidden()
    raise AssertionError("every drag was taken for a finger that rests")


def drag(page: Page, area: FloatRect, start: float, end: float, steps: int = 8) -> None:
    begin_drag(page, area, start, end, steps)
    page.mouse.up()


class Finger:
    def __init__(self, page: Page) -> None:
        self.session = page.context.new_cdp_session(page)

    def send(self, kind: str, *points: tuple[float, float]) -> None:
        touches = [{"x": x, "y": y} for x, y in points]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    def move(self, start: tuple[float, float], by: tuple[float, float], steps: int = 6) -> None:
        """Leaves the finger down."""
        self.send("touchStart", start)
        for step in range(1, steps + 1):
            self.send("touchMove", (start[0] + by[0] * step / steps, start[1] + by[1] * step / steps))

    def lift(self) -> None:
        self.send("touchEnd")
