"""That everybody can use it: axe's rules, sizes, zoom, names from right to left."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from axe_core_python.sync_playwright import Axe
from conftest import DESKTOP, PHONE
from home import Home, named, reach_from_phones, section, sign_in, slider, switch, tile
from playwright.sync_api import Locator, Page, expect

Visit = Callable[..., Page]
HEBREW = "מנורת שולחן"


def sheets(page: Page, home: Home) -> Iterator[str]:
    """Shows everything that the page can show, one after the other."""
    sheet = page.get_by_role("dialog")

    def button(name: str, within: Locator | Page = sheet) -> None:
        within.get_by_role("button", name=name, exact=False).first.click()

    reach_from_phones(page)
    yield "the home"
    switch(section(page, "Living"), "Fan").click()
    expect(page.locator("#toast")).to_be_visible()
    yield "with a toast"
    slider(section(page, "Living"), "Desk").click()
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
    page.keyboard.press("Escape")
    button("Arrange", page)
    yield "the order of the pins"
    button("Done", page)
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
    button("Back")
    button("Forget")
    yield "a bridge to forget"
    button("Keep it")
    button("Add a phone")
    yield "a phone to add"
    button("Everything")
    expect(sheet.get_by_role("img")).to_be_visible()
    yield "its link"
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
    """With pins, a name from right to left, and a lamp that does not answer."""
    home.pin("desk", "sofa")
    home.rename("Counter", HEBREW)
    home.command("set", target="Desk", color="orange", brightness=70, wait=True)
    yield home
    home.rename(HEBREW, "Counter")
    home.unpin("desk", "sofa")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(full_home: Home, visit: Visit, scheme: str) -> None:
    # High, because what is not seen is not looked at.
    page = visit(color_scheme=scheme, reduced_motion="reduce", viewport={"width": 900, "height": 2000})
    # All but the colours is the same in both.
    rules = ["color-contrast"] if scheme == "dark" else None
    found = {what: violations(page, rules) for what in sheets(page, full_home)}
    assert len(found) >= 14
    assert {what: problems for what, problems in found.items() if problems} == {}


def violations(page: Page, rules: list[str] | None = None) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    return [
        f"{one['id']}: {one['help']}: {node['html'][:200]}"
        for one in page.evaluate("options => axe.run(options)", options)["violations"]
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_where_nobody_is_signed_in_or_may_only_look(home: Home, visit: Visit, scheme: str) -> None:
    page = visit(home.url, color_scheme=scheme, expected="status of 401")
    expect(page.get_by_label("Access token")).to_be_visible()
    assert violations(page) == []
    sign_in(page, "wrong")
    expect(page.get_by_role("alert")).not_to_be_empty()
    assert violations(page) == []
    assert violations(visit(access="read_only", color_scheme=scheme)) == []


# 195 × 422 is a phone, and 640 × 450 a desktop, at a zoom of 200 %.
SIZES = [(390, 844), (195, 422), (1280, 900), (640, 450), (1920, 1080)]


def test_nothing_scrolls_sideways(full_home: Home, visit: Visit) -> None:
    page = visit()
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        slider(section(page, "Living"), "Desk").click()
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


def overflow(page: Page) -> int:
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_every_target_is_large_enough_for_a_finger(full_home: Home, visit: Visit, viewport: dict[str, int]) -> None:
    page = visit(viewport=viewport)
    slider(section(page, "Living"), "Desk").click()
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
