"""Effects, the points of a strip, and scenes that move their lights."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from conftest import DESKTOP, PHONE
from hands import box
from home import Home, OtherApp, look_at, said, section, slider, switch, tile
from lightsim import until
from looks import overflow, violations
from playwright.sync_api import FloatRect, Locator, Page, expect

Visit = Callable[..., Page]
HOME = """
rooms:
  - name: Living
    archetype: living_room
    lights:
      - { name: Strip, kind: gradient, on: true, brightness: 70 }
      - { name: Desk, kind: color, on: true, brightness: 70 }
      - { name: Hall, kind: dimmable, on: true }
scenes:
  - name: Waves
    group: Living
    palette: [[0.6, 0.32], [0.3, 0.55], [0.17, 0.1]]
    lights:
      Strip: { brightness: 60, xy: [0.6, 0.32] }
      Desk: { brightness: 60, xy: [0.3, 0.55] }
  - name: Tide
    group: Living
    dynamic: true
    palette: [[0.6, 0.32], [0.17, 0.1]]
    lights:
      Desk: { brightness: 60, xy: [0.6, 0.32] }
"""
RED_GREEN_BLUE = ["#ff0000", "#00ff00", "#0000ff"]


@pytest.fixture(scope="module")
def app(home: Home) -> OtherApp:
    return OtherApp(home)


@pytest.fixture(autouse=True)
def evening(home: Home) -> None:
    """Every test begins with the same lights."""
    home.command("set", target="all", brightness=70, wait=True)
    home.command("set", target="Desk", color="orange", wait=True)
    home.command("set", target="Strip", gradient=RED_GREEN_BLUE, gradient_mode="linear", wait=True)


def living(page: Page) -> Locator:
    return section(page, "Living")


def more(page: Page, name: str) -> Locator:
    """Opens the sheet of a light or a room."""
    slider(living(page), name).click()
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("heading", level=2)).to_be_visible()
    return sheet


def effects(sheet: Locator) -> Locator:
    return sheet.get_by_role("group", name="Effect", exact=True).get_by_role("radio")


def points(sheet: Locator) -> Locator:
    return sheet.get_by_role("group", name="Colours of the strip").get_by_role("button")


def expect_colors(sheet: Locator, *names: str) -> None:
    """In the words of a screen reader; they come when lightd has named them."""
    shown = points(sheet)
    expect(shown).to_have_count(len(names))
    for index, name in enumerate(names):
        expect(shown.nth(index)).to_have_accessible_name(f"Colour {index + 1} of {len(names)}: {name}")


def color(point: tuple[float, float]) -> str:
    x, y = point
    return "red" if x > 0.5 else "green" if y > 0.5 else "blue" if y < 0.2 else "another"


def colors(app: OtherApp, name: str = "Strip") -> list[str]:
    return [color(point) for point in app.points(name)]


def place(locator: Locator) -> FloatRect:
    locator.scroll_into_view_if_needed()
    return box(locator)


def drag_point(page: Page, sheet: Locator, start: int, end: int) -> None:
    """From the middle of one place to that of another; leaves the finger down."""
    one, other = place(points(sheet).nth(start)), place(points(sheet).nth(end))
    page.mouse.move(one["x"] + one["width"] / 2, one["y"] + one["height"] / 2)
    page.mouse.down()
    page.mouse.move(other["x"] + other["width"] / 2, other["y"] + other["height"] / 2, steps=8)


def motions(node: Locator) -> int:
    """How many run on it for as long as it is so; not those of a change."""
    return node.evaluate("node => node.getAnimations().filter(one => one instanceof CSSAnimation).length")


# MARK: Effects


def test_an_effect_is_picked_shown_and_ended(home: Home, app: OtherApp, visit: Visit) -> None:
    page = visit()
    sheet = more(page, "Desk")
    look_at(sheet, "Effect")
    choice = effects(sheet)
    listed = app.ask("GET", "Desk")["effects_v2"]["action"]["effect_values"]
    # In the lamp's order; what ends one goes first.
    assert [one.get_attribute("value") for one in choice.all()] == ["none", *listed[1:]]
    expect(sheet.get_by_role("radio", name="none")).to_be_checked()
    expect(slider(sheet, "Speed")).to_be_hidden()
    sheet.get_by_role("radio", name="prism").check()
    expect(sheet.locator(".state")).to_contain_text(said("70%.*prism"))
    until(lambda: app.effect("Desk") == "prism", "the bridge runs it")
    desk = tile(living(page), "Desk")
    expect(desk).to_contain_text("prism")
    expect(desk).to_have_attribute("data-freshness", "confirmed")
    expect(slider(living(page), "Desk")).to_have_attribute("aria-valuetext", "70 percent, prism")
    expect(page.locator("#toast")).to_contain_text("Desk runs Prism")
    # The brightness goes on, and a colour ends it.
    slider(sheet, "Brightness").press("PageUp")
    until(lambda: round(home.light("Desk")["brightness"]) == 80, "the level is set")
    assert app.effect("Desk") == "prism"
    expect(sheet.get_by_role("radio", name="prism")).to_be_checked()
    look_at(sheet, "Colour")
    slider(sheet, "Colour").press("Home")
    look_at(sheet, "Effect")
    expect(sheet.get_by_role("radio", name="none")).to_be_checked()
    until(lambda: app.effect("Desk") == "no_effect", "the colour ends it")
    sheet.get_by_role("radio", name="candle").check()
    until(lambda: app.effect("Desk") == "candle", "another runs")
    sheet.get_by_role("radio", name="none").check()
    until(lambda: app.effect("Desk") == "no_effect", "none ends it")
    expect(desk).to_contain_text("red")
    # A lamp that can run none has no picker.
    page.keyboard.press("Escape")
    assert more(page, "Hall").get_by_role("radio").count() == 0


def test_an_effect_that_was_picked_is_taken_back(home: Home, app: OtherApp, visit: Visit) -> None:
    page = visit()
    sheet = more(page, "Strip")
    look_at(sheet, "Effect")
    sheet.get_by_role("radio", name="candle").check()
    until(lambda: app.effect("Strip") == "candle", "the bridge runs it")
    expect(page.locator("#toast")).to_contain_text("Strip runs Candle")
    page.keyboard.press("Control+z")
    until(lambda: app.effect("Strip") == "no_effect", "nothing runs")
    until(lambda: colors(app) == ["red", "green", "blue"], "the strip is as before")
    expect(sheet.get_by_role("radio", name="none")).to_be_checked()
    look_at(sheet, "Gradient")
    expect_colors(sheet, "red", "green", "blue")


def test_the_speed_of_what_runs_is_set(home: Home, app: OtherApp, visit: Visit) -> None:
    home.command("set", target="Desk", effect="prism", effect_speed=40, wait=True)
    page = visit()
    sheet = more(page, "Desk")
    speed = slider(sheet, "Speed")
    expect(speed).to_have_value("40")
    speed.press("End")
    until(lambda: home.light("Desk")["effect_speed"] == 100, "it runs faster")
    assert app.effect("Desk") == "prism"


def test_effects_are_picked_with_the_arrow_keys(home: Home, app: OtherApp, visit: Visit) -> None:
    page = visit()
    sheet = more(page, "Desk")
    look_at(sheet, "Effect")
    sheet.get_by_role("radio", name="none").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(sheet.get_by_role("radio", name="fire")).to_be_focused()
    expect(sheet.get_by_role("radio", name="fire")).to_be_checked()
    until(lambda: app.effect("Desk") == "fire", "the last one runs")


def test_what_another_app_does_appears(home: Home, app: OtherApp, visit: Visit) -> None:
    page = visit()
    sheet = more(page, "Desk")
    app.ask("PUT", "Desk", {"effects_v2": {"action": {"effect": "opal"}}})
    expect(tile(living(page), "Desk")).to_contain_text("opal")
    look_at(sheet, "Effect")
    expect(sheet.get_by_role("radio", name="opal")).to_be_checked()
    expect(sheet.locator(".state")).to_contain_text("opal")
    page.keyboard.press("Escape")
    sheet = more(page, "Strip")
    ends = [{"color": {"xy": {"x": 0.17, "y": 0.1}}}, {"color": {"xy": {"x": 0.6, "y": 0.32}}}]
    app.ask("PUT", "Strip", {"gradient": {"points": ends, "mode": "interpolated_palette_mirrored"}})
    expect_colors(sheet, "blue", "red")
    expect(sheet.get_by_role("radio", name="mirrored")).to_be_checked()


def test_a_running_effect_moves_its_tile_unless_it_is_off_or_motion_is_not_wanted(home: Home, visit: Visit) -> None:
    home.command("set", target="Desk", effect="prism", wait=True)
    page = visit()
    desk = tile(living(page), "Desk")
    expect(desk).to_contain_text("prism")
    fill = desk.locator(".fill")
    assert motions(fill) == 1
    assert motions(tile(living(page), "Strip").locator(".fill")) == 0
    page.emulate_media(reduced_motion="reduce")
    assert motions(fill) == 0
    page.emulate_media(reduced_motion="no-preference")
    assert motions(fill) == 1
    switch(living(page), "Desk").click()
    expect(desk).to_have_attribute("data-state", "off")
    assert motions(fill) == 0
    switch(living(page), "Desk").click()
    expect(desk).to_have_attribute("data-state", "on")
    page.evaluate("document.body.classList.add('lost')")
    assert motions(fill) == 0


# MARK: What comes to an end


def running(app: OtherApp, name: str) -> str:
    return app.ask("GET", name)["timed_effects"]["status"]


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_a_sunrise_is_begun_over_its_time_says_what_is_left_and_is_ended(
    home: Home, app: OtherApp, visit: Visit, viewport: dict[str, int]
) -> None:
    page = visit(viewport=viewport)
    sheet = more(page, "Desk")
    look_at(sheet, "Effect")
    lengths = sheet.get_by_role("group", name="Slow effect over").get_by_role("radio")
    expect(lengths.nth(2)).to_be_checked()
    before = len(home.sent("Desk"))
    # Choosing a length begins nothing, with keys either.
    lengths.nth(2).press("ArrowRight")
    lengths.nth(3).press("ArrowLeft")
    lengths.nth(2).press("ArrowLeft")
    expect(sheet.get_by_role("radio", name="20 min")).to_be_checked()
    sheet.get_by_role("button", name="Begin sunrise").press("Enter")
    until(lambda: running(app, "Desk") == "sunrise", "the bridge runs it")
    assert [one["timed_effects"] for one in home.sent("Desk")[before:]] == [{"effect": "sunrise", "duration": 1_200_000}]
    state = sheet.locator(".state")
    expect(state).to_contain_text(said("sunrise, (20|19) min left"))
    desk = tile(living(page), "Desk")
    expect(desk).to_contain_text("sunrise")
    expect(desk).to_have_attribute("data-freshness", "confirmed")
    expect(page.locator("#toast")).to_contain_text("Desk runs Sunrise over 20 min")
    for radio in effects(sheet).all():
        expect(radio).not_to_be_checked()
    expect(sheet.get_by_role("button", name="Begin sunset")).to_be_visible()
    # It is ended where it was begun: the focus stays there.
    end = sheet.get_by_role("button", name="End sunrise")
    expect(end).to_be_focused()
    page.keyboard.press("Enter")
    until(lambda: running(app, "Desk") == "no_effect", "the bridge has ended it")
    expect(sheet.get_by_role("button", name="Begin sunrise")).to_be_focused()
    expect(state).not_to_contain_text("left")
    expect(sheet.get_by_role("radio", name="none")).to_be_checked()


def test_what_is_left_of_a_sunrise_becomes_less_until_it_is_over(home: Home, app: OtherApp, visit: Visit) -> None:
    # As others begin it: the bridge's minutes are ten times as short.
    home.lightctl("effect", "desk", "sunrise", "--over", "20m", "--wait")
    page = visit()
    state = more(page, "Desk").locator(".state .level")
    expect(state).to_contain_text(said("sunrise, (20|19) min left"))

    def wait(minutes: int) -> None:
        page.clock.set_fixed_time(datetime.now() + timedelta(minutes=minutes))
        # What happens every quarter of a minute.
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    wait(10)
    expect(state).to_contain_text(said("sunrise, (10|9) min left"))
    # That it is still under way is what the bridge says.
    wait(21)
    expect(state).to_contain_text(said("sunrise$"))
    wait(0)
    # Nobody knows when another app has begun it.
    home.command("set", target="Desk", color="red", wait=True)
    app.ask("PUT", "Desk", {"timed_effects": {"effect": "sunset", "duration": 1_200_000}})
    expect(state).to_contain_text("sunset")
    expect(state).not_to_contain_text("left")
    page.get_by_role("dialog").get_by_role("button", name="End sunset").click()
    until(lambda: running(app, "Desk") == "no_effect", "the bridge has ended it")


# MARK: The points of a strip


def test_a_tile_runs_through_the_colours_of_its_strip(home: Home, visit: Visit) -> None:
    page = visit()
    fill = tile(living(page), "Strip").locator(".fill")
    expect(fill).to_have_css("background-image", said(r"linear-gradient\(100deg(, oklch\([^)]*\)){3}\)"))
    hues = fill.evaluate("fill => getComputedStyle(fill).backgroundImage.match(/[\\d.]+(?=\\))/g).map(Number)")
    # Red, green and blue of OKLCh, a little warmer.
    assert all(abs(hue - wanted) < 30 for hue, wanted in zip(hues, (29, 142, 264), strict=True)), hues


def test_a_point_is_dragged_to_another_place(home: Home, app: OtherApp, visit: Visit) -> None:
    page = visit()
    sheet = more(page, "Strip")
    expect_colors(sheet, "red", "green", "blue")
    before = len(home.sent("Strip"))
    drag_point(page, sheet, 0, 2)
    # What is shown comes from the finger, and the strip is drawn as it would be.
    expect_colors(sheet, "green", "blue", "red")
    drawn = sheet.locator(".strip").evaluate("strip => strip.style.getPropertyValue('--strip')")
    assert [stop.split("(")[1].split(" ")[0] for stop in drawn.split("hsl")[1:]] == ["120", "240", "0"], drawn
    until(lambda: len(home.sent("Strip")) > before, "the first request comes while the finger is down")
    page.mouse.up()
    until(lambda: colors(app) == ["green", "blue", "red"], "the strip has the new order")
    expect(points(sheet).nth(2)).to_have_attribute("aria-pressed", "true")
    toast = page.locator("#toast")
    expect(toast).to_contain_text("Strip set to several colours")
    toast.get_by_role("button", name="Undo").click()
    until(lambda: colors(app) == ["red", "green", "blue"], "all of the drag is taken back")
    expect_colors(sheet, "red", "green", "blue")


@pytest.mark.parametrize("mode", ["linear", "mirrored"])
def test_a_finger_drags_a_point_on_a_narrow_phone_also_after_resting(
    home: Home, app: OtherApp, visit: Visit, mode: str
) -> None:
    home.command("set", target="Strip", gradient=RED_GREEN_BLUE, gradient_mode=mode, wait=True)
    page = visit(viewport={"width": 360, "height": 780}, has_touch=True)
    sheet = more(page, "Strip")
    points(sheet).first.scroll_into_view_if_needed()
    one, other = place(points(sheet).nth(2)), place(points(sheet).nth(0))
    y = one["y"] + one["height"] / 2
    touch = page.context.new_cdp_session(page)

    def send(kind: str, *xs: float) -> None:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x in xs]})

    start, end = one["x"] + one["width"] / 2, other["x"] + other["width"] / 2
    send("touchStart", start)
    # Longer than what opens a sheet elsewhere.
    page.wait_for_timeout(600)
    for step in range(1, 9):
        send("touchMove", start + (end - start) * step / 8)
    send("touchEnd")
    until(lambda: colors(app) == ["blue", "red", "green"], "the strip has the new order")
    expect(points(sheet).first).to_have_attribute("aria-pressed", "true")


def test_a_point_that_is_chosen_gets_the_colour_of_the_sheet(home: Home, app: OtherApp, visit: Visit) -> None:
    page = visit()
    sheet = more(page, "Strip")
    points(sheet).nth(1).click()
    expect(points(sheet).nth(1)).to_have_attribute("aria-pressed", "true")
    expect(sheet.get_by_role("slider", name="Colour", exact=True)).to_have_count(0)
    hue = slider(sheet, "Colour 2")
    expect(hue).to_have_value("120")
    area = place(hue)
    page.mouse.click(area["x"] + area["width"] * 0.667, area["y"] + area["height"] / 2)
    expect_colors(sheet, "red", "blue", "blue")
    until(lambda: colors(app) == ["red", "blue", "blue"], "the point alone has another colour")
    # No longer chosen: the colour is that of all of the lamp.
    points(sheet).nth(1).click()
    look_at(sheet, "Colour")
    slider(sheet, "Colour").press("PageUp")
    expect(sheet.locator(".strip")).not_to_have_attribute("data-shown", "")
    until(lambda: "gradient" not in home.light("Strip"), "the strip shows one colour")


def test_a_point_gets_the_colour_of_the_field(home: Home, app: OtherApp, visit: Visit) -> None:
    home.pin("strip")
    home.lightctl("dashboard", "display", "strip", "scrubbing")
    page = visit()
    sheet = more(page, "Strip")
    points(sheet).nth(0).click()
    expect(sheet.get_by_text("Colour 1 across, saturation up")).to_be_visible()
    area = place(sheet.locator(".field:visible"))
    page.mouse.click(area["x"] + area["width"] / 3, area["y"] + 3)
    expect_colors(sheet, "green", "green", "blue")
    until(lambda: colors(app) == ["green", "green", "blue"], "the point has the colour")
    home.lightctl("dashboard", "display", "strip", "slider")
    home.unpin("strip")


def test_points_are_added_and_removed_within_what_the_strip_takes(home: Home, app: OtherApp, visit: Visit) -> None:
    page = visit()
    sheet = more(page, "Strip")
    add = sheet.get_by_role("button", name="Add a colour")
    remove = sheet.get_by_role("button", name=said("Remove"))
    expect(remove).to_be_disabled()
    points(sheet).nth(0).click()
    add.click()
    # Between the two: what was there stays.
    expect_colors(sheet, "red", "yellow", "green", "blue")
    until(lambda: len(app.points("Strip")) == 4, "the bridge has four")
    add.click()
    until(lambda: len(app.points("Strip")) == 5, "the bridge has five")
    expect(add).to_be_disabled()
    add.click(force=True)
    expect(points(sheet)).to_have_count(5)
    for count in (4, 3, 2):
        sheet.get_by_role("button", name=said("Remove colour")).click()
        until(lambda wanted=count: len(app.points("Strip")) == wanted, f"the bridge has {count}")
    expect(remove).to_be_disabled()


def test_points_are_moved_and_removed_with_keys_and_with_buttons(home: Home, app: OtherApp, visit: Visit) -> None:
    page = visit()
    sheet = more(page, "Strip")
    points(sheet).nth(0).focus()
    page.keyboard.press("ArrowRight")
    expect(points(sheet).nth(1)).to_be_focused()
    expect_colors(sheet, "green", "red", "blue")
    until(lambda: colors(app) == ["green", "red", "blue"], "the keys move it")
    sheet.get_by_role("button", name="Move right").click()
    until(lambda: colors(app) == ["green", "blue", "red"], "the button moves it")
    expect(sheet.get_by_role("button", name="Move right")).to_be_disabled()
    expect(page.locator("#announcer")).to_have_text(said("Colour 3 of 3"))
    sheet.get_by_role("button", name="Move left").click()
    until(lambda: colors(app) == ["green", "red", "blue"], "and the other back")
    points(sheet).nth(0).focus()
    page.keyboard.press("Delete")
    until(lambda: colors(app) == ["red", "blue"], "the key removes it")
    expect(points(sheet).nth(0)).to_be_focused()
    page.keyboard.press("Delete")
    page.keyboard.press("Space")
    expect_colors(sheet, "red", "blue")


def test_a_strip_of_one_colour_begins_a_gradient_and_is_arranged(home: Home, app: OtherApp, visit: Visit) -> None:
    home.command("set", target="Strip", color="red", wait=True)
    page = visit()
    sheet = more(page, "Strip")
    look_at(sheet, "Gradient")
    expect_colors(sheet, "red", "yellow")
    before = len(home.sent("Strip"))
    points(sheet).nth(0).click()
    slider(sheet, "Colour 1").press("End")
    until(lambda: len(app.points("Strip")) == 2, "the strip shows two colours")
    assert all("gradient" in one for one in home.sent("Strip")[before:])
    sheet.get_by_role("radio", name="mirrored").check()
    until(lambda: app.ask("GET", "Strip")["gradient"]["mode"] == "interpolated_palette_mirrored", "it is mirrored")
    # The points lie where the strip shows them: from its middle to one end.
    strip, first = place(sheet.locator(".strip")), place(points(sheet).first)
    assert abs(first["x"] - (strip["x"] + strip["width"] / 2)) < 1
    # A segmented one is not offered: the strip does not list it.
    modes = sheet.get_by_role("group", name="Arrangement").get_by_role("radio").all()
    assert [one.get_attribute("value") for one in modes] == ["linear", "mirrored", "random"]


# MARK: Scenes that move their lights


def test_a_scene_is_recalled_dynamically_from_its_menu(home: Home, visit: Visit) -> None:
    page = visit()
    waves = living(page).get_by_role("button", name="Waves")
    sheet = page.get_by_role("dialog")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))

    def hold() -> None:
        area = place(waves)
        page.mouse.move(area["x"] + 30, area["y"] + 20)
        page.mouse.down()
        expect(sheet).to_be_visible()
        page.mouse.up()

    for opens in (hold, lambda: waves.click(button="right")):
        opens()
        expect(sheet.get_by_role("heading", name="Waves")).to_be_visible()
        assert not [url for url in sent if url.endswith("/v1/messages")], "letting go has recalled nothing"
        sheet.get_by_role("button", name="Turn on, moving").click()
        expect(waves).to_contain_text("dynamic")
        assert home.light("Desk")["effect"] == "dynamic_palette"
        expect(tile(living(page), "Desk")).to_contain_text("dynamic")
        expect(page.locator("#toast")).to_contain_text("Scene Waves, moving")
        assert motions(waves.locator(".look")) == 1
        page.emulate_media(reduced_motion="reduce")
        assert motions(waves.locator(".look")) == 0
        page.emulate_media(reduced_motion="no-preference")
        # As it was saved, it moves nothing.
        waves.click()
        expect(waves).not_to_contain_text("dynamic")
        expect(tile(living(page), "Desk")).not_to_contain_text("dynamic")
        expect(page.locator("#toast")).to_have_text(said("^Scene Waves ?Undo$"))
        sent.clear()


def menu(page: Page, name: str) -> Locator:
    """Opens the menu of a scene."""
    living(page).locator("button.chip", has_text=name).click(button="right")
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("heading", name=name)).to_be_visible()
    return sheet


def test_the_speed_of_a_dynamic_scene_is_set_before_it_moves_and_meanwhile(home: Home, visit: Visit) -> None:
    page = visit(viewport=PHONE)
    sent: list[dict[str, Any]] = []
    page.on("request", lambda one: sent.append(one.post_data_json) if one.url.endswith("/v1/messages") else None)
    sheet = menu(page, "Waves")
    speed = slider(sheet, "How fast it moves")
    # It has one of its own, which nobody tells.
    expect(speed).to_have_attribute("aria-valuetext", "as saved")
    speed.press("End")
    expect(speed).to_have_attribute("aria-valuetext", "100%")
    sheet.get_by_role("button", name="Turn on, moving").click()
    until(lambda: home.light("Desk").get("effect_speed") == 100, "it moves as fast")
    expect(living(page).locator(".chip", has_text="Waves")).to_contain_text("dynamic")
    assert len(sent) == 1, "what does not move yet is not told"
    # The menu says how fast it moves, and several keys are one command.
    menu(page, "Waves")
    expect(speed).to_have_value("100")
    # As three keys in quick succession do it; a busy machine could not press them so quickly.
    speed.evaluate(
        "slider => { for (const percent of [90, 80, 70]) { slider.value = percent;"
        " for (const event of ['input', 'change']) slider.dispatchEvent(new Event(event, { bubbles: true })) } }"
    )
    until(lambda: home.light("Desk").get("effect_speed") == 70, "it moves slower")
    expect(page.locator("#toast")).to_contain_text("Scene Waves, moving")
    assert [one["speed"] for one in sent] == [100, 70], sent
    # Set by another, it is shown as well.
    home.command("recall", scene="Waves", dynamic=True, speed=20)
    page.keyboard.press("Escape")
    menu(page, "Waves")
    expect(speed).to_have_value("20")


def test_a_scene_that_moves_by_itself_is_recalled_without_moving(home: Home, visit: Visit) -> None:
    page = visit()
    tide = living(page).locator(".chip", has_text="Tide")
    tide.click()
    expect(tide).to_contain_text("dynamic")
    for _ in ("while it moves", "while it rests"):
        menu(page, "Tide").get_by_role("button", name=said("^Turn on Its")).click()
        expect(page.locator("#toast")).to_have_text(said("^Scene Tide ?Undo$"))
        expect(tide).not_to_contain_text("dynamic")
        until(lambda: "effect" not in home.light("Desk"), "the desk rests")
        expect(tide).to_have_attribute("aria-pressed", "true")


def test_a_room_offers_its_scenes_to_those_who_cannot_hold(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = more(page, "All of Living")
    # With keys alone: to the scene, back to the room, and once more.
    for _ in range(2):
        sheet.get_by_role("button", name="Waves").press("Enter")
        expect(sheet.get_by_role("heading", name="Waves")).to_be_focused()
        sheet.get_by_role("button", name="Back").press("Enter")
        expect(sheet.get_by_role("heading", name="Living", exact=True)).to_be_focused()
    sheet.get_by_role("button", name="Waves").press("Enter")
    sheet.get_by_role("button", name="Turn on, moving").press("Enter")
    expect(living(page).locator(".chip", has_text="Waves")).to_contain_text("dynamic")
    # A colour for one lamp ends it there.
    sheet = more(page, "Desk")
    for radio in effects(sheet).all():
        expect(radio).not_to_be_checked()
    sheet.get_by_role("radio", name="none").check()
    until(lambda: "effect" not in home.light("Desk"), "the desk rests")
    assert home.light("Strip")["effect"] == "dynamic_palette"
    # Readers are told, and offered nothing.
    reader = visit(access="look")
    expect(living(reader)).to_contain_text("dynamic")
    sheet = reader.get_by_role("dialog")
    for name in ("All of Living", "Strip"):
        living(reader).get_by_role("button", name=said(f"^{name}")).click()
        expect(sheet).to_be_visible()
        assert sheet.get_by_role("radio").count() == sheet.get_by_role("button", name="Waves").count() == 0
        reader.keyboard.press("Escape")


def test_the_finger_that_has_opened_a_menu_hits_nothing_in_it(home: Home, visit: Visit) -> None:
    page = visit(viewport={"width": 360, "height": 300}, has_touch=True)
    waves = living(page).get_by_role("button", name="Waves")
    waves.scroll_into_view_if_needed()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    touch = page.context.new_cdp_session(page)
    area = place(waves)
    point = {"x": area["x"] + 40, "y": area["y"] + 20}
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("button", name="Turn on, moving")).to_be_visible()
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    # As a browser clicks that takes what lies beneath the finger now.
    row = sheet.get_by_role("button", name="Turn on, moving")
    row.evaluate("row => row.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }))")
    expect(sheet).to_be_visible()
    assert not [url for url in sent if url.endswith("/v1/messages")]
    # The next finger is a new one.
    row.tap()
    expect(waves).to_contain_text("dynamic")


# MARK: For everybody


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_sheet_of_a_strip_and_the_menu_of_a_scene(
    home: Home, visit: Visit, scheme: str
) -> None:
    home.command("set", target="Strip", effect="prism", wait=True)
    page = visit(color_scheme=scheme, reduced_motion="reduce", viewport={"width": 900, "height": 2000})
    sheet = more(page, "Strip")
    assert violations(page) == []
    look_at(sheet, "Gradient")
    points(sheet).nth(1).click()
    assert violations(page) == []
    page.keyboard.press("Escape")
    living(page).get_by_role("button", name="Waves").click(button="right")
    expect(sheet.get_by_role("button", name="Turn on, moving")).to_be_visible()
    slider(sheet, "How fast it moves").press("End")
    assert violations(page) == []
    sheet.get_by_role("button", name="Turn on, moving").click()
    expect(living(page).locator(".chip", has_text="Waves")).to_contain_text("dynamic")
    assert violations(page) == []


@pytest.mark.parametrize("viewport", [{"width": 360, "height": 780}, PHONE, DESKTOP])
def test_the_sheets_of_a_strip_and_of_a_scene_fit_a_phone_and_a_finger(
    home: Home, visit: Visit, viewport: dict[str, int]
) -> None:
    home.command("set", target="Strip", gradient=[*RED_GREEN_BLUE, "#ffff00", "#00ffff"], wait=True)
    page = visit(viewport=viewport)
    sheet = more(page, "Strip")
    expect(points(sheet)).to_have_count(5)
    points(sheet).nth(1).click()

    def effect() -> None:
        look_at(more(page, "Strip"), "Effect")
        expect(sheet.get_by_role("button", name="Begin sunrise")).to_be_visible()

    for opens in (lambda: None, effect, lambda: menu(page, "Waves")):
        opens()
        assert overflow(page) == 0
        assert page.locator("#sheet").evaluate("sheet => sheet.scrollWidth - sheet.clientWidth") <= 0
        small = sheet.locator("button:visible, input:visible").evaluate_all(
            """nodes => nodes.map(node => [node, node.getBoundingClientRect()])
                .filter(([, box]) => box.width < 44 || box.height < 44).map(([node]) => node.outerHTML.slice(0, 120))"""
        )
        assert small == []
        page.keyboard.press("Escape")
