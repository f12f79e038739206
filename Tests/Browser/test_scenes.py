"""Scenes are saved, edited, put in an order and deleted; colours are picked from a palette."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import DESKTOP, PHONE
from home import Home, OtherApp, look_at, said, section, slider, switch, tile
from lightsim import LOOPBACK, until
from looks import overflow
from playwright.sync_api import Locator, Page, Request, expect

Visit = Callable[..., Page]
HEBREW = "<b>ערב</b>"
HOME = """
rooms:
  - name: Living
    archetype: living_room
    lights:
      - { name: Strip, kind: gradient, on: true, brightness: 70 }
      - { name: Desk, kind: color, on: true, brightness: 70 }
      - { name: Sofa, kind: ambiance, on: true, brightness: 70 }
      - { name: Hall, kind: dimmable, on: true }
scenes:
  - name: Evening
    group: Living
    lights:
      Strip: { brightness: 60, xy: [0.6, 0.32] }
      Desk: { brightness: 40, xy: [0.17, 0.1] }
      Sofa: { brightness: 30, mirek: 400 }
      Hall: { brightness: 20 }
  - name: Reading
    group: Living
    lights:
      Desk: { brightness: 100, mirek: 250 }
      Sofa: { brightness: 100, mirek: 250 }
"""


@pytest.fixture(autouse=True)
def evening(home: Home) -> Iterator[None]:
    """Every test begins with the same lights and the same scenes."""
    home.command("set", target="all", brightness=70, wait=True)
    home.command("set", target="Desk", color="orange", wait=True)
    home.command("set", target="Strip", color="#00ff00", wait=True)
    stored = values(home)
    yield
    for one in home.daemon.ask("GET", "/v1/scenes"):
        if one["name"] not in ("Evening", "Reading"):
            home.command("delete_scene", scene=one["id"])
    for name, value in stored.items():
        power = {"power": "on", **value} if value.get("power") != "off" else {"power": "off"}
        fields = {key: one for key, one in power.items() if key not in ("target", "name", "color")}
        home.command("edit_scene", scene="Evening", targets=[name], **fields)
    home.command("reorder_scenes", room="living", by_name=True)


def living(page: Page) -> Locator:
    return section(page, "Living")


def chip(page: Page, name: str, within: str = "Living") -> Locator:
    return section(page, within).locator("button.chip", has_text=name)


def menu(page: Page, name: str) -> Locator:
    chip(page, name).first.click(button="right")
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("heading", name=name)).to_be_visible()
    return sheet


def editor(page: Page, name: str = "Evening") -> Locator:
    sheet = menu(page, name)
    sheet.get_by_role("button", name="Edit its lamps").click()
    expect(sheet.get_by_role("button", name="Save", exact=True)).to_be_visible()
    return sheet


def lamp(page: Page, name: str) -> Locator:
    """Opens the sheet of a lamp."""
    slider(living(page), name).click()
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("heading", name=name)).to_be_visible()
    return sheet


def values(home: Home, scene: str = "Evening") -> dict[str, dict[str, Any]]:
    """What a scene stores, by the names of its lights."""
    return {one["name"]: one for one in home.daemon.ask("GET", f"/v1/scene?scene={scene}")["values"]}


def scenes(home: Home) -> list[str]:
    return [one["name"] for one in home.daemon.ask("GET", "/v1/scenes")]


def commands(page: Page) -> list[dict[str, Any]]:
    """Those that the page sends from now on."""
    sent: list[dict[str, Any]] = []

    def note(request: Request) -> None:
        if request.url.endswith("/v1/messages"):
            sent.append(request.post_data_json)

    page.on("request", note)
    return sent


# MARK: Saving, naming, deleting


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_what_a_room_shows_is_saved_as_a_scene(home: Home, visit: Visit, viewport: dict[str, int]) -> None:
    page = visit(viewport=viewport, expected="status of 422")
    living(page).get_by_role("button", name="Save what Living shows as a scene").click()
    sheet = page.get_by_role("dialog")
    name = sheet.get_by_label("Name")
    expect(name).to_be_focused()
    # A name that is taken is refused, and what was typed stays.
    name.fill("evening")
    page.keyboard.press("Enter")
    expect(page.locator("#toast")).to_contain_text("Evening")
    expect(name).to_have_value("evening")
    name.fill(HEBREW)
    page.keyboard.press("Enter")
    expect(sheet).to_be_hidden()
    expect(page.locator("#toast")).to_contain_text(f"\u2068{HEBREW}\u2069 is saved.")
    # Never as markup, and in its own direction.
    shown = chip(page, HEBREW).locator("span")
    expect(shown).to_have_text(HEBREW)
    expect(shown).to_have_attribute("dir", "auto")
    assert round(values(home, "living/" + HEBREW)["Desk"]["brightness"]) == 70


def test_the_first_scene_of_a_room_is_saved_in_its_sheet(home: Home, visit: Visit) -> None:
    page = visit()
    slider(living(page), "All of Living").press("Enter")
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="Save what it shows").press("Enter")
    sheet.get_by_label("Name").fill("Now")
    page.keyboard.press("Enter")
    expect(chip(page, "Now")).to_be_visible()
    assert "Now" in scenes(home)


def test_a_scene_is_renamed_and_takes_what_the_room_shows(home: Home, visit: Visit) -> None:
    page = visit()
    home.command("save_scene", name="Attic", targets=["@living"])
    sheet = menu(page, "Attic")
    sheet.get_by_role("button", name="Rename").click()
    sheet.get_by_label("Name").fill("Loft")
    page.keyboard.press("Enter")
    expect(chip(page, "Loft")).to_be_visible()
    home.command("set", target="Desk", brightness=15, wait=True)
    menu(page, "Loft").get_by_role("button", name="Take what the room shows").click()
    toast = page.locator("#toast")
    expect(toast).to_contain_text("Loft has what the room shows.")
    assert round(values(home, "Loft")["Desk"]["brightness"]) == 15
    # It was stored on a bridge, and is taken back all the same.
    toast.get_by_role("button", name="Undo").click()
    expect(toast).to_contain_text("Loft is as it was.")
    assert round(values(home, "Loft")["Desk"]["brightness"]) == 70


def test_what_uses_a_scene_is_named_before_it_is_deleted(home: Home, visit: Visit) -> None:
    home.command("save_scene", name="Attic", targets=["@living"])
    automations = "automations:\n- {name: Night, when: '23:00', do: recall Living/Attic --over 1m}\n"
    automations += "- {name: Noon, when: '12:00', do: recall Living/Evening}\n"
    with home.daemon.local() as session:
        answer = session.put(f"{home.daemon.url}/v1/automations", data=automations, timeout=60,
                             headers={"Content-Type": "application/yaml"})  # fmt: skip
    assert answer.ok, answer.text
    page = visit()
    sheet = menu(page, "Attic")
    sheet.get_by_role("button", name="Delete").click()
    expect(sheet.get_by_role("heading", name="Delete Attic?")).to_be_focused()
    expect(sheet.locator(".versions li")).to_have_text(["Automation Night"])
    sheet.get_by_role("button", name="Keep it").click()
    expect(sheet.get_by_role("heading", name="Attic", exact=True)).to_be_focused()
    assert "Attic" in scenes(home)
    sheet.get_by_role("button", name="Delete").click()
    expect(sheet.get_by_role("heading", name="Delete Attic?")).to_be_focused()
    sheet.get_by_role("button", name="Delete").click()
    expect(page.locator("#toast")).to_contain_text("Attic is deleted.")
    expect(chip(page, "Attic")).to_have_count(0)
    assert "Attic" not in scenes(home)


def test_scenes_are_put_in_another_order_with_keys(home: Home, visit: Visit) -> None:
    page = visit()
    other = visit()
    sheet = menu(page, "Reading")
    earlier = sheet.get_by_role("button", name="Move earlier")
    earlier.press("Enter")
    for one in (page, other):
        expect(living(one).locator(".scenes > button")).to_contain_text(["Reading", "Evening"])
    expect(page.locator("#announcer")).to_contain_text("Reading: place 1 of 2.")
    # It is the first now.
    expect(earlier).to_have_count(0)
    sheet.get_by_role("button", name="Move later").press("Enter")
    expect(living(other).locator(".scenes > button")).to_contain_text(["Evening", "Reading"])


def test_a_scene_is_pinned_in_this_browser(home: Home, visit: Visit) -> None:
    page = visit()
    menu(page, "Evening").get_by_role("button", name="Pin to the top in this browser").click()
    pinned = chip(page, "Evening", "Pinned")
    expect(pinned).to_contain_text("Living")
    page.reload()
    pinned.click()
    expect(pinned).to_have_attribute("aria-pressed", "true")
    expect(chip(page, "Evening")).to_have_attribute("aria-pressed", "true")
    pinned.click(button="right")
    page.get_by_role("dialog").get_by_role("button", name="Unpin in this browser").click()
    expect(section(page, "Pinned")).to_have_count(0)


def test_who_may_only_control_is_offered_no_edit(home: Home, visit: Visit) -> None:
    page = visit(access="control")
    expect(chip(page, "Evening")).to_be_visible()
    assert living(page).get_by_role("button", name="Save what").count() == 0
    sheet = menu(page, "Evening")
    expect(sheet.get_by_role("button", name="Turn on, moving")).to_be_visible()
    for name in ("Edit its lamps", "Take what", "Rename", "Delete", "Move later"):
        assert sheet.get_by_role("button", name=name).count() == 0, name


# MARK: Its button


def test_a_chip_has_all_colours_of_its_scene_and_says_when_it_was_changed(home: Home, visit: Visit) -> None:
    home.command("edit_scene", scene="Evening", targets=["Strip"], gradient=["#ff0000", "#00ff00", "#0000ff"])
    page = visit()
    evening = chip(page, "Evening")
    look = "look => getComputedStyle(look).backgroundImage.match(/rgb/g)?.length"
    # Three of the strip, one of the sofa, and the first once more; the desk has one of the strip's or one more.
    until(lambda: evening.locator(".look").evaluate(look) >= 5, "it shows the strip's colours")
    before = evening.locator(".look").evaluate(look)
    home.command("edit_scene", scene="Evening", targets=["Sofa"], power="off")
    home.command("edit_scene", scene="Evening", targets=["Desk"], effect="prism")
    until(lambda: evening.locator(".look").evaluate(look) > before, "it shows the effect's colours")
    evening.click()
    expect(evening).to_have_attribute("aria-pressed", "true")
    home.command("set", target="Hall", brightness=90, wait=True)
    expect(evening).to_contain_text("changed")
    expect(evening).to_have_attribute("aria-pressed", "false")
    expect(menu(page, "Evening").get_by_role("button", name="Take what the room shows")).to_contain_text(
        "Some of its lamps were changed"
    )


def test_a_smart_scene_is_named_and_not_edited(home: Home, visit: Visit) -> None:
    app = OtherApp(home)
    known = next(one for one in home.daemon.ask("GET", "/v1/scenes") if one["name"] == "Evening")
    evening = known["id"].split("/")[-1]
    url = f"https://{LOOPBACK}/clip/v2/resource"
    group = app.session.get(f"{url}/scene/{evening}", timeout=60).json()["data"][0]["group"]
    days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    slot = {"start_time": {"kind": "time", "time": {"hour": 0, "minute": 0, "second": 0}},
            "target": {"rid": evening, "rtype": "scene"}}  # fmt: skip
    body = {"metadata": {"name": "Day"}, "group": group, "transition_duration": 100,
            "week_timeslots": [{"timeslots": [slot], "recurrence": days}]}  # fmt: skip
    answer = app.session.post(f"{url}/smart_scene", json=body, timeout=60)
    assert answer.ok, answer.text
    page = visit()
    expect(chip(page, "Day")).to_contain_text("through the day")
    sheet = menu(page, "Day")
    expect(sheet.get_by_text("Smart scene in Living")).to_be_visible()
    for name in ("Edit its lamps", "Take what", "Rename", "Delete", "Stop"):
        assert sheet.get_by_role("button", name=name).count() == 0, name
    sheet.get_by_role("button", name=said("^Turn on")).click()
    expect(chip(page, "Day")).to_have_attribute("aria-pressed", "true")
    menu(page, "Day").get_by_role("button", name=said("^Stop")).click()
    expect(page.locator("#toast")).to_contain_text("Day no longer changes the lamps.")
    # What it needs is said before it is gone.
    sheet = menu(page, "Evening")
    sheet.get_by_role("button", name="Delete").click()
    expect(sheet.locator(".versions li")).to_contain_text(["Smart scene Day"])


# MARK: Editing


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_a_lamp_of_a_scene_is_dimmed_and_coloured_and_the_room_stays(
    home: Home, visit: Visit, viewport: dict[str, int]
) -> None:
    page = visit(viewport=viewport)
    sheet = editor(page)
    sent = commands(page)
    desk = slider(sheet, "Desk")
    expect(desk).to_have_attribute("aria-valuetext", "40 percent, Blue")
    expect(slider(sheet, "Sofa")).to_have_attribute("aria-valuetext", "30 percent, 2500 K")
    area = desk.bounding_box()
    assert area
    page.mouse.move(area["x"] + area["width"] * 0.4, area["y"] + 30)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] * 0.8, area["y"] + 30, steps=8)
    page.mouse.up()
    level = int(desk.get_attribute("aria-valuenow") or 0)
    assert 70 < level < 90
    # A tap opens its colours, and its sheet leads back.
    desk.click()
    expect(sheet.get_by_role("heading", name="Desk")).to_be_visible()
    look_at(sheet, "Colour")
    sheet.get_by_role("button", name="Green", exact=True).click()
    sheet.get_by_role("button", name="Back").click()
    expect(desk).to_have_attribute("aria-valuetext", f"{level} percent, Green")
    switch(sheet, "Hall").click()
    expect(switch(sheet, "Hall")).not_to_be_checked()
    assert sent == [] and round(home.light("Desk")["brightness"]) == 70
    sheet.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#toast")).to_contain_text("Evening is saved.")
    expect(sheet).to_be_hidden()
    now = values(home)
    assert round(now["Desk"]["brightness"]) == level and 125 < now["Desk"]["hue"] < 145, now["Desk"]
    assert now["Hall"]["power"] == "off" and round(now["Sofa"]["brightness"]) == 30
    # Only what was changed is told.
    assert [one["command"] for one in sent] == ["edit_scene", "edit_scene"]
    assert home.is_on("Hall") and round(home.light("Desk")["brightness"]) == 70
    page.keyboard.press("Control+z")
    expect(page.locator("#toast")).to_contain_text("Evening is as it was.")
    now = values(home)
    assert round(now["Desk"]["brightness"]) == 40 and now["Hall"].get("power") != "off"


def test_cancel_changes_nothing_and_escape_loses_nothing(home: Home, visit: Visit) -> None:
    page = visit()
    before = values(home)
    sheet = editor(page)
    sent = commands(page)
    slider(sheet, "Sofa").press("End")
    sheet.get_by_role("button", name="Cancel").click()
    expect(sheet).to_be_hidden()
    expect(page.locator("#toast")).to_be_hidden()
    sheet = editor(page)
    expect(slider(sheet, "Sofa")).to_have_attribute("aria-valuenow", "30")
    slider(sheet, "Sofa").press("End")
    page.keyboard.press("Escape")
    expect(page.locator("#toast")).to_contain_text("Evening is not changed yet.")
    page.get_by_role("button", name="Go on editing").click()
    expect(slider(sheet, "Sofa")).to_have_attribute("aria-valuenow", "100")
    assert sent == [] and values(home) == before
    sheet.get_by_role("button", name="Save", exact=True).press("Enter")
    expect(page.locator("#toast")).to_contain_text("Evening is saved.")
    assert round(values(home)["Sofa"]["brightness"]) == 100


@pytest.mark.parametrize("end", ["Cancel", "Save", "Escape"])
def test_the_room_shows_what_is_edited_if_that_is_wanted_and_is_as_before_afterwards(
    home: Home, visit: Visit, end: str
) -> None:
    page = visit()
    sheet = editor(page)
    expect(sheet).to_contain_text("The room stays as it is while you edit.")
    sheet.get_by_role("button", name="Show it in the room").click()
    expect(sheet.get_by_role("button", name="Show it in the room")).to_have_attribute("aria-pressed", "true")
    until(lambda: round(home.light("Sofa")["brightness"]) == 30, "the room shows it")
    slider(sheet, "Sofa").press("End")
    until(lambda: round(home.light("Sofa")["brightness"]) == 100, "and each change of it")
    if end == "Escape":
        page.keyboard.press("Escape")
    else:
        sheet.get_by_role("button", name=end, exact=True).click()
    expect(sheet).to_be_hidden()
    until(lambda: round(home.light("Sofa")["brightness"]) == 70, "the room is as it was")
    until(lambda: round(home.light("Desk")["brightness"]) == 70, "all of it")
    assert round(values(home)["Sofa"]["brightness"]) == (100 if end == "Save" else 30)


def test_two_who_edit_at_once_are_told_and_lose_nothing(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = editor(page)
    slider(sheet, "Sofa").press("End")
    slider(sheet, "Hall").press("End")
    # Another lamp of it is nobody's loss; the same one is.
    home.command("edit_scene", scene="Evening", targets=["Desk"], brightness=11)
    home.command("edit_scene", scene="Evening", targets=["Sofa"], brightness=55)
    sheet.get_by_role("button", name="Save", exact=True).click()
    expect(sheet.get_by_role("heading", name="Somebody else has changed it, too")).to_be_visible()
    expect(sheet.locator(".versions li")).to_have_count(1)
    expect(sheet.locator(".versions li")).to_contain_text(said("Sofa.*Yours: 100 percent.*Theirs: 55 percent"))
    assert round(values(home)["Hall"]["brightness"]) == 20, "nothing is saved before that is decided"
    sheet.get_by_role("button", name="Keep theirs").click()
    expect(page.locator("#toast")).to_contain_text("Evening is saved.")
    levels = {name: round(one["brightness"]) for name, one in values(home).items()}
    assert levels == {"Strip": 60, "Desk": 11, "Sofa": 55, "Hall": 100}
    sheet = editor(page)
    slider(sheet, "Sofa").press("Home")
    home.command("edit_scene", scene="Evening", targets=["Sofa"], brightness=45)
    sheet.get_by_role("button", name="Save", exact=True).click()
    sheet.get_by_role("button", name="Save mine").click()
    until(lambda: round(values(home)["Sofa"]["brightness"]) == 1, "mine is saved")


def test_a_scene_that_is_gone_is_said_when_it_is_saved(home: Home, visit: Visit) -> None:
    home.command("save_scene", name="Attic", targets=["@living"])
    page = visit(expected="status of 404")
    sheet = editor(page, "Attic")
    slider(sheet, "Sofa").press("End")
    home.command("delete_scene", scene="Attic")
    sheet.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#toast")).to_contain_text(said("scene"))
    # What was edited is still there to be read.
    expect(slider(sheet, "Sofa")).to_have_attribute("aria-valuenow", "100")


def test_nothing_is_saved_while_the_connection_is_lost(home: Home, visit: Visit) -> None:
    page = visit(expected="ERR_")
    sheet = editor(page)
    slider(sheet, "Sofa").press("End")
    sent = commands(page)
    page.evaluate("document.body.classList.add('lost')")
    sheet.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#announcer")).to_have_text("Not connected: nothing can be changed now.")
    assert sent == []
    expect(slider(sheet, "Sofa")).to_have_attribute("aria-valuenow", "100")


# MARK: Palette


def test_colours_and_whites_are_picked_by_name_and_looking_sends_nothing(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = lamp(page, "Desk")
    sent = commands(page)
    tabs = sheet.get_by_role("tab")
    expect(tabs).to_have_text(["White", "Colour", "Effect"])
    expect(sheet.get_by_role("tab", name="Colour")).to_have_attribute("aria-selected", "true")
    sheet.get_by_role("tab", name="Colour").focus()
    page.keyboard.press("ArrowRight")
    expect(sheet.get_by_role("tab", name="Effect")).to_be_focused()
    expect(sheet.get_by_role("radio", name="Candle")).to_be_visible()
    page.keyboard.press("Home")
    expect(sheet.get_by_role("button", name="Daylight")).to_be_visible()
    palette = sheet.get_by_role("group", name="White by feeling")
    # One stop for all of them; the arrow keys look, and only Enter picks.
    page.keyboard.press("Tab")
    expect(palette.get_by_role("button", name="Candle")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(palette.get_by_role("button", name="Work")).to_be_focused()
    page.keyboard.press("Tab")
    expect(slider(sheet, "White tone")).to_be_focused()
    assert sent == []
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    until(lambda: home.light("Desk")["temperature"] == 250, "the white is set")
    expect(palette.get_by_role("button", name="Work")).to_have_attribute("aria-pressed", "true")
    look_at(sheet, "Colour")
    sheet.get_by_role("button", name="Violet", exact=True).click()
    until(lambda: abs(home.light("Desk")["hue"] - 284) < 3, "the colour is set")
    # What the browser has asked is known here when it has said more.
    expect(page.locator("#toast")).to_contain_text("another colour")
    assert len(sent) == 2
    page.keyboard.press("Control+z")
    until(lambda: home.light("Desk")["mode"] == "temperature", "it is one step to undo")


def test_a_colour_is_taken_from_another_lamp_and_used_again(home: Home, visit: Visit) -> None:
    home.command("set", target="Strip", gradient=["#00ffff", "#ff00ff"], wait=True)
    page = visit()
    sheet = lamp(page, "Desk")
    sheet.get_by_role("group", name="Recent, and from other lamps").get_by_role(
        "button", name=said("Turquoise, from .?Strip")
    ).click()
    until(lambda: abs(home.light("Desk")["hue"] - 180) < 4, "it has the strip's colour")
    slider(sheet, "Colour").press("PageUp")
    page.keyboard.press("Escape")
    sheet = lamp(page, "Desk")
    expect(sheet.get_by_role("button", name=said(", used before$"))).to_have_count(1)
    page.reload()
    sheet = lamp(page, "Desk")
    expect(sheet.get_by_role("button", name=said(", used before$"))).to_have_count(1)


def test_a_lamp_is_offered_only_what_it_can(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = lamp(page, "Sofa")
    assert sheet.get_by_role("button", name="Violet").count() == 0
    for name, tones in (("Strip", ["White", "Colour", "Gradient", "Effect"]), ("Hall", [])):
        page.keyboard.press("Escape")
        lamp(page, name)
        expect(sheet.get_by_role("tab")).to_have_text(tones)
    assert sheet.locator(".swatch").count() == 0


def test_the_lamp_of_a_scene_neither_follows_nor_tells_of_the_real_one(home: Home, visit: Visit) -> None:
    home.command("set_curve", name="office", points=["00:00 60% 2700K"])
    home.command("follow", target="Desk", curve="office")
    try:
        page = visit()
        sheet = lamp(page, "Desk")
        expect(sheet.get_by_role("button", name="Stop following")).to_be_visible()
        expect(sheet.get_by_role("heading", name="Last changes")).to_be_visible()
        page.keyboard.press("Escape")
        sheet = editor(page)
        expect(tile(sheet, "Desk").locator(".sun")).to_be_hidden()
        slider(sheet, "Desk").click()
        expect(sheet.get_by_role("heading", name="Desk")).to_be_visible()
        look_at(sheet, "White")
        for name in ("Stop following", "Resume", "Follow the day"):
            expect(sheet.get_by_role("button", name=name)).to_have_count(0)
        expect(sheet.get_by_role("heading", name="Last changes")).to_have_count(0)
        # It is part of the scene: Escape leads back to it.
        page.keyboard.press("Escape")
        expect(slider(sheet, "Sofa")).to_be_visible()
        sheet.get_by_role("button", name="Cancel").click()
        expect(sheet).to_be_hidden()
    finally:
        home.command("unfollow", target="Desk")


# MARK: In another language, on a small phone


def test_in_german_at_320_pixels_nothing_overflows_and_every_target_is_large(home: Home, visit: Visit) -> None:
    page = visit(viewport={"width": 320, "height": 640}, locale="de-DE")
    sheet = page.get_by_role("dialog")

    def check(what: str) -> None:
        assert overflow(page) == 0, what
        assert page.locator("#sheet").evaluate("sheet => sheet.scrollWidth - sheet.clientWidth") <= 0, what
        small = sheet.locator("button:visible, .surface:visible").evaluate_all(
            """nodes => nodes.map(node => [node, node.getBoundingClientRect()])
                .filter(([, box]) => box.width < 44 || box.height < 44).map(([node]) => node.outerHTML.slice(0, 120))"""
        )
        assert small == [], what

    chip(page, "Evening").click(button="right")
    expect(sheet.get_by_text("Szene in Living")).to_be_visible()
    check("a scene")
    sheet.get_by_role("button", name="Löschen").click()
    expect(sheet.get_by_role("button", name="Behalten")).to_be_visible()
    check("to delete")
    sheet.get_by_role("button", name="Behalten").click()
    sheet.get_by_role("button", name="Ihre Lampen bearbeiten").click()
    expect(sheet.get_by_role("button", name="Speichern")).to_be_visible()
    check("its lamps")
    slider(sheet, "Strip").click()
    for tone in ("Weiß", "Farbe", "Verlauf", "Effekt"):
        look_at(sheet, tone)
        check(tone)
    expect(sheet.get_by_role("radio", name="Kaminfeuer")).to_be_visible()
    sheet.get_by_role("radio", name="Kaminfeuer").check()
    sheet.get_by_role("button", name="Zurück").or_(sheet.get_by_role("button", name="Back")).click()
    expect(tile(sheet, "Strip")).to_contain_text("Kaminfeuer")
