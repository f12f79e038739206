"""Finding a lamp among many: rooms that fold, their order, their chips, and the search."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from conftest import DESKTOP, PHONE
from hands import box
from home import Home, said, section, slider, switch, tile
from lightsim import until
from looks import overflow
from playwright.sync_api import Locator, Page, expect

Visit = Callable[..., Page]
HOME = """
rooms:
  - name: Atelier
    lights:
      - { name: "Éclairage", kind: color, on: true, brightness: 40 }
      - { name: Desk, kind: color, on: true, brightness: 5 }
  - name: Bath
    lights:
      - { name: Mirror, kind: dimmable, on: false }
  - name: Cellar
    lights:
      - { name: "<b>Shelf</b>", kind: dimmable, on: true, brightness: 50 }
  - name: "Straßenzimmer"
    lights:
      - { name: Fan, kind: plug, on: false }
  - name: Foyer
    lights:
      - { name: Spot 1, kind: color, on: true, brightness: 50 }
      - { name: Spot 2, kind: color, on: true, brightness: 50 }
      - { name: Spot 3, kind: color, on: true, brightness: 50 }
      - { name: Spot 4, kind: color, on: true, brightness: 50 }
      - { name: Spot 5, kind: color, on: true, brightness: 50 }
      - { name: Spot 6, kind: color, on: true, brightness: 50 }
      - { name: Spot 7, kind: color, on: true, brightness: 50 }
      - { name: Spot 8, kind: color, on: true, brightness: 50 }
  - name: Garden
    lights:
      - { name: Fountain, kind: dimmable, on: true, brightness: 50 }
scenes:
  - name: Soirée
    group: Atelier
    lights:
      Desk: { brightness: 70 }
"""
ROOMS = ["Atelier", "Bath", "Cellar", "Foyer", "Garden", "Straßenzimmer"]


@pytest.fixture(autouse=True)
def evening(home: Home) -> None:
    """Every test begins with the same lights."""
    home.command("set", target="Desk", brightness=5, wait=True)
    for name in ("Fan", "Mirror"):
        home.command("turn", to="off", target=name, wait=True)


def fold(page: Page, room: str) -> Locator:
    return section(page, room).get_by_role("button", name=f"Lamps of {room}", exact=True)


def chip(page: Page, room: str) -> Locator:
    return page.locator("#rooms").get_by_role("button", name=room)


def shown(page: Page) -> list[str]:
    """The rooms in their order."""
    return page.locator("section:not([data-kind=pinned]) h2").all_text_contents()


def query(page: Page, words: str) -> Locator:
    """What the search finds, opened with a key."""
    page.keyboard.press("/")
    field = page.get_by_role("combobox", name="Search")
    expect(field).to_be_focused()
    field.fill(words)
    return page.get_by_role("dialog").get_by_role("row")


# MARK: Rooms that fold


def test_many_rooms_are_folded_on_a_phone_and_a_tap_unfolds_one_where_it_is(home: Home, visit: Visit) -> None:
    page = visit(viewport=PHONE, has_touch=True)
    expect(fold(page, "Garden")).to_have_attribute("aria-expanded", "false")
    expect(page.locator(".tile")).to_have_count(len(ROOMS))
    expect(tile(page, "All of Foyer")).to_contain_text(said("50%.*8 lights"))
    page.evaluate("scrollTo(0, 60)")
    before = box(tile(page, "All of Cellar"))
    page.touchscreen.tap(before["x"] + 120, before["y"] + 30)
    expect(tile(section(page, "Cellar"), "<b>Shelf</b>")).to_be_visible()
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert box(tile(page, "All of Cellar"))["y"] == before["y"]
    # A tap more goes a step further in, and the arrow back.
    page.touchscreen.tap(before["x"] + 120, before["y"] + 30)
    expect(page.get_by_role("dialog")).to_contain_text("Cellar")
    page.keyboard.press("Escape")
    page.reload()
    expect(fold(page, "Cellar")).to_have_attribute("aria-expanded", "true")
    expect(fold(page, "Bath")).to_have_attribute("aria-expanded", "false")
    fold(page, "Cellar").click()
    expect(tile(page, "<b>Shelf</b>")).to_have_count(0)
    page.reload()
    expect(fold(page, "Cellar")).to_have_attribute("aria-expanded", "false")
    # It is this browser's own.
    expect(fold(visit(viewport=DESKTOP), "Cellar")).to_have_attribute("aria-expanded", "true")


def test_a_folded_room_is_three_stops_and_works(home: Home, visit: Visit) -> None:
    page = visit(viewport=PHONE)
    slider(page, "All of Bath").focus()
    page.keyboard.press("Tab")
    expect(fold(page, "Bath")).to_be_focused()
    page.keyboard.press("Tab")
    expect(switch(section(page, "Bath"), "All of Bath")).to_be_focused()
    page.keyboard.press("Space")
    until(lambda: home.is_on("Mirror"), "the room is on")
    page.keyboard.press("Tab")
    expect(slider(page, "All of Cellar")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("Cellar")


KEPT = [
    "", "{", "null", "7", "[]", '"order"', '{"order": 3, "folds": "x"}', '{"order": [1, null, {}], "folds": [true]}',
    '{"order": {"length": 9}, "folds": {"pinned": 1, "__proto__": true}}', '{"order": ["room/a/b", "others"]}',
]  # fmt: skip


def test_whatever_the_browser_has_kept_the_page_opens(home: Home, visit: Visit) -> None:
    page = visit(viewport=PHONE)
    for contents in KEPT:
        page.evaluate("contents => localStorage.setItem('rooms', contents)", contents)
        page.reload()
        expect(tile(page, "All of Bath")).to_be_visible()
        assert shown(page) == ROOMS, contents
    # A browser that keeps nothing.
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('no') } })")
    page.reload()
    fold(page, "Bath").click()
    expect(tile(page, "Mirror")).to_be_visible()


# MARK: The ways to the rooms


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_a_chip_leads_to_its_room_and_says_where_the_page_is(
    home: Home, visit: Visit, viewport: dict[str, int]
) -> None:
    page = visit(viewport=viewport)
    chip(page, "Foyer").click()
    expect(chip(page, "Foyer")).to_have_attribute("aria-current", "true")
    expect(slider(page, "All of Foyer")).to_be_focused()
    expect(tile(page, "Spot 1")).to_be_in_viewport()
    # The last one, which the page cannot scroll to the top.
    chip(page, "Garden").click()
    expect(chip(page, "Garden")).to_have_attribute("aria-current", "true")
    expect(tile(page, "Fountain")).to_be_in_viewport()
    # By hand.
    page.mouse.move(500 if viewport == DESKTOP else 200, 400)
    page.mouse.wheel(0, -5000)
    page.mouse.wheel(0, 80)
    expect(chip(page, "Atelier")).to_have_attribute("aria-current", "true")
    expect(page.locator("[aria-current]")).to_have_count(1)
    expect(page.locator("#dock")).to_be_in_viewport()


def test_chips_follow_what_changes_elsewhere(home: Home, visit: Visit) -> None:
    page = visit(viewport=DESKTOP)
    expect(chip(page, "Bath")).to_have_text("Bath")
    home.lightctl("turn", "on", "mirror", "--wait")
    expect(chip(page, "Bath")).to_have_text(said(r"^Bath\d+%$"))
    home.command("create_room", name="<i>Zone</i>", kind="zone", targets=["desk"])
    try:
        expect(chip(page, "<i>Zone</i>")).to_be_visible()
    finally:
        home.command("delete_room", room="<i>Zone</i>", kind="zone")
    expect(chip(page, "<i>Zone</i>")).to_have_count(0)


def test_the_keyboard_is_soon_at_the_last_room(home: Home, visit: Visit) -> None:
    page = visit(viewport=DESKTOP)
    expect(tile(page, "Fountain")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator("#skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(slider(page, "All of Atelier")).to_be_focused()
    for room in ROOMS[1:]:
        page.keyboard.press("]")
        expect(section(page, room).locator(":focus")).to_have_count(1)
    page.keyboard.press("]")
    expect(section(page, ROOMS[-1]).locator(":focus")).to_have_count(1)
    page.keyboard.press("[")
    expect(slider(page, "All of Garden")).to_be_focused()
    # All chips are one stop.
    chip(page, "Atelier").focus()
    page.keyboard.press("End")
    expect(chip(page, ROOMS[-1])).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(chip(page, "Garden")).to_be_focused()
    assert page.locator("#rooms button[tabindex='0']").count() == 1
    page.keyboard.press("Enter")
    expect(slider(page, "All of Garden")).to_be_focused()
    # From the top, by Tab alone.
    page.reload()
    expect(tile(page, "Fountain")).to_be_visible()
    for count in range(1, 61):
        page.keyboard.press("Tab")
        if chip(page, "Atelier").evaluate("chip => chip === document.activeElement"):
            break
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(section(page, ROOMS[-1]).locator(":focus")).to_have_count(1)
    assert count <= 6


# MARK: The search


def test_the_search_finds_without_accents_and_case_and_opens_with_the_keyboard(home: Home, visit: Visit) -> None:
    page = visit(viewport=DESKTOP)
    for words, first in (
        ("eclair", "Éclairage"), ("ÉCLAIRAGE", "Éclairage"), ("desk atel", "Desk"), ("<b>", "<b>Shelf</b>"),
        ("spot 7", "Spot 7"), ("mirr", "Mirror"),
    ):  # fmt: skip
        rows = query(page, words)
        expect(rows.first).to_contain_text(first)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
    rows = query(page, "strasse")
    # The room, and then what is in it.
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Straßenzimmer")
    expect(rows.last).to_contain_text("Fan")
    rows = query_again(page, "nothing like it")
    expect(rows).to_have_count(0)
    expect(page.get_by_role("dialog")).to_contain_text("Nothing here is called that.")
    rows = query_again(page, "spot")
    expect(rows).to_have_count(8)
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    expect(rows.nth(2)).to_have_attribute("aria-selected", "true")
    assert page.get_by_role("combobox").get_attribute("aria-activedescendant") == rows.nth(2).get_attribute("id")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("heading", name="Spot 3")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    # What is typed elsewhere is only typed.
    slider(page, "Desk").press("Enter")
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("textbox", name="Name").fill("")
    page.keyboard.type("a/b[c]")
    expect(page.get_by_role("textbox", name="Name")).to_have_value("a/b[c]")


def query_again(page: Page, words: str) -> Locator:
    page.get_by_role("combobox", name="Search").fill(words)
    return page.get_by_role("dialog").get_by_role("row")


def test_what_is_found_works_where_it_stands(home: Home, visit: Visit) -> None:
    page = visit(viewport=PHONE)
    rows = query(page, "mirror")
    dialog = page.get_by_role("dialog")
    switch(dialog, "Mirror").click()
    until(lambda: home.is_on("Mirror"), "the lamp is on")
    expect(page.locator("#toast")).to_contain_text("Mirror turned on")
    level = slider(dialog, "Mirror")
    home.lightctl("dim", "mirror", "30%", "--wait")
    expect(level).to_have_attribute("aria-valuenow", "30")
    level.press("PageUp")
    until(lambda: round(home.light("Mirror")["brightness"]) == 40, "the level is set")
    # By another name meanwhile, it stays where it was found.
    home.rename("Mirror", "<i>Glass</i>")
    try:
        expect(rows).to_contain_text(["<i>Glass</i>"])
        rows = query_again(page, "glass")
        expect(rows).to_have_count(1)
    finally:
        home.rename("<i>Glass</i>", "Mirror")
    # A scene, and a room.
    rows = query_again(page, "soiree")
    expect(rows).to_contain_text("Scene · ")
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    until(lambda: round(home.light("Desk")["brightness"]) == 70, "the scene is shown")
    query(page, "foy")
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(slider(page, "All of Foyer")).to_be_focused()
    expect(tile(page, "Spot 1")).to_be_visible()


def test_who_may_only_look_finds_lamps_and_rooms(home: Home, visit: Visit) -> None:
    page = visit(access="look", viewport=PHONE)
    expect(query(page, "soiree")).to_have_count(0)
    rows = query_again(page, "mirror")
    expect(rows).to_have_count(1)
    expect(page.get_by_role("dialog").get_by_role("switch")).to_have_count(0)
    fold(page, "Bath")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Menu").click()
    expect(page.get_by_role("button", name="Arrange the rooms")).to_be_visible()


@pytest.mark.parametrize("width, height, keyboard", [(390, 844, 336), (320, 640, 260)])
def test_a_keyboard_covers_none_of_the_first_three(
    home: Home, visit: Visit, width: int, height: int, keyboard: int
) -> None:
    page = visit(viewport={"width": width, "height": height}, locale="de-DE")
    page.locator("#search").click()
    expect(page.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("spot")
    third = box(page.get_by_role("row").nth(2))
    assert third["y"] + third["height"] <= height - keyboard
    assert overflow(page) == 0


def test_the_search_looks_on_while_lightd_is_away(home: Home, visit: Visit) -> None:
    page = visit(expected="ERR_", viewport=PHONE)
    # Once it is here: what is not needed at first comes after everything else.
    page.wait_for_function("performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/search.js'))")
    home.daemon.kill()
    try:
        expect(page.locator("#connection")).to_contain_text("Not connected since")
        fold(page, "Bath").click()
        expect(tile(page, "Mirror")).to_be_visible()
        rows = query(page, "mirror")
        expect(rows).to_have_count(1)
        switch(page.get_by_role("dialog"), "Mirror").click()
        expect(page.locator("#announcer")).to_have_text("Not connected: nothing can be changed now.")
        expect(switch(page.get_by_role("dialog"), "Mirror")).not_to_be_checked()
    finally:
        home.daemon.start()
    page.get_by_role("button", name="Try now").click()
    expect(page.locator("#connection")).to_be_hidden()
    switch(page.get_by_role("dialog"), "Mirror").click()
    until(lambda: home.is_on("Mirror"), "the lamp is on")


# MARK: The order


def arrange(page: Page) -> None:
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Arrange the rooms").click()
    expect(page.get_by_role("button", name=f"Move {shown(page)[0]}")).to_be_focused()


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_the_rooms_are_arranged_with_keys_and_with_a_finger(
    home: Home, visit: Visit, viewport: dict[str, int]
) -> None:
    page = visit(viewport=viewport)
    arrange(page)
    expect(page.locator(".tile")).to_have_count(len(ROOMS))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Move Atelier, 3 of 6")).to_be_focused()
    expect(page.locator("#announcer")).to_have_text("Atelier: place 3 of 6.")
    assert shown(page) == ["Bath", "Cellar", "Atelier", *ROOMS[3:]]
    moving, first = (box(page.get_by_role("button", name=f"Move {name}")) for name in ("Garden", "Bath"))
    page.mouse.move(moving["x"] + 20, moving["y"] + 20)
    page.mouse.down()
    page.mouse.move(first["x"] + 20, first["y"] + 20, steps=8)
    page.mouse.up()
    order = ["Garden", "Bath", "Cellar", "Atelier", "Foyer", "Straßenzimmer"]
    assert shown(page) == order
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Done")).to_have_count(0)
    expect(page.get_by_role("button", name="Menu")).to_be_focused()
    assert page.locator("#rooms span").all_text_contents() == order
    # A frame of lightd keeps it, and so does the browser; nobody else has it.
    home.command("create_room", name="Aerie", kind="zone", targets=["desk"])
    try:
        expect(chip(page, "Aerie")).to_be_visible()
        assert shown(page) == [*order, "Aerie"]
        page.reload()
        expect(chip(page, "Aerie")).to_be_visible()
        assert shown(page) == [*order, "Aerie"]
    finally:
        home.command("delete_room", room="Aerie", kind="zone")
    other = visit()
    expect(tile(other, "All of Garden")).to_be_visible()
    assert shown(other) == ROOMS


def test_the_order_goes_on_when_a_room_comes_or_lightd_goes(home: Home, visit: Visit) -> None:
    page = visit(expected="ERR_")
    arrange(page)
    home.command("create_room", name="Attic", kind="zone", targets=["desk"])
    try:
        expect(page.get_by_role("button", name=said("^Move Attic, . of 7$"))).to_be_visible()
    finally:
        home.command("delete_room", room="Attic", kind="zone")
    expect(page.get_by_role("button", name=said("of 7$"))).to_have_count(0)
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".handle")).to_have_count(0)
    expect(tile(page, "Mirror")).to_be_visible()


def test_escape_leaves_the_order_of_the_pins(home: Home, visit: Visit) -> None:
    home.pin("desk", "mirror")
    try:
        page = visit()
        pinned = section(page, "Pinned")
        pinned.get_by_role("button", name="Arrange").click()
        expect(pinned.get_by_role("button", name="Move Desk")).to_be_visible()
        page.keyboard.press("Escape")
        expect(pinned.locator(".handle")).to_have_count(0)
        expect(pinned.get_by_role("button", name="Arrange")).to_be_focused()
    finally:
        home.unpin("desk", "mirror")


# MARK: For everybody


def test_the_page_is_german_for_germans_and_fits_small_phones(home: Home, visit: Visit) -> None:
    home.command("create_room", name="Z" * 32, kind="zone", targets=["desk"])
    try:
        page = visit(viewport={"width": 320, "height": 640}, locale="de-DE")
        expect(page.get_by_role("button", name="Alles aus")).to_be_visible()
        expect(page.get_by_role("navigation", name="Räume")).to_be_visible()
        page.locator("#rooms button").first.click()
        lamp = tile(page, "Desk")
        expect(lamp).to_be_visible()
        # One column, and slim.
        area = box(lamp)
        assert area["width"] > 280 and area["height"] < 120
        cut = "node => [node, ...node.querySelectorAll('*')].filter(one => one.scrollWidth > one.clientWidth + 1 && one.clientWidth).length"
        assert lamp.locator(".texts").evaluate(cut) == 0
        assert overflow(page) == 0
        page.get_by_role("button", name="Menü").click()
        page.get_by_role("button", name="Räume anordnen").click()
        expect(page.get_by_role("button", name="Fertig")).to_be_visible()
        assert overflow(page) == 0
        page.keyboard.press("Escape")
        page.evaluate("document.documentElement.dir = 'rtl'")
        assert overflow(page) == 0
        expect(page.locator("#menu")).to_be_in_viewport()
        page.locator("#rooms button").first.focus()
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#rooms button").nth(1)).to_be_focused()
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert overflow(page) == 0
    finally:
        home.command("delete_room", room="Z" * 32, kind="zone")


def test_the_index_has_no_words_of_one_language(home: Home, visit: Visit) -> None:
    page = visit()
    body = page.evaluate("fetch('/').then((answer) => answer.text())").split("<body>")[1]
    words = re.sub(r"<noscript>.*?</noscript>|<!--.*?-->|<[^>]*>", " ", body, flags=re.S).split()
    assert words == ["/", "lightd", "…"] or words == ["lightd", "…", "/"], words
    assert 'aria-label="' not in body


def test_every_target_is_large_enough_for_a_finger(home: Home, visit: Visit) -> None:
    page = visit(viewport=PHONE)
    small = """nodes => nodes.map(node => [node, node.getBoundingClientRect()])
        .filter(([, box]) => box.width && (box.width < 44 || box.height < 44)).map(([node]) => node.outerHTML)"""
    query(page, "spot")
    assert page.locator("button:visible, input:visible, .surface:visible").evaluate_all(small) == []
    page.keyboard.press("Escape")
    arrange(page)
    assert page.locator("button:visible").evaluate_all(small) == []
