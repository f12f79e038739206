"""Sensors: what a room says, their sheet, and notices that can be put away."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from conftest import DESKTOP, PHONE
from home import Home, section, slider, tile
from looks import overflow, violations
from playwright.sync_api import Locator, Page, expect

Visit = Callable[..., Page]
HOSTILE = "Window <b>{at}"
HOME = f"""
bridge: {{ name: Flat }}
rooms:
  - name: Kitchen
    lights:
      - {{ name: Stove, kind: ambiance }}
      - {{ name: Counter, kind: dimmable }}
    accessories:
      - {{ name: Motion, kind: motion }}
      - {{ name: "{HOSTILE}", kind: contact }}
      - {{ name: Dimmer, kind: switch }}
  - name: Living
    lights:
      - {{ name: Desk, kind: color }}
"""


def report(home: Home, what: str, sensor: str = "Motion", **values: object) -> None:
    home.bridge.control(f"/sensors/{sensor}/{what}", dict(values))


def warm(home: Home, degrees: float) -> None:
    report(home, "temperature", temperature=degrees)


def open_sensors(page: Page) -> Locator:
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^Sensors")).click()
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("heading", name="Sensors")).to_be_visible()
    return sheet


@pytest.mark.parametrize("access", ["full", "look"])
def test_a_room_says_what_its_sensors_say(home: Home, visit: Visit, access: str) -> None:
    warm(home, 20)
    report(home, "motion", motion=False)
    page = visit(access=access)
    line = section(page, "Kitchen").locator(".sensed")
    expect(line).to_contain_text("20°")
    warm(home, 21.5)
    report(home, "motion", motion=True)
    expect(line).to_contain_text("motion now · 21.5°")
    report(home, "motion", motion=False)
    expect(line).to_contain_text("motion just now")
    expect(section(page, "Living").locator(".sensed")).to_be_hidden()


def test_the_time_of_a_motion_goes_on(home: Home, visit: Visit) -> None:
    report(home, "motion", motion=True)
    report(home, "motion", motion=False)
    page = visit()
    page.clock.install()
    line = section(page, "Kitchen").locator(".sensed")
    expect(line).to_contain_text("motion just now")
    page.clock.fast_forward("04:10")
    # As when somebody looks at the page again: its own clock was there before.
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(line).to_contain_text("motion 4 min ago")


def test_a_hostile_name_is_a_name(home: Home, visit: Visit) -> None:
    page = visit()
    try:
        home.bridge.control(f"/sensors/{HOSTILE.replace('<', '%3C').replace('>', '%3E').replace(' ', '%20')}/contact", {"closed": False})
        expect(section(page, "Kitchen").locator(".sensed")).to_contain_text("Window <b>{")
        assert section(page, "Kitchen").locator(".sensed b").count() == 0
    finally:
        home.bridge.control(f"/sensors/{HOSTILE.replace('<', '%3C').replace('>', '%3E').replace(' ', '%20')}/contact", {"closed": True})


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_the_sheet_of_sensors_is_live(home: Home, visit: Visit, viewport: dict[str, int]) -> None:
    warm(home, 19)
    page = visit(viewport=viewport)
    sheet = open_sensors(page)
    expect(sheet).to_contain_text("19°")
    warm(home, 23.5)
    expect(sheet).to_contain_text("23.5°")
    # A day beside the value, with its words.
    expect(sheet.get_by_role("img", name="23.5° in the last day")).to_have_count(1)
    report(home, "motion", motion=True)
    expect(sheet).to_contain_text("Motion now")
    expect(sheet.get_by_role("img", name=re.compile("^Motion .*in the last day"))).to_have_count(1)
    # The dimmer has nothing but its battery.
    expect(sheet.get_by_text("Dimmer")).to_have_count(1)
    report(home, "motion", motion=False)


def test_the_sensors_stay_while_lightd_is_away_and_go_on(home: Home, visit: Visit) -> None:
    warm(home, 19)
    page = visit(expected="ERR_")
    sheet = open_sensors(page)
    expect(sheet).to_contain_text("19°")
    home.daemon.kill()
    try:
        expect(page.locator("#connection")).to_contain_text("Not connected since")
        expect(sheet).to_contain_text("19°")
    finally:
        home.daemon.start()
    page.locator("#connection").get_by_role("button", name="Try now").click()
    expect(page.locator("#connection")).to_be_hidden()
    warm(home, 18)
    expect(sheet).to_contain_text("18°")


def test_the_stream_of_sensors_ends_with_the_sheet(home: Home, visit: Visit) -> None:
    page = visit()
    ended: list[str] = []
    page.on("requestfailed", lambda request: ended.append(request.url))
    open_sensors(page)
    expect(page.get_by_role("dialog")).to_contain_text("Kitchen")
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/v1/page/sensors")):
        page.keyboard.press("Escape")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_among_sensors(home: Home, visit: Visit, scheme: str) -> None:
    warm(home, 20)
    page = visit(color_scheme=scheme, viewport={"width": 320, "height": 1600}, locale="de-DE", reduced_motion="reduce")
    page.get_by_role("button", name="Menü").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^Sensoren")).click()
    expect(page.get_by_role("dialog")).to_contain_text("Temperatur")
    assert violations(page) == [] and overflow(page) == 0
    assert page.locator("#sheet").evaluate("sheet => sheet.scrollWidth - sheet.clientWidth") <= 0


# MARK: Notices


def test_a_notice_is_put_away_until_something_else_happens(home: Home, visit: Visit) -> None:
    page = visit()
    notice = page.locator(".notice")
    dark = ["Stove", "Counter"]
    try:
        home.bridge.control("/lights/Stove/mains", {"on": False})
        home.command("turn", to="on", target="Stove")
        expect(notice).to_contain_text("1 light does not answer.")
        # Else it may be said after what comes next.
        expect(page.locator("#announcer")).to_contain_text("no answer")
        notice.get_by_role("button", name="Put away").press("Enter")
        expect(notice).to_have_count(0)
        expect(page.locator("#announcer")).to_have_text("Put away.")
        page.reload()
        expect(tile(section(page, "Kitchen"), "Stove")).to_have_attribute("data-freshness", "unreachable")
        expect(notice).to_have_count(0)
        # In this browser alone.
        expect(visit().locator(".notice")).to_have_count(1)
        home.bridge.control("/lights/Counter/mains", {"on": False})
        home.command("turn", to="on", target="Counter")
        expect(notice).to_contain_text("2 lights do not answer.")
        notice.get_by_role("button", name="Put away").click()
        expect(notice).to_have_count(0)
    finally:
        for name in dark:
            home.bridge.control(f"/lights/{name}/mains", {"on": True})
    # It is over: the next time it is news.
    for name in dark:
        expect(tile(section(page, "Kitchen"), name)).not_to_have_attribute("data-freshness", "unreachable")
    page.wait_for_function("JSON.parse(localStorage.getItem('put-away')).length === 0")


def test_a_weak_battery_is_said_before_it_is_dead(home: Home, visit: Visit) -> None:
    page = visit(viewport=PHONE)
    notice = page.locator(".notice")
    report(home, "battery", "Dimmer", percent=9)
    expect(notice).to_contain_text(re.compile("The battery of .?Dimmer.? is low.*At 9%: change it"))
    notice.get_by_role("button", name="Put away").click()
    expect(notice).to_have_count(0)
    # The weakest comes first.
    batteries = open_sensors(page).get_by_role("listitem").filter(has_text="%")
    expect(batteries.first).to_contain_text("Dimmer")
    expect(batteries.first).to_contain_text("9%")
    report(home, "battery", "Dimmer", percent=100)
    expect(batteries.filter(has_text="9%")).to_have_count(0)


def test_what_others_have_stored_there_harms_nothing(home: Home, visit: Visit) -> None:
    page = visit()
    for stored in ["{", "7", '["a", 3]', "null"]:
        page.evaluate("text => localStorage.setItem('put-away', text)", stored)
        page.reload()
        expect(slider(section(page, "Living"), "Desk")).to_be_visible()

