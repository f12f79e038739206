"""What happened and who did it, in the words of people: the log, a lamp's last changes, and undo."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from conftest import DESKTOP, PHONE
from hands import box, drag
from home import Home, said, section, slider, switch, tile
from playwright.sync_api import Locator, Page, expect

Visit = Callable[..., Page]
GERMAN = {"locale": "de-DE"}
STOPPED = "ERR_|status of 503"


def text(sentence: str) -> re.Pattern[str]:
    """A sentence whose names, in brackets here, are isolated."""
    return re.compile(re.escape(sentence).replace(r"\[", "\u2068").replace(r"\]", "\u2069"))


def open_log(page: Page) -> Locator:
    page.get_by_role("button", name="Menu").click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="Log").click()
    expect(sheet.get_by_role("listitem").first).to_be_visible()
    return sheet


def open_sheet(page: Page, room: str, name: str) -> Locator:
    slider(section(page, room), name).press("Enter")
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("heading", name=name, exact=True)).to_be_visible()
    return sheet


@pytest.fixture(autouse=True)
def evening(home: Home) -> None:
    """Every test begins with a line of its own: what is older cannot be told with what comes."""
    home.lightctl("dim", "sofa", "77%", "--wait")
    home.lightctl("dim", "desk", "40%", "--wait")


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_the_log_says_who_did_what_and_goes_on_while_it_is_open(
    home: Home, visit: Visit, viewport: dict[str, int]
) -> None:
    page = visit(viewport=viewport)
    level = 23 if viewport == PHONE else 24
    home.lightctl("dim", "desk", f"{level}%", "--wait")
    sheet = open_log(page)
    lines = sheet.get_by_role("listitem")
    expect(sheet.get_by_role("heading", name="Today")).to_be_visible()
    expect(lines.first).to_contain_text(text(f"[root] set [Desk] to {level}%"))
    expect(lines.first.locator("b")).to_have_text("\u2068root\u2069")
    expect(lines.first).to_contain_text("Living")
    # What happens while it is open comes on top, from whatever page.
    other = visit()
    switch(section(other, "Living"), "Fan").click()
    expect(lines.first).to_contain_text(said("The page turned .Fan. o"))
    # What the bridge reports of it is not said again, and no word of a program is.
    expect(lines.filter(has_text=text(f"set [Desk] to {level}%"))).to_have_count(1)
    for word in ("uid", "lightctl", "token", "over TCP", "recall", "undo"):
        assert word not in (sheet.text_content() or ""), word


def test_a_drag_is_one_line(home: Home, visit: Visit) -> None:
    page = visit()
    desk = slider(section(page, "Living"), "Desk")
    # With the finger down, however long each step takes: several keys are one gesture only while they are quick.
    drag(page, box(desk), 0.4, 0.8)
    expect(page.locator("#toast")).to_contain_text("Desk set to ")
    level = desk.get_attribute("aria-valuenow")
    lines = open_log(page).get_by_role("listitem")
    expect(lines.nth(0)).to_contain_text(text(f"The page set [Desk] to {level}%"))
    expect(lines.nth(1)).to_contain_text(text("[root] set [Desk] to 40%"))


def test_programs_and_bridges_are_told_on_request(home: Home, visit: Visit) -> None:
    page = visit()
    home.command("set", target="Sofa", brightness=31, wait=True)
    home.lightctl("dim", "desk", "41%", "--wait")
    sheet = open_log(page)
    lines, all = sheet.get_by_role("listitem"), sheet.get_by_role("button", name="Bridges and programs, too")
    expect(lines.nth(0)).to_contain_text(text("set [Desk] to 41%"))
    expect(lines.nth(1)).to_contain_text(text("[root] set [Desk] to 40%"))
    all.press("Enter")
    expect(all).to_have_attribute("aria-pressed", "true")
    expect(lines.filter(has_text=text("set [Sofa] to 31%")).first).to_be_visible()
    expect(lines.filter(has_text=said("The bridge .Flat. is connected")).first).to_be_visible()
    all.press("Enter")
    expect(lines.filter(has_text=text("set [Sofa] to 31%"))).to_have_count(0)


def test_a_room_has_a_log_of_its_own(home: Home, visit: Visit) -> None:
    page = visit()
    home.lightctl("turn", "on", "counter", "--wait")
    sheet = open_log(page)
    lines = sheet.get_by_role("listitem")
    expect(lines.nth(0)).to_contain_text(text("turned [Counter] on"))
    sheet.get_by_label("Room").select_option(label="Living")
    expect(lines.nth(0)).to_contain_text(text("set [Desk] to 40%"))
    expect(lines.filter(has_text="Counter")).to_have_count(0)
    # It goes on with what is chosen.
    home.lightctl("turn", "off", "counter", "--wait")
    home.lightctl("dim", "desk", "52%", "--wait")
    expect(lines.nth(0)).to_contain_text(text("set [Desk] to 52%"))
    expect(lines.filter(has_text="Counter")).to_have_count(0)


def test_older_lines_come_on_request(home: Home, visit: Visit) -> None:
    page = visit()
    page.evaluate("""async () => {
        for (let count = 0; count < 300; count += 1) {
            const body = JSON.stringify({ command: count % 2 ? 'unpin' : 'pin', target: 'sofa' })
            await fetch('/v1/messages', { method: 'POST', body, headers: { 'Content-Type': 'application/json' } })
        }
    }""")
    sheet = open_log(page)
    lines, older = sheet.get_by_role("listitem"), sheet.get_by_role("button", name="Show older")
    first = lines.filter(has_text=text("[root] set [Desk] to 40%"))
    expect(lines.first).to_contain_text(text("The page unpinned [Sofa]"))
    expect(first).to_have_count(0)
    while not first.count():
        count = lines.count()
        older.press("Enter")
        expect(lines.nth(count)).to_be_visible()
    # No line is told twice.
    assert lines.filter(has_text="pinned").count() == 300


def test_a_lamp_has_its_last_changes_in_its_sheet(home: Home, visit: Visit) -> None:
    page = visit(viewport=PHONE)
    home.lightctl("dim", "desk", "33%", "--wait")
    sheet = open_sheet(page, "Living", "Desk")
    expect(sheet).to_contain_text(text("[root] set [Desk] to 33%, "))
    lines = sheet.get_by_role("listitem")
    expect(sheet.get_by_role("heading", name="Last changes")).to_be_visible()
    expect(lines).to_have_count(4)
    expect(lines.nth(0)).to_contain_text(text("[root] set [Desk] to 33%"))
    expect(lines.nth(1)).to_contain_text(text("[root] set [Desk] to 40%"))
    # Of others it tells nothing; of programs it does.
    home.lightctl("dim", "sofa", "61%", "--wait")
    home.command("set", target="Desk", brightness=34, wait=True)
    expect(lines.nth(0)).to_contain_text(text("set [Desk] to 34%"))
    expect(lines.filter(has_text="Sofa")).to_have_count(0)
    sheet.get_by_role("button", name="Show all").press("Enter")
    expect(sheet.get_by_role("heading", name="Today")).to_be_visible()
    expect(lines.filter(has_text=text("set [Desk] to 33%")).first).to_be_visible()
    expect(lines.filter(has_text="Sofa")).to_have_count(0)
    sheet.get_by_role("button", name="Back").press("Enter")
    expect(sheet.get_by_role("heading", name="Desk", exact=True)).to_be_visible()


def test_who_may_only_look_is_told_of_no_log(home: Home, visit: Visit) -> None:
    page = visit(access="look")
    section(page, "Living").get_by_role("button", name=said("^Desk: ")).click()
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("heading", name="Why")).to_be_visible()
    expect(sheet.get_by_role("listitem")).to_have_count(0)
    for path in ("v1/page/log", "v1/page/command?ticket=1"):
        assert page.context.request.get(home.url + path).status == 403


def test_no_name_is_taken_for_more_than_a_name(home: Home, visit: Visit) -> None:
    name = "<b>x</b> {who} 12:00"
    home.rename("Fan", name)
    try:
        page = visit()
        home.lightctl("turn", "on", name, "--wait")
        line = open_log(page).get_by_role("listitem").first
        expect(line).to_contain_text(said("root. turned .<b>x</b> {.?who} 12:00. on"))
        expect(line.locator("b")).to_have_count(1)
    finally:
        home.lightctl("turn", "off", name)
        home.rename(name, "Fan")


def test_a_lost_connection_leaves_the_lines(home: Home, visit: Visit) -> None:
    page = visit(expected=STOPPED)
    lines = open_log(page).get_by_role("listitem")
    expect(lines.first).to_contain_text(text("set [Desk] to 40%"))
    count = lines.count()
    home.daemon.stop()
    try:
        expect(page.locator("#connection")).to_be_visible()
        assert lines.count() == count
    finally:
        home.daemon.start()
    expect(page.locator("#connection")).to_be_hidden()
    home.lightctl("dim", "desk", "44%", "--wait")
    expect(lines.first).to_contain_text(text("set [Desk] to 44%"))


def test_it_speaks_german_and_fits_the_smallest_phone(home: Home, visit: Visit) -> None:
    page = visit(viewport={"width": 320, "height": 640}, **GERMAN)
    home.lightctl("turn", "on", "@kitchen", "--wait")
    expect(tile(section(page, "Kitchen"), "Counter")).to_have_attribute("data-state", "on")
    page.get_by_role("button", name=said("Menu|Menü")).click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name=said("^Log|^Protokoll")).click()
    lines = sheet.get_by_role("listitem")
    expect(sheet.get_by_role("heading", name="Heute")).to_be_visible()
    expect(lines.first).to_contain_text(text("[root] hat [Kitchen] eingeschaltet"))
    wide = "node => node.scrollWidth - node.clientWidth"
    assert page.locator("#sheet").evaluate(wide) <= 0
    small = sheet.locator("button:visible, select:visible").evaluate_all(
        "nodes => nodes.filter(node => node.getBoundingClientRect().height < 44).map(node => node.outerHTML)"
    )
    assert small == []
    page.keyboard.press("Escape")
    # Undo, too.
    switch(section(page, "Living"), "Fan").click()
    page.locator("#toast").get_by_role("button", name="Rückgängig").click()
    expect(page.locator("#toast")).to_contain_text(said("Rückgängig gemacht: .Fan. (ein|aus)geschaltet."))
    home.lightctl("turn", "off", "@kitchen")
