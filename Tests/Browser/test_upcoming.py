"""What comes next, what runs, and the automations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from conftest import DESKTOP, PHONE
from home import Home, said, section, slider, tile
from lightsim import until
from looks import overflow, violations
from playwright.sync_api import Locator, Page, expect

Visit = Callable[..., Page]
# Where the sun is known.
MORE = "home: {latitude: 52.5, longitude: 13.4}\n"
HOSTILE = "<img src=x onerror=alert(1)> {due} {at}"
NEXT = datetime.now(UTC) + timedelta(hours=3)
HOUR = f"{NEXT.hour}:{NEXT:%M}"
DAY = "Today" if NEXT.date() == datetime.now(UTC).date() else "Tomorrow"


def apply(home: Home, *automations: dict[str, Any]) -> None:
    """These and no others."""
    # What is JSON is YAML.
    (home.place / "automations.yaml").write_text(json.dumps({"automations": list(automations)}))
    home.lightctl("automation", "apply", str(home.place / "automations.yaml"))


EVENING = {"name": "Evening", "when": f"{NEXT:%H:%M}", "do": ["turn on Fan", "set Desk --brightness 40%"]}
BY_DOOR = {"name": "By door", "when": "bridge lost", "do": ["turn on Fan", "wait 20m", "turn off Fan"]}


@pytest.fixture(autouse=True)
def calm(home: Home) -> Iterator[None]:
    """Nothing is planned, and nothing runs."""
    yield
    for timer in home.daemon.ask("GET", "/v1/timers"):
        home.command("cancel_timer", timer=timer["name"])
    if home.daemon.ask("GET", "/v1/followings"):
        home.command("unfollow", target="all")
    apply(home)


@pytest.fixture
def visit(visit: Visit) -> Visit:
    """Where clocks have 24 hours."""
    return lambda *given, **options: visit(*given, **{"locale": "en-GB", "timezone_id": "UTC", **options})


def strip(page: Page) -> Locator:
    return page.locator("#upcoming")


def open_upcoming(page: Page) -> Locator:
    strip(page).click()
    return sheet(page, "Upcoming")


def open_automations(page: Page) -> Locator:
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("dialog").get_by_role("button", name="Automations").click()
    return sheet(page, "Automations")


def sheet(page: Page, title: str) -> Locator:
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name=title, level=2)).to_be_visible()
    return dialog


def row(within: Locator, name: str) -> Locator:
    return within.get_by_role("listitem").filter(has=within.page.get_by_text(name, exact=True))


def shown(home: Home, name: str) -> dict[str, Any]:
    return next(one for one in home.daemon.ask("GET", "/v1/automations") if one["name"] == name)


def test_the_home_says_what_comes_next_as_soon_as_it_is_known(home: Home, visit: Visit) -> None:
    page = visit(viewport=PHONE)
    expect(strip(page)).to_be_hidden()
    apply(home, EVENING)
    expect(strip(page)).to_have_text(said(rf"{HOUR}Evening"))
    home.command("schedule", **{"do": ["turn on Fan", "wait 10m", "restore Fan"]})
    expect(strip(page)).to_have_text(said(r"10 minFan off.*Evening"))
    assert overflow(page) == 0
    apply(home)
    expect(strip(page)).to_have_text(said(r"^10 minFan off,\s*$"))
    for timer in home.daemon.ask("GET", "/v1/timers"):
        home.command("cancel_timer", timer=timer["name"])
    expect(strip(page)).to_be_hidden()


def test_at_most_four_stand_on_the_home_and_all_in_the_sheet(home: Home, visit: Visit) -> None:
    page = visit()
    apply(home, *({**EVENING, "name": f"Evening {number}"} for number in range(6)))
    expect(strip(page).locator("> span")).to_have_count(4)
    dialog = open_upcoming(page)
    expect(dialog.get_by_role("listitem")).to_have_count(6)
    expect(dialog.get_by_role("heading", level=3, name=DAY)).to_be_visible()


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_what_repeats_is_skipped_once_and_after_all_not(home: Home, visit: Visit, viewport: dict[str, int]) -> None:
    apply(home, EVENING)
    page, other = visit(viewport=viewport), visit()
    strip(page).focus()
    page.keyboard.press("Enter")
    dialog = sheet(page, "Upcoming")
    skip = dialog.get_by_role("button", name="Skip once: Evening")
    skip.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#toast")).to_contain_text(said(rf"Skipped once\. Evening runs again: \w{{3}} {HOUR}\."))
    # The same button, which keeps the focus.
    unskip = dialog.get_by_role("button", name="Don't skip: Evening")
    expect(unskip).to_be_focused()
    expect(row(dialog, "Evening")).to_contain_text("Skipped once (the page)")
    assert row(dialog, "Evening").locator("b").evaluate("node => getComputedStyle(node).textDecorationLine") \
        == "line-through"  # fmt: skip
    assert shown(home, "Evening")["skipping"].startswith(f"{NEXT:%Y-%m-%dT%H:%M}")
    assert "skipped once" in home.lightctl("automation", "show", "evening")
    # Nothing is left for the home.
    expect(strip(other)).to_be_hidden()
    home.lightctl("automation", "unskip", "evening")
    expect(skip).to_be_focused()
    expect(strip(other)).to_contain_text("Evening")
    assert "skipping" not in shown(home, "Evening")


def test_what_was_turned_on_for_a_while_is_kept_on(home: Home, visit: Visit) -> None:
    home.command("turn", to="off", target="Fan", wait=True)
    home.lightctl("turn", "on", "fan", "--for", "10m")
    page = visit(viewport=PHONE)
    dialog = open_upcoming(page)
    line = row(dialog, "Fan off")
    expect(line).to_contain_text(said("^10 min"))
    expect(line.locator(".ring")).to_be_visible()
    assert float(line.locator(".ring").evaluate("node => node.style.getPropertyValue('--left')")) > 0.9
    line.get_by_role("button", name="Keep on").click()
    expect(dialog.get_by_text("Nothing is planned")).to_be_visible()
    assert home.daemon.ask("GET", "/v1/timers") == [] and home.is_on("Fan")


def test_what_runs_is_stopped_and_what_waits_for_its_time_is_cancelled(home: Home, visit: Visit) -> None:
    apply(home, BY_DOOR)
    page = visit()
    home.command("follow", target="@Living")
    home.command("wake", target="@Living", over=3_600_000)
    home.lightctl("in", "30m", "turn", "off", "all")
    home.command("run_automation", automation="By door")
    dialog = open_upcoming(page)
    expect(row(dialog, "By door")).to_contain_text("Then Fan off")
    row(dialog, "By door").get_by_role("button", name="Stop").click()
    expect(row(dialog, "By door")).to_have_count(0)
    assert shown(home, "By door")["running"] == []
    row(dialog, "All lights off").get_by_role("button", name="Cancel").click()
    expect(row(dialog, "All lights off")).to_have_count(0)
    expect(row(dialog, "Wake-up in Living")).to_contain_text(said(r"60 min.*Full light at (\w{3} )?\d\d?:\d\d"))
    row(dialog, "Wake-up in Living").get_by_role("button", name="Stop").click()
    expect(dialog.get_by_role("listitem")).to_have_count(0)
    # It goes on following the day.
    assert [one["course"] for one in home.daemon.ask("GET", "/v1/followings")] == ["daylight"]


def test_being_away_says_until_when_and_ends(home: Home, visit: Visit) -> None:
    end = datetime.now(UTC) + timedelta(days=3)
    home.command("away", to="on", plain=True, until=f"{end:%Y-%m-%dT%H:%M:%SZ}")
    page = visit(viewport=PHONE)
    expect(strip(page)).to_contain_text(f"Away until {end:%a %H:%M}")
    dialog = open_upcoming(page)
    dialog.get_by_role("button", name="Off: Away").click()
    expect(dialog.get_by_text("Nothing is planned")).to_be_visible()
    assert not home.daemon.ask("GET", "/v1/away")["on"]


def test_who_may_only_look_sees_it_and_changes_nothing(home: Home, visit: Visit) -> None:
    apply(home, EVENING, {**BY_DOOR, "name": HOSTILE})
    home.command("follow", target="Desk")
    page = visit(access="look", viewport=PHONE)
    dialog = open_upcoming(page)
    expect(row(dialog, "Evening")).to_be_visible()
    expect(dialog.get_by_role("listitem").get_by_role("button")).to_have_count(0)
    dialog.get_by_role("button", name="Automations").click()
    listed = sheet(page, "Automations")
    expect(row(listed, HOSTILE)).to_be_visible()
    expect(listed.get_by_role("switch")).to_have_count(0)
    expect(listed.get_by_role("listitem").get_by_role("button")).to_have_count(0)
    assert page.locator("img").count() == 0


def test_names_are_never_markup_nor_marks(home: Home, visit: Visit) -> None:
    apply(home, {**EVENING, "name": HOSTILE})
    page = visit(viewport=PHONE)
    # An invisible word joiner follows each brace.
    expect(strip(page)).to_contain_text(said(r"<img src=x onerror=alert\(1\)> \{.?due\} \{.?at\}"))
    expect(open_upcoming(page).get_by_role("listitem")).to_contain_text(said(r"\{.?due\}"))
    assert overflow(page) == 0 and page.locator("img").count() == 0


def test_an_automation_is_switched_run_stopped_and_skipped_in_the_list(home: Home, visit: Visit) -> None:
    apply(home, BY_DOOR, EVENING)
    home.command("turn", to="off", target="Fan", wait=True)
    page, other = visit(viewport=PHONE), visit()
    here, there = open_automations(page), open_automations(other)
    # The next to run comes first.
    expect(here.get_by_role("listitem").locator("b")).to_have_text(["Evening", "By door"])
    expect(row(here, "Evening")).to_contain_text(f"{NEXT:%H:%M}: Fan on, Desk 40%")
    expect(row(here, "By door")).to_contain_text("A bridge lost: Fan on, after 20 min, Fan off")
    row(here, "Evening").get_by_role("switch").click()
    for dialog in (here, there):
        expect(row(dialog, "Evening").get_by_role("switch")).to_have_attribute("aria-checked", "false")
        expect(row(dialog, "Evening")).to_contain_text("Switched off")
    assert not shown(home, "Evening")["enabled"]
    home.lightctl("automation", "enable", "evening")
    expect(row(here, "Evening").get_by_role("switch")).to_have_attribute("aria-checked", "true")
    row(here, "By door").get_by_role("button", name="Run now").press("Enter")
    stop = row(here, "By door").get_by_role("button", name="Stop")
    expect(stop).to_be_focused()
    expect(row(there, "By door")).to_contain_text("Runs now, then Fan off")
    assert home.is_on("Fan")
    stop.press("Enter")
    expect(row(there, "By door")).to_contain_text(said(r"Ran at \d\d?:\d\d: it was stopped"))
    row(there, "Evening").get_by_role("button", name="Skip once").click()
    expect(row(here, "Evening")).to_contain_text("Skipped once: ")
    row(here, "Evening").get_by_role("button", name="Don't skip").click()
    expect(row(there, "Evening")).to_contain_text("Next: ")
    apply(home)
    expect(here.get_by_text("There are no automations yet.")).to_be_visible()


def test_nothing_is_done_while_lightd_is_away(home: Home, visit: Visit) -> None:
    apply(home, EVENING)
    page = visit(expected="ERR_|status of 503")
    dialog = open_upcoming(page)
    expect(row(dialog, "Evening")).to_be_visible()
    home.daemon.kill()
    try:
        expect(page.locator("#connection")).to_contain_text("Not connected since")
        row(dialog, "Evening").get_by_role("button", name="Skip once").click()
        expect(page.locator("#announcer")).to_have_text("Not connected: nothing can be changed now.")
        page.keyboard.press("Escape")
        strip(page).click()
        expect(page.get_by_role("dialog")).to_be_hidden()
    finally:
        home.daemon.start()
    page.get_by_role("button", name="Try now").click()
    expect(page.locator("#connection")).to_be_hidden()
    assert "skipping" not in shown(home, "Evening")
    expect(open_upcoming(page).get_by_role("button", name="Skip once")).to_be_visible()


def test_a_lamp_that_follows_the_day_says_so_and_is_given_back(home: Home, visit: Visit) -> None:
    page = visit(viewport=PHONE)
    desk = tile(section(page, "Living"), "Desk")
    expect(desk.locator(".sun")).to_be_hidden()
    slider(section(page, "Living"), "Desk").press("Enter")
    dialog = sheet(page, "Desk")
    dialog.get_by_role("button", name="Follow the day").press("Enter")
    expect(dialog.get_by_role("button", name="Stop following")).to_be_focused()
    expect(desk.locator(".sun")).to_be_visible()
    assert "follows the day" in (slider(section(page, "Living"), "Desk").get_attribute("aria-valuetext") or "")
    home.command("set", target="Desk", brightness=13, wait=True)
    expect(dialog.get_by_text("Its brightness is yours")).to_be_visible()
    expect(desk.locator(".sun")).to_be_hidden()
    dialog.get_by_role("button", name="Resume").click()
    expect(dialog.get_by_text("Its brightness is yours")).to_have_count(0)
    until(lambda: not any(one.get("paused") for one in home.light("Desk").get("follows", [])), "it follows again")
    expect(desk.locator(".sun")).to_be_visible()
    dialog.get_by_role("button", name="Stop following").click()
    expect(dialog.get_by_role("button", name="Follow the day")).to_be_visible()
    assert home.daemon.ask("GET", "/v1/followings") == []


@pytest.mark.parametrize("width", [320, 390])
def test_in_german_nothing_runs_over_the_edge(home: Home, visit: Visit, width: int) -> None:
    apply(home, {**EVENING, "name": "Abendlicht im Treppenhaus und in der Küche"}, BY_DOOR)
    home.command("schedule", **{"do": ["turn on Fan", "wait 10m", "restore Fan"]})
    page = visit(viewport={"width": width, "height": 700}, locale="de-DE")
    expect(strip(page)).to_contain_text("10 Min.")
    assert overflow(page) == 0
    strip(page).click()
    dialog = sheet(page, "Demnächst")
    expect(dialog.get_by_role("button", name="Einmal auslassen").first).to_be_visible()
    wide = "sheet => sheet.scrollWidth - sheet.clientWidth"
    assert page.locator("#sheet").evaluate(wide) <= 0 and violations(page) == []
    dialog.get_by_role("button", name="Automatiken").click()
    expect(row(sheet(page, "Automatiken"), "By door")).to_contain_text("Fan an, nach 20 Min., Fan aus")
    assert page.locator("#sheet").evaluate(wide) <= 0 and violations(page) == []
