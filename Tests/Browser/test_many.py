"""A home of 500 lights."""

from __future__ import annotations

from collections.abc import Callable

from conftest import PHONE
from home import Home, section, slider
from looks import overflow, violations
from playwright.sync_api import Page, expect

ROOMS = [f"Room {room:02}" for room in range(1, 26)]
HOME = "rooms:\n" + "".join(
    f"  - name: {room}\n    lights:\n"
    + "".join(f"      - {{ name: {room} Lamp {lamp}, kind: color, on: true, brightness: 60 }}\n" for lamp in range(1, 21))
    for room in ROOMS
)


def test_500_lights_are_read_out_and_fit_a_phone(home: Home, visit: Callable[..., Page]) -> None:
    page = visit(viewport=PHONE, reduced_motion="reduce")
    expect(page.locator("#summary")).to_contain_text("500")
    expect(slider(section(page, ROOMS[-1]), f"All of {ROOMS[-1]}")).to_be_visible()
    assert overflow(page) == 0 and violations(page) == []
    page.get_by_role("button", name=f"Lamps of {ROOMS[-1]}").click()
    expect(slider(page, f"{ROOMS[-1]} Lamp 20")).to_be_visible()
    assert overflow(page) == 0 and violations(page) == []
