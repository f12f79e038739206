"""That everybody can use it: axe's rules, sizes, zoom, names from right to left."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
import requests
from conftest import DESKTOP, PHONE
from home import Home, look_at, named, reach_from_phones, section, sign_in, slider, switch, tile
from looks import overflow, violations
from playwright.sync_api import Locator, Page, expect

Visit = Callable[..., Page]
HEBREW = "מנורת שולחן"


def sheets(page: Page, home: Home) -> Iterator[str]:
    """Shows everything that the page can show, one after the other."""
    sheet = page.get_by_role("dialog")

    def button(name: str | re.Pattern[str], within: Locator | Page = sheet) -> None:
        within.get_by_role("button", name=name, exact=False).first.click()

    reach_from_phones(page)
    yield "the home"
    switch(section(page, "Living"), "Fan").click()
    expect(page.locator("#toast")).to_be_visible()
    yield "with a toast"
    slider(section(page, "Living"), "Desk").click()
    expect(sheet.get_by_role("heading", name="Last changes")).to_be_visible()
    yield "a light with sliders"
    button("Rename")
    yield "its name"
    button("Back")
    button("Settings")
    expect(sheet.get_by_label("After a power cut")).to_be_visible()
    yield "how it is set up"
    page.keyboard.press("Escape")
    home.lightctl("dashboard", "display", "desk", "scrubbing")
    slider(section(page, "Living"), "Desk").click()
    expect(sheet.locator(".field")).to_have_count(2)
    yield "a light with fields"
    page.keyboard.press("Escape")
    home.lightctl("dashboard", "display", "desk", "slider")
    slider(section(page, "Living"), "All of Living").click()
    yield "a room"
    button("Save what it shows")
    yield "a scene to save"
    button("Back")
    # A white is called so, too.
    sheet.locator(".pill", has_text="Evening").click()
    expect(sheet.get_by_role("heading", name="Evening")).to_be_visible()
    yield "a scene"
    button("Rename")
    yield "its new name"
    button("Back")
    button("Delete")
    expect(sheet.get_by_role("button", name="Keep it")).to_be_visible()
    yield "a scene to delete"
    button("Keep it")
    button("Edit its lamps")
    slider(sheet, "Desk").click()
    expect(sheet.get_by_role("heading", name="Desk")).to_be_visible()
    for tone in ("White", "Colour", "Effect"):
        look_at(sheet, tone)
        yield f"the {tone.lower()} of a lamp of a scene"
    button("Back")
    expect(slider(sheet, "Sofa")).to_be_visible()
    yield "the lamps of a scene"
    button("Cancel")
    expect(sheet).to_be_hidden()
    button("Arrange", page)
    yield "the order of the pins"
    button("Done", page)
    page.locator("#upcoming").click()
    expect(sheet.get_by_role("listitem").first).to_be_visible()
    yield "what comes next"
    button("Automations")
    expect(sheet.get_by_role("switch").first).to_be_visible()
    yield "the automations"
    button("New automation")
    yield "the kinds of automations"
    for kind in ("Wake-up", "Evening light"):
        button(kind)
        expect(sheet.locator(".outcome")).to_contain_text("Next")
        for other in sheet.get_by_role("radio", name="Other…").all():
            other.check()
        yield f"the form of {kind}"
        button("Back")
    page.keyboard.press("Escape")
    button("Menu", page)
    button("Arrange the rooms")
    yield "the order of the rooms"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Lamps of Living").click()
    yield "a folded room"
    page.get_by_role("button", name="Lamps of Living").click()
    page.keyboard.press("/")
    sheet.get_by_role("combobox").fill("living")
    expect(sheet.get_by_role("row").nth(3)).to_be_visible()
    yield "what is found"
    page.keyboard.press("Escape")
    button("Menu", page)
    yield "the menu"
    button("Sensors")
    expect(sheet).to_contain_text("There are no sensors yet.")
    yield "no sensors"
    button("Back")
    button("Rooms and lamps")
    expect(sheet.get_by_role("button", name="New room")).to_be_visible()
    yield "rooms"
    button("Living")
    expect(sheet.get_by_label("Name")).to_be_visible()
    yield "a room to change"
    button("Delete room")
    yield "a room to delete"
    button("Keep it")
    expect(sheet.get_by_role("button", name="New room")).to_be_visible()
    button("Back")
    button("Log")
    expect(sheet.get_by_role("listitem").first).to_be_visible()
    yield "the log"
    button("Bridges and programs, too")
    expect(sheet.get_by_role("listitem").filter(has_text="is connected").first).to_be_visible()
    yield "the log with bridges and programs"
    button("Back")
    button("Forget")
    yield "a bridge to forget"
    button("Keep it")
    button(re.compile("^This device"))
    yield "this device"
    button("Back")
    button("Install as an app")
    yield "the home screen"
    button("Back")
    button("Sign out")
    expect(sheet.get_by_role("heading", name="Sign out?")).to_be_visible()
    yield "a sign-out"
    button("Stay")
    button("People and phones")
    expect(sheet.get_by_role("button", name="Another phone")).to_be_visible()
    yield "who is signed in"
    button("Another phone")
    expect(sheet.get_by_role("radio", name="No end")).to_be_checked()
    yield "another phone"
    button("Back")
    button("Add a phone")
    sheet.get_by_role("radio", name="Another day").check()
    yield "a phone to add"
    sheet.get_by_role("radio", name="No end").check()
    button("Everything")
    expect(sheet.get_by_role("img")).to_be_visible()
    yield "its link"
    button("Back")
    button("Back")
    button("Back")
    button("Pair a bridge")
    expect(sheet.get_by_role("button", name="Look again")).to_be_visible()
    yield "bridges to pair"
    button("Flat")
    yield "a bridge that is paired"
    button("Pair again")
    expect(sheet.locator(".seconds")).to_be_visible()
    yield "the link button"
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()


@pytest.fixture
def full_home(home: Home) -> Iterator[Home]:
    """With pins, a name from right to left, a lamp that follows the day, and something that comes next."""
    home.pin("desk", "sofa")
    automations = home.place / "automations.yaml"
    automations.write_text("automations: [{name: Evening, when: '18:00', do: turn on Fan}]")
    home.lightctl("automation", "apply", str(automations))
    home.lightctl("automation", "skip", "evening")
    home.command("set_curve", name="office", points=["00:00 60% 2700K"])
    home.command("follow", target="Sofa", curve="office")
    home.lightctl("in", "30m", "turn", "off", "all")
    home.rename("Counter", HEBREW)
    home.command("set", target="Desk", color="orange", brightness=70, wait=True)
    cookie = {one["name"]: one["value"] for one in home.session("look")}
    ours = {"Origin": home.url.rstrip("/")}
    requests.put(f"{home.url}v1/session", json={"name": "Another phone"}, cookies=cookie, headers=ours, timeout=60)
    yield home
    requests.delete(f"{home.url}v1/session", cookies=cookie, headers=ours, timeout=60)
    home.lightctl("unfollow", "all")
    home.command("cancel_timer", timer=home.daemon.ask("GET", "/v1/timers")[-1]["name"])
    automations.write_text("automations: []")
    home.lightctl("automation", "apply", str(automations))
    home.rename(HEBREW, "Counter")
    home.unpin("desk", "sofa")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(full_home: Home, visit: Visit, scheme: str) -> None:
    # High, because what is not seen is not looked at.
    page = visit(color_scheme=scheme, reduced_motion="reduce", viewport={"width": 900, "height": 2000})
    # All but the colours is the same in both.
    rules = ["color-contrast"] if scheme == "dark" else None
    found = {what: violations(page, rules) for what in sheets(page, full_home)}
    assert len(found) >= 17
    assert {what: problems for what, problems in found.items() if problems} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_where_nobody_is_signed_in_or_may_only_look(home: Home, visit: Visit, scheme: str) -> None:
    page = visit(home.url, color_scheme=scheme, expected="status of 401")
    expect(page.get_by_label("Link or access code")).to_be_visible()
    assert violations(page) == []
    sign_in(page, "wrong")
    expect(page.get_by_role("alert")).not_to_be_empty()
    assert violations(page) == []
    assert violations(visit(access="read_only", color_scheme=scheme)) == []
    page = visit(home.link("look", ends="2099-12-24T12:00:00Z"), color_scheme=scheme, is_welcome=True)
    expect(page.get_by_text("You may come in until")).to_be_visible()
    assert violations(page) == []


# 195 × 422 is a phone, and 640 × 450 a desktop, at a zoom of 200 %.
SIZES = [(390, 844), (195, 422), (1280, 900), (640, 450), (1920, 1080)]


def test_nothing_scrolls_sideways(full_home: Home, visit: Visit) -> None:
    page = visit()
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        slider(section(page, "Living"), "Desk").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert overflow(page) == 0, width
        assert page.locator("#sheet").evaluate("sheet => sheet.scrollWidth - sheet.clientWidth") <= 0, width
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Menu").click()
        assert overflow(page) == 0, width
        page.keyboard.press("Escape")
        # Larger letters alone, as phones have them.
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert overflow(page) == 0, width
        page.evaluate("document.documentElement.style.fontSize = ''")


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_every_target_is_large_enough_for_a_finger(full_home: Home, visit: Visit, viewport: dict[str, int]) -> None:
    page = visit(viewport=viewport)
    slider(section(page, "Living"), "Desk").click()
    expect(page.get_by_role("dialog").get_by_role("tab").first).to_be_visible()
    small = page.locator("button:visible, input:visible:not(.unseen), .surface:visible").evaluate_all(
        """nodes => nodes.map(node => [node, node.getBoundingClientRect()])
            .filter(([, box]) => box.width && (box.width < 44 || box.height < 44))
            .map(([node, box]) => `${node.outerHTML.slice(0, 120)} ${box.width} × ${box.height}`)"""
    )
    assert small == []


def test_names_from_right_to_left_have_their_own_direction(full_home: Home, visit: Visit) -> None:
    page = visit(viewport=PHONE)
    name = tile(section(page, "Kitchen"), HEBREW).locator("h3")
    assert name.evaluate("node => getComputedStyle(node).direction") == "rtl"
    # And do not run into the switch.
    text = name.evaluate("""node => {
        const range = document.createRange()
        range.selectNodeContents(node)
        return range.getBoundingClientRect().toJSON()
    }""")
    button = switch(section(page, "Kitchen"), HEBREW).bounding_box()
    assert button and text["right"] <= button["x"]
    assert page.evaluate("document.documentElement.dir") in ("", "ltr")


@pytest.mark.parametrize("width, height", [(320, 640), (390, 844), (1280, 800), (640, 450)])
def test_what_is_said_over_a_sheet_covers_nothing_of_it(home: Home, visit: Visit, width: int, height: int) -> None:
    page = visit(viewport={"width": width, "height": height})
    switch(section(page, "Living"), "Fan").click()
    toast = page.locator("#toast")
    expect(toast.get_by_role("button", name="Undo")).to_be_visible()
    slider(section(page, "Living"), "Desk").click()
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("heading", name="Desk")).to_be_visible()
    over, under = toast.bounding_box(), sheet.bounding_box()
    assert over and under and over["y"] + over["height"] <= under["y"]


def test_the_text_of_a_toast_stands_in_its_middle_and_is_not_squeezed(home: Home, visit: Visit) -> None:
    page = visit(viewport={"width": 320, "height": 640})
    # What a toast is made of, with and without a button.
    for words, button in (("Desk is blinking.", ""), ("8 of 13 failed. " * 6, "<button>Close</button>")):
        left, right, lines = page.locator("#toast").evaluate(
            """(toast, [words, button]) => {
                toast.innerHTML = `<span>${words}</span>${button}`
                toast.hidden = false
                const [outer, text] = [toast, toast.firstChild].map(one => one.getBoundingClientRect())
                return [text.left - outer.left, outer.right - text.right, text.height / 22.4]
            }""",
            [words, button],
        )
        assert abs(left - right) <= 8 and lines < 5


BOXES = """() => [...document.querySelectorAll('.tile')].map(tile => {
    const { x, y, width, height } = tile.getBoundingClientRect()
    return [tile.dataset.key, x, y + scrollY, width, height]
})"""


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_nothing_jumps(full_home: Home, visit: Visit, viewport: dict[str, int]) -> None:
    page = visit(viewport=viewport)
    before = page.evaluate(BOXES)
    for level, state in (("100%", "on"), ("1%", "on")):
        full_home.lightctl("dim", "@living", level, "--wait")
        expect(tile(section(page, "Living"), "Desk")).to_have_attribute("data-state", state)
        assert page.evaluate(BOXES) == before
    switch(section(page, "Living"), "All of Living").click()
    expect(tile(section(page, "Living"), "Desk")).to_have_attribute("data-state", "off")
    expect(page.locator("#toast")).to_be_visible()
    assert page.evaluate(BOXES) == before


def test_motion_is_left_out_for_who_asked_for_none(home: Home, visit: Visit) -> None:
    page = visit(reduced_motion="reduce")
    running = "() => document.getAnimations().filter(one => one.playState === 'running').length"
    switch(section(page, "Living"), "Fan").click()
    assert page.evaluate(running) == 0
    assert page.locator(named("Fan")).count() >= 1
