"""Fingers, on an emulated phone: what drifts or has rested changes nothing by accident."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from conftest import PHONE
from hands import Finger, box
from home import Home, said, section, slider
from lightsim import until
from playwright.sync_api import Page, expect

Visit = Callable[..., Page]


@pytest.fixture
def touched(home: Home, visit: Visit) -> tuple[Page, Finger, list[Any]]:
    """A phone that shows Desk at 5 %, its finger, and the commands that it sends."""
    home.command("set", target="Desk", brightness=5, wait=True)
    page = visit(viewport=PHONE, has_touch=True)
    expect(slider(section(page, "Living"), "Desk")).to_have_attribute("aria-valuenow", "5")
    sent: list[Any] = []
    page.on("request", lambda one: sent.append(one.post_data_json) if one.url.endswith("/v1/messages") else None)
    return page, Finger(page), sent


def test_a_finger_that_drifts_changes_nothing(touched: tuple[Page, Finger, list[Any]]) -> None:
    page, finger, sent = touched
    desk, sheet = slider(section(page, "Living"), "Desk"), page.get_by_role("dialog")
    for by in ((8, 0), (-8, 3), (0, 8)):
        area = box(desk)
        finger.move((area["x"] + area["width"] * 0.86, area["y"] + 100), by)
        finger.lift()
        # What the browser takes for a tap opens the sheet; that of another finger proves that this one is over.
        if not sheet.is_visible():
            page.touchscreen.tap(area["x"] + 20, area["y"] + 100)
        expect(sheet).to_be_visible()
        page.keyboard.press("Escape")
        expect(sheet).to_be_hidden()
        expect(desk).to_have_attribute("aria-valuenow", "5")
    assert sent == []


def test_a_level_moves_by_as_much_as_the_finger_does(home: Home, touched: tuple[Page, Finger, list[Any]]) -> None:
    page, finger, _ = touched
    desk = slider(section(page, "Living"), "Desk")
    area = box(desk)
    # From the far end of the tile, where the level is not.
    finger.move((area["x"] + area["width"] * 0.9, area["y"] + 100), (-10 - area["width"] * 0.9, 0))
    expect(desk).to_have_attribute("aria-valuenow", "1")
    finger.lift()
    finger.move((area["x"] + 10, area["y"] + 100), (10 + area["width"] * 0.5, 0))
    expect(desk).to_have_attribute("aria-valuenow", said("^(50|51|52)$"))
    finger.lift()
    until(lambda: 50 <= round(home.light("Desk")["brightness"]) <= 52, "the lamp has the level")


def test_after_a_finger_has_rested_the_page_shows_what_others_do(
    home: Home, touched: tuple[Page, Finger, list[Any]]
) -> None:
    page, finger, _ = touched
    sheet, summary = page.get_by_role("dialog"), page.locator("#summary")
    area = box(slider(section(page, "Living"), "Desk"))
    before = summary.text_content() or ""
    page.clock.install()
    finger.send("touchStart", (area["x"] + 20, area["y"] + 60))
    page.clock.run_for(600)
    expect(sheet.get_by_role("heading", name="Desk")).to_be_visible()
    finger.lift()
    page.clock.resume()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    home.command("turn", to="off", target="Desk", wait=True)
    expect(summary).not_to_have_text(before)
    home.command("set", target="Desk", brightness=5, wait=True)
    expect(summary).to_have_text(before)


def test_a_finger_that_scrolls_changes_nothing(touched: tuple[Page, Finger, list[Any]]) -> None:
    page, finger, sent = touched
    desk = slider(section(page, "Living"), "Desk")
    area = box(desk)
    finger.move((area["x"] + 60, area["y"] + 100), (12, -90), steps=10)
    finger.lift()
    until(lambda: page.evaluate("scrollY") > 20, "the page has scrolled")
    expect(desk).to_have_attribute("aria-valuenow", "5")
    assert sent == []


def test_a_lamp_that_is_off_stays_so_until_a_finger_fills_it(
    home: Home, touched: tuple[Page, Finger, list[Any]]
) -> None:
    page, finger, sent = touched
    home.command("turn", to="off", target="Sofa", wait=True)
    sofa = slider(section(page, "Living"), "Sofa")
    # Not below the dock.
    sofa.evaluate("node => node.scrollIntoView({ block: 'center' })")
    expect(sofa).to_have_attribute("aria-valuenow", "0")
    area = box(sofa)
    start = area["x"] + area["width"] * 0.7, area["y"] + area["height"] * 0.75
    finger.move(start, (-area["width"] * 0.6, 0))
    finger.lift()
    assert sent == [] and not home.is_on("Sofa")
    finger.move((area["x"] + 10, start[1]), (10 + area["width"] * 0.4, 0))
    expect(sofa).to_have_attribute("aria-valuenow", said("^(39|40|41)$"))
    finger.lift()
    until(lambda: home.is_on("Sofa"), "the lamp is on")


def test_nothing_changes_its_place_under_a_finger(home: Home, touched: tuple[Page, Finger, list[Any]]) -> None:
    page, finger, _ = touched
    finger.send("touchStart", (200, 20))
    home.command("create_room", name="Zone", kind="zone", targets=["desk"])
    try:
        # What one lamp shows is news that moves nothing.
        home.lightctl("dim", "desk", "33%", "--wait")
        expect(slider(section(page, "Living"), "Desk")).to_have_attribute("aria-valuenow", "33")
        expect(section(page, "Zone")).to_have_count(0)
        finger.lift()
        expect(section(page, "Zone")).to_be_visible()
    finally:
        home.command("delete_room", room="Zone", kind="zone")


def test_the_finger_that_has_rested_hits_nothing_that_opens_beneath_it(
    home: Home, touched: tuple[Page, Finger, list[Any]]
) -> None:
    page, finger, sent = touched
    # Where the slider will be.
    slider(section(page, "Living"), "Desk").press("Enter")
    sheet = page.get_by_role("dialog")
    # What is read later does not move it.
    area = box(slider(sheet, "Brightness"))
    expect(sheet.get_by_role("heading", name="Last changes")).to_be_visible()
    assert box(slider(sheet, "Brightness")) == area
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    x, y = area["x"] + area["width"] * 0.3, area["y"] + area["height"] / 2
    page.evaluate("document.body.style.paddingBlock = '1000px'")
    found = page.evaluate(
        """([x, y]) => {
            for (let top = 0; top < 3000; top += 20) {
                scrollTo(0, top)
                const node = document.elementFromPoint(x, y)
                if (node?.matches('.surface') && node.ariaLabel === 'Desk') return true
            }
        }""",
        [x, y],
    )
    assert found
    page.clock.install()
    finger.send("touchStart", (x, y))
    # The browser's own clock says that it was a tap: it presses what is there now.
    page.clock.run_for(600)
    expect(sheet.get_by_role("heading", name="Desk")).to_be_visible()
    finger.lift()
    page.clock.resume()
    page.evaluate("() => new Promise((resume) => requestAnimationFrame(() => requestAnimationFrame(resume)))")
    # The next finger is a new one, and comes after all that the first one has done.
    area = box(slider(sheet, "Brightness"))
    with page.expect_request("**/v1/messages"):
        page.touchscreen.tap(area["x"] + area["width"] * 0.9, area["y"] + area["height"] / 2)
    page.evaluate("() => new Promise((resume) => requestAnimationFrame(() => requestAnimationFrame(resume)))")
    assert all(one.get("brightness", 100) > 80 for one in sent), sent
