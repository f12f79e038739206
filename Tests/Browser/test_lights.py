"""What a finger, a key and the toast do to lights, and what comes back."""

from __future__ import annotations

import json
import os
import pwd
import time
from collections.abc import Callable

import pytest
from hands import SLOP, begin_drag, box, drag
from home import Home, look_at, said, section, sign_in, slider, switch, tile
from lightsim import until
from playwright.sync_api import Locator, Page, Route, expect

Visit = Callable[..., Page]
# In seconds; of a light, with lightd's usual limits.
PACE = 0.1


@pytest.fixture(autouse=True)
def evening(home: Home) -> None:
    """Every test begins with the same lights."""
    home.command("set", target="Desk", brightness=40, wait=True)
    home.command("set", target="Sofa", brightness=80, temperature=400, wait=True)
    for name in ("Fan", "Stove", "Counter"):
        home.command("turn", to="off", target=name, wait=True)


def living(page: Page) -> Locator:
    return section(page, "Living")


def more(page: Page, name: str) -> Locator:
    """Opens the sheet of a light."""
    slider(living(page), name).click()
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("heading", name=name)).to_be_visible()
    return sheet


def percent(tile: Locator) -> int:
    return int(tile.get_attribute("aria-valuenow") or -1)


def test_the_round_switch_switches_and_the_toast_takes_it_back(home: Home, visit: Visit) -> None:
    page = visit()
    switch(living(page), "Fan").click()
    expect(switch(living(page), "Fan")).to_be_checked()
    expect(tile(living(page), "Fan")).to_have_attribute("data-freshness", "confirmed")
    expect(tile(living(page), "Fan")).to_contain_text(said("the page, ?just now"))
    assert home.is_on("Fan")
    expect(page.locator("#toast")).to_contain_text("Fan")
    page.get_by_role("button", name="Undo").click()
    expect(switch(living(page), "Fan")).not_to_be_checked()
    expect(page.locator("#toast")).to_contain_text("Undone")
    until(lambda: not home.is_on("Fan"), "the fan is off")


def test_undo_takes_back_what_it_names_and_nothing_of_others(home: Home, visit: Visit) -> None:
    page = visit(expected="status of 409")
    toast = page.locator("#toast")
    switch(living(page), "Fan").click()
    expect(toast).to_contain_text("Fan turned on")
    home.command("turn", to="on", target="Counter", wait=True)
    toast.get_by_role("button", name="Undo").click()
    expect(toast).to_have_text("Not undone: somebody else has changed something since.")
    assert home.is_on("Fan") and home.is_on("Counter")
    # The menu undoes whatever is the newest, and says what.
    page.get_by_role("button", name="Menu").click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="Undo").click()
    expect(sheet).to_contain_text(said("turned .Counter. on, just now"))
    # A page that has just lost its connection refuses what is pressed, and a machine that stands still may look like that.
    while sheet.is_visible():
        expect(page.locator("#connection")).to_be_hidden()
        sheet.get_by_role("button", name="Undo").click()
        page.wait_for_timeout(200)
    expect(toast).to_have_text(said("^Undone: turned .Counter. on.$"))
    until(lambda: not home.is_on("Counter"), "the counter is off")
    assert home.is_on("Fan")
    # A lamp's sheet is about the lamp.
    expect(more(page, "Desk").get_by_role("button", name=said("Undo"))).to_have_count(0)


def test_all_off_is_offered_while_anything_is_on(home: Home, visit: Visit) -> None:
    page = visit()
    toast = page.locator("#toast")
    all_off = page.get_by_role("button", name="All off")
    expect(all_off).to_be_enabled()
    switch(living(page), "Desk").click()
    expect(toast).to_contain_text("Desk turned off")
    switch(living(page), "Sofa").click()
    expect(toast).to_contain_text("Sofa turned off")
    expect(all_off).to_be_disabled()
    all_off.click(force=True)
    expect(toast).to_contain_text("Sofa turned off")
    toast.get_by_role("button", name="Undo").click()
    expect(all_off).to_be_enabled()


def test_what_was_done_of_a_command_that_failed_in_part_can_be_taken_back(home: Home, visit: Visit) -> None:
    page = visit(expected="status of 502")

    def fail(route: Route) -> None:
        """As a home of two bridges answers when one of them is away."""
        done = route.fetch()
        parts = [{"target": "Attic", "code": "bridge_unreachable", "message": "cannot reach 'Attic' (no answer)"}] * 2
        hint = "check that the bridge is powered and on this network"
        error = {"code": "partly", "message": "2 of 7 failed", "hint": hint, "parts": parts}
        route.fulfill(status=502, json={"error": error | {"ticket": done.json()["ticket"]}})

    page.route("**/v1/messages", fail, times=1)
    page.get_by_role("button", name="All off").click()
    toast = page.locator("#toast")
    expect(toast).to_contain_text("2 of 7 failed: cannot reach 'Attic' (no answer). Check that the bridge is powered")
    until(lambda: not home.is_on("Desk"), "the desk is off")
    toast.get_by_role("button", name="Undo").click()
    until(lambda: home.is_on("Desk") and home.is_on("Sofa"), "both are on again")


def test_a_drag_is_shown_at_once_and_sends_no_more_than_the_pace(home: Home, visit: Visit) -> None:
    page = visit()
    desk = slider(living(page), "Desk")
    area = box(desk)
    before = len(home.sent("Desk"))
    began = time.monotonic()
    # Nothing is answered meanwhile: what is shown comes from the finger alone, with the next frame.
    held: list[Route] = []
    page.route("**/v1/messages", lambda route: held.append(route))
    y = begin_drag(page, area, 0.3, 0.4)
    # From where it was, wherever the finger is.
    for step in range(5, 26):
        page.mouse.move(area["x"] + area["width"] * (0.3 + 0.02 * step) + SLOP, y)
        until(lambda level=40 + 2 * step: abs(percent(desk) - level) <= 2, "the tile follows the finger")
    assert len(held) == 1, "one request at a time"
    held[0].continue_()
    page.unroute("**/v1/messages")
    until(lambda: len(home.sent("Desk")) > before, "the first request comes while the finger is down")
    # The network moves nothing under the finger.
    home.bridge.control("/lights/Fan/switch")
    expect(switch(living(page), "Fan")).to_be_checked()
    last = percent(desk)
    assert last == pytest.approx(90, abs=2)
    page.mouse.up()
    expect(tile(living(page), "Desk")).to_have_attribute("data-freshness", "confirmed")
    expect(desk).to_have_attribute("aria-valuenow", str(last))
    sent = [one["dimming"]["brightness"] for one in home.sent("Desk")[before:] if "dimming" in one]
    assert round(sent[-1]) == last
    assert len(sent) <= (time.monotonic() - began) / PACE + 1
    assert len(set(sent)) == len(sent)
    expect(page.locator("#toast")).to_contain_text(f"Desk set to {last}%")


def test_a_drag_is_one_step_to_undo(home: Home, visit: Visit) -> None:
    page = visit()
    before = len(home.sent("Desk"))
    desk = slider(living(page), "Desk")
    toast = page.locator("#toast")

    def undo_here() -> None:
        toast.get_by_role("button", name="Undo").click()
        # The page has asked what was undone: another command makes lightd forget that.
        expect(toast).to_contain_text("Undone: ")

    for undo in (undo_here, lambda: home.lightctl("undo")):
        area = box(desk)
        y = begin_drag(page, area, 0.4, 0.5)
        before = wait_for_more(home, before)
        for share in (0.7, 0.9):
            page.mouse.move(area["x"] + area["width"] * share + SLOP, y)
            before = wait_for_more(home, before)
        page.mouse.up()
        expect(toast).to_contain_text("Desk set to 90%")
        undo()
        expect(desk).to_have_attribute("aria-valuenow", "40")
        before = len(home.sent("Desk"))


def wait_for_more(home: Home, count: int) -> int:
    until(lambda: len(home.sent("Desk")) > count, "another request has come")
    return len(home.sent("Desk"))


@pytest.mark.parametrize("way", ["switch", "all off", "scene"])
def test_what_is_asked_after_a_drag_comes_after_it(home: Home, visit: Visit, way: str) -> None:
    page = visit()
    sent: list[str] = []

    def delay(route: Route) -> None:
        sent.append(json.loads(route.request.post_data or "{}")["command"])
        time.sleep(0.2)
        route.continue_()

    page.route("**/v1/messages", delay)
    drag(page, box(slider(living(page), "Desk")), 0.3, 0.8)
    if way == "switch":
        switch(living(page), "Desk").click()
    elif way == "all off":
        page.get_by_role("button", name="All off").click()
    else:
        page.get_by_role("button", name="Evening").first.click()
    expect(page.locator("#toast")).to_contain_text(said("turned off|lamps? off|Scene"))
    page.wait_for_timeout(500)
    assert sent[:-1] == ["set"] * (len(sent) - 1) and sent[-1] in {"turn", "recall", "all_off"}
    until(lambda: home.is_on("Desk") == (way == "scene"), "what was asked last is shown")


def test_a_command_without_an_answer_is_said_and_the_light_can_be_changed_again(home: Home, visit: Visit) -> None:
    page = visit()
    page.clock.install()
    swallowed: list[Route] = []
    page.route("**/v1/messages", lambda route: swallowed.append(route), times=1)
    fan = switch(living(page), "Fan")
    with page.expect_request("**/v1/messages"):
        fan.click()
    page.clock.run_for(60_500)
    expect(page.locator("#toast")).to_contain_text("There was no answer. What was asked may still be carried out.")
    # lightd's state, and no longer the finger's.
    expect(fan).not_to_be_checked()
    assert not home.is_on("Fan")
    page.clock.resume()
    fan.click()
    expect(page.locator("#toast")).to_contain_text("Fan turned on")
    assert home.is_on("Fan")
    desk = slider(living(page), "Desk")
    drag(page, box(desk), 0.4, 0.6)
    last = percent(desk)
    assert last == pytest.approx(60, abs=2)
    expect(page.locator("#toast")).to_contain_text(f"Desk set to {last}%")
    assert round(home.sent("Desk")[-1]["dimming"]["brightness"]) == last


def test_colour_and_white_are_set_in_the_sheet(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = more(page, "Desk")
    look_at(sheet, "Colour")
    area = box(slider(sheet, "Colour"))
    page.mouse.click(area["x"] + area["width"] * 0.667, area["y"] + area["height"] / 2)
    expect(tile(living(page), "Desk")).to_contain_text("blue")
    until(lambda: "color" in home.sent("Desk")[-1], "a colour is sent")
    look_at(sheet, "White")
    slider(sheet, "White tone").press("End")
    expect(tile(living(page), "Desk")).to_contain_text("2000 K")
    until(lambda: home.sent("Desk")[-1].get("color_temperature", {}).get("mirek") == 500, "the warmest white is sent")
    slider(sheet, "White tone").press("ArrowLeft")
    until(lambda: home.sent("Desk")[-1].get("color_temperature", {}).get("mirek") == 499, "a step cooler is sent")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    # A lamp without colour has no control for it.
    assert slider(more(page, "Sofa"), "White tone").count() == 1
    assert slider(page.get_by_role("dialog"), "Colour").count() == 0


def test_a_scene_is_recalled_and_shown_as_active(home: Home, visit: Visit) -> None:
    page = visit()
    scene = living(page).get_by_role("button", name="Evening")
    expect(scene).to_have_attribute("aria-pressed", "false")
    # A little picture of what its lights will show.
    assert "rgb" in scene.locator(".look").evaluate("look => getComputedStyle(look).backgroundImage")
    scene.click()
    expect(scene).to_have_attribute("aria-pressed", "true")
    expect(slider(living(page), "Sofa")).to_have_attribute("aria-valuenow", "30")
    expect(page.locator("#toast")).to_contain_text("Evening")
    page.get_by_role("button", name="Undo").click()
    expect(slider(living(page), "Sofa")).to_have_attribute("aria-valuenow", "80")
    expect(scene).to_have_attribute("aria-pressed", "false")


def test_the_buttons_of_scenes_stand_in_their_order_and_move_at_once(home: Home, visit: Visit) -> None:
    home.command("save_scene", name="Attic", targets=["@living"])
    try:
        page = visit()
        scenes = living(page).locator(".scenes > button")
        expect(scenes).to_contain_text(["Attic", "Evening"])
        first = scenes.nth(0)
        first.evaluate("button => button.dataset.same = 'yes'")
        home.command("reorder_scenes", room="living", scenes=["Evening"])
        expect(scenes).to_contain_text(["Evening", "Attic"])
        # The button has moved, and is not made anew under a finger.
        expect(scenes.nth(1)).to_have_attribute("data-same", "yes")
    finally:
        home.command("reorder_scenes", room="living", by_name=True)
        home.command("delete_scene", scene="living/attic")


def test_a_room_dims_its_lights_in_their_ratio(home: Home, visit: Visit) -> None:
    page = visit()
    whole = slider(living(page), "All of Living")
    expect(whole).to_have_attribute("aria-valuenow", "60")
    drag(page, box(whole), 0.6, 0.3)
    shown = percent(whole)
    assert shown == pytest.approx(30, abs=2)
    until(lambda: abs(home.light("Desk")["brightness"] + home.light("Sofa")["brightness"] - 2 * shown) < 2.1,
          "the mean is what the finger left")  # fmt: skip
    desk, sofa = home.light("Desk")["brightness"], home.light("Sofa")["brightness"]
    assert sofa / desk == pytest.approx(2, rel=0.1)
    assert not home.is_on("Fan")
    expect(tile(living(page), "All of Living")).to_have_attribute("data-freshness", "confirmed")
    expect(whole).to_have_attribute("aria-valuenow", said(f"^({shown - 1}|{shown}|{shown + 1})$"))


def test_pins_come_first_in_the_order_that_is_dragged(home: Home, visit: Visit) -> None:
    page = visit()
    for name in ("Desk", "Sofa"):
        more(page, name).get_by_role("button", name="Pin to the top").click()
        expect(tile(section(page, "Pinned"), name)).to_be_visible()
    pinned = section(page, "Pinned")
    assert page.get_by_role("region").first.get_attribute("data-kind") == "pinned"
    names = pinned.locator("h3")
    expect(names).to_have_text(["Desk", "Sofa"])
    # What is pinned is the same lamp as in its room.
    switch(pinned, "Desk").click()
    expect(switch(living(page), "Desk")).not_to_be_checked()

    pinned.get_by_role("button", name="Arrange").click()
    first, second = box(tile(pinned, "Desk")), box(tile(pinned, "Sofa"))
    page.mouse.move(second["x"] + 40, second["y"] + 40)
    page.mouse.down()
    page.mouse.move(first["x"] + 40, first["y"] + 40, steps=5)
    page.mouse.up()
    expect(names).to_have_text(["Sofa", "Desk"])
    until(lambda: dashboard(home) == ["Sofa", "Desk"], "lightctl shows the same order")
    handle = pinned.get_by_role("button", name="Move Sofa")
    handle.press("ArrowRight")
    expect(names).to_have_text(["Desk", "Sofa"])
    expect(handle).to_be_focused()
    until(lambda: dashboard(home) == ["Desk", "Sofa"], "lightctl shows the same order")
    pinned.get_by_role("button", name="Done").click()
    # And the other way round.
    home.lightctl("dashboard", "move", "sofa", "1")
    expect(names).to_have_text(["Sofa", "Desk"])

    home.unpin("sofa", "desk")
    expect(pinned).to_have_count(0)


def test_an_order_that_is_not_answered_does_not_stop_the_page(home: Home, visit: Visit) -> None:
    home.pin("desk", "sofa")
    try:
        page = visit()
        pinned = section(page, "Pinned")
        # lightd never hears of it.
        page.route("**/v1/messages", lambda _: None)
        pinned.get_by_role("button", name="Arrange").click()
        first, second = box(tile(pinned, "Desk")), box(tile(pinned, "Sofa"))
        page.mouse.move(second["x"] + 40, second["y"] + 40)
        page.mouse.down()
        page.mouse.move(first["x"] + 40, first["y"] + 40, steps=5)
        with page.expect_request("**/v1/messages"):
            page.mouse.up()
        home.unpin("sofa", "desk")
        expect(pinned).to_have_count(0)
    finally:
        for name in dashboard(home):
            home.unpin(name)


def test_a_sign_out_during_a_drag_ends_the_drag(home: Home, visit: Visit) -> None:
    home.pin("desk", "sofa")
    try:
        token = home.token("tablet")
        page = visit(home.url, expected="status of 401")
        sign_in(page, token)
        pinned = section(page, "Pinned")
        pinned.get_by_role("button", name="Arrange").click()
        first, second = box(tile(pinned, "Desk")), box(tile(pinned, "Sofa"))
        page.mouse.move(second["x"] + 40, second["y"] + 40)
        page.mouse.down()
        page.mouse.move(first["x"] + 40, first["y"] + 40, steps=5)
        handle = pinned.get_by_role("button", name="Move Sofa").element_handle()
        home.lightctl("token", "revoke", "tablet")
        expect(page.get_by_label("Link or access code")).to_be_visible()
        # It could not change anything: nobody is signed in.
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.url))
        page.mouse.up()
        # Not every browser takes the finger from a node that has left the page.
        handle.evaluate("node => node.dispatchEvent(new PointerEvent('pointerup'))")
        sign_in(page, home.token("tablet"))
        expect(pinned.locator("h3")).to_have_text(["Desk", "Sofa"])
        assert not [url for url in sent if url.endswith("/v1/messages")]
        # What is said by lightd is painted again: no finger is thought to be there.
        home.lightctl("dashboard", "move", "sofa", "1")
        expect(pinned.locator("h3")).to_have_text(["Sofa", "Desk"])
    finally:
        home.lightctl("token", "revoke", "tablet")
        for name in dashboard(home):
            home.unpin(name)


def test_the_page_goes_on_when_arranging_ends_during_a_drag(home: Home, visit: Visit) -> None:
    home.pin("desk", "sofa")
    try:
        page = visit()
        pinned = section(page, "Pinned")
        pinned.get_by_role("button", name="Arrange").click()
        place = box(tile(pinned, "Sofa"))
        page.mouse.move(place["x"] + 40, place["y"] + 40)
        page.mouse.down()
        pinned.get_by_role("button", name="Done").press("Enter")
        home.unpin("sofa", "desk")
        expect(pinned).to_have_count(0)
        page.mouse.up()
    finally:
        for name in dashboard(home):
            home.unpin(name)


def dashboard(home: Home) -> list[str]:
    return [one["name"] for one in json.loads(home.lightctl("dashboard", "--json"))]


def test_a_light_is_renamed(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = more(page, "Desk")
    sheet.get_by_role("button", name="Rename").click()
    sheet.get_by_label("Name").fill("Writing <b>desk</b>")
    page.keyboard.press("Enter")
    expect(slider(living(page), "Writing <b>desk</b>")).to_be_visible()
    assert home.light("Writing <b>desk</b>")
    home.rename("Writing <b>desk</b>", "Desk")
    expect(slider(living(page), "Desk")).to_be_visible()


def test_what_succeeds_is_said_in_place_of_what_was_refused_before(home: Home, visit: Visit) -> None:
    page = visit(expected="status of 4")
    toast = page.locator("#toast")
    refusal = {"code": "cannot", "message": "that name is taken", "hint": "choose another; 'lightctl room add' adds"}
    page.route("**/v1/messages", lambda route: route.fulfill(status=422, json={"error": refusal}), times=1)
    more(page, "Desk").get_by_role("button", name="Rename").click()
    page.get_by_role("textbox", name="Name").fill("Writing desk")
    page.keyboard.press("Enter")
    # Not what to type in a terminal.
    expect(toast.locator("span")).to_have_text("That name is taken. Choose another.")
    page.keyboard.press("Enter")
    expect(toast).to_have_text("\u2068Desk\u2069 is called \u2068Writing desk\u2069 now.")
    home.rename("Writing desk", "Desk")
    more(page, "Desk").get_by_role("button", name="Pin to the top").click()
    expect(toast).to_have_text("\u2068Desk\u2069 is pinned to the top.")
    home.unpin("Desk")


def test_two_pages_and_lightctl_agree(home: Home, visit: Visit) -> None:
    one, two = visit(), visit()
    drag(one, box(slider(living(one), "Desk")), 0.4, 0.7)
    chosen = slider(living(one), "Desk").get_attribute("aria-valuenow")
    expect(slider(living(two), "Desk")).to_have_attribute("aria-valuenow", chosen)
    home.lightctl("dim", "desk", "15%")
    home.bridge.control("/lights/Fan/switch")
    for page in (one, two):
        expect(slider(living(page), "Desk")).to_have_attribute("aria-valuenow", "15")
        expect(switch(living(page), "Fan")).to_be_checked()
        expect(page.locator("#summary")).to_have_text("3 of 5 on")
    # Who runs the tests.
    expect(tile(living(two), "Desk")).to_contain_text(pwd.getpwuid(os.geteuid()).pw_name)


WATCH_TILES = """() => {
    window.touched = new Set()
    for (const tile of document.querySelectorAll('.tile')) tile.mark = tile.dataset.key
    new MutationObserver((changes) => changes.forEach(({ target, addedNodes, removedNodes }) => {
        const element = target.nodeType === 1 ? target : target.parentElement
        const tile = element?.closest('.tile')
        if (tile) touched.add(tile.querySelector('.surface').getAttribute('aria-label').replace(/: .*/, ''))
        for (const node of [...addedNodes, ...removedNodes]) if (node.classList?.contains('tile')) touched.add('tiles')
    })).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
}"""


def test_a_change_elsewhere_touches_one_tile_and_its_rooms(home: Home, visit: Visit) -> None:
    page = visit()
    page.evaluate(WATCH_TILES)
    home.lightctl("dim", "sofa", "61%", "--wait")
    expect(slider(living(page), "Sofa")).to_have_attribute("aria-valuenow", "61")
    expect(tile(living(page), "Sofa")).to_have_attribute("data-freshness", "confirmed")
    touched = set(page.evaluate("[...touched]"))
    assert {"Sofa", "All of Living"} <= touched <= {"Sofa", "All of Living", "All of Downstairs"}
    assert page.evaluate("[...document.querySelectorAll('.tile')].every((tile) => tile.mark === tile.dataset.key)")


def test_everything_can_be_done_with_keys_alone(home: Home, visit: Visit) -> None:
    page = visit()
    desk = slider(living(page), "Desk")

    def tab_to(wanted: Locator) -> None:
        wanted.wait_for()
        node = wanted.element_handle()
        for _ in range(60):
            if page.evaluate("node => node === document.activeElement", node):
                return
            page.keyboard.press("Tab")
        pytest.fail("Tab does not lead there")

    tab_to(desk)
    for key, value in [("ArrowRight", "41"), ("ArrowDown", "40"), ("PageUp", "50"), ("End", "100"), ("Home", "1")]:
        page.keyboard.press(key)
        expect(desk).to_have_attribute("aria-valuenow", value)
    expect(tile(living(page), "Desk")).to_have_attribute("data-freshness", "confirmed")
    until(lambda: round(home.light("Desk")["brightness"]) == 1, "the last value was sent")
    page.keyboard.press("Space")
    expect(switch(living(page), "Desk")).not_to_be_checked()
    page.keyboard.press("Enter")
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("heading", name="Desk")).to_be_visible()
    tab_to(slider(sheet, "Brightness"))
    page.keyboard.press("PageUp")
    expect(switch(living(page), "Desk")).to_be_checked()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(desk).to_be_focused()
    tab_to(switch(living(page), "Fan"))
    page.keyboard.press("Space")
    expect(switch(living(page), "Fan")).to_be_checked()
    expect(page.locator("#toast")).to_contain_text("Fan")
    tab_to(page.get_by_role("button", name="Undo"))
    page.keyboard.press("Enter")
    expect(switch(living(page), "Fan")).not_to_be_checked()


def test_display_chooses_between_sliders_and_a_field(home: Home, visit: Visit) -> None:
    home.pin("desk")
    home.lightctl("dashboard", "display", "desk", "scrubbing")
    page = visit()
    sheet = more(page, "Desk")
    look_at(sheet, "Colour")
    field = sheet.locator(".field:visible")
    area = box(field)
    # Across is the hue, up is the saturation.
    page.mouse.click(area["x"] + area["width"] / 3, area["y"] + 3)
    expect(tile(living(page), "Desk")).to_contain_text("green")
    page.keyboard.press("Escape")
    home.lightctl("dashboard", "display", "desk", "slider")
    sheet = more(page, "Desk")
    look_at(sheet, "Colour")
    expect(slider(sheet, "Saturation")).to_be_visible()
    home.unpin("desk")


def test_a_coloured_lamp_is_dimmed_beside_its_fields_and_keeps_its_colour(home: Home, visit: Visit) -> None:
    home.pin("desk")
    home.lightctl("dashboard", "display", "desk", "scrubbing")
    home.command("set", target="Desk", color="orange", brightness=60, wait=True)
    page = visit()
    sheet = more(page, "Desk")
    expect(sheet.locator(".label").filter(has_text="Colour")).to_contain_text(said("orange, \\d+%"))
    # Where the whites would begin is shown, but not as the lamp's value.
    expect(sheet.locator(".thumb")).to_have_count(2)
    expect(sheet.locator(".thumb[data-shown]")).to_have_count(1)
    before = len(home.sent("Desk"))
    slider(sheet, "Brightness").first.press("PageDown")
    expect(tile(living(page), "Desk")).to_contain_text(said("50%.*orange"))
    until(lambda: len(home.sent("Desk")) > before, "the level is sent")
    assert not [one for one in home.sent("Desk")[before:] if "color" in one or "color_temperature" in one]
    page.keyboard.press("Escape")
    home.lightctl("dashboard", "display", "desk", "slider")
    home.unpin("desk")
    home.command("set", target="Desk", temperature=366, wait=True)


def test_the_bar_of_a_lamp_that_is_off_is_empty(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = more(page, "Desk")
    brightness = slider(sheet, "Brightness")
    filled = "slider => slider.style.getPropertyValue('--filled')"
    assert float(brightness.evaluate(filled).rstrip("%")) == pytest.approx(40, abs=1)
    sheet.get_by_role("button", name="Turn off").click()
    expect(sheet.get_by_role("button", name="Turn on")).to_be_visible()
    assert brightness.evaluate(filled) == "0%"
    expect(brightness).to_have_value("40")


def test_a_room_that_is_on_in_part_can_be_turned_on(home: Home, visit: Visit) -> None:
    page = visit()
    whole = tile(living(page), "All of Living")
    expect(whole).to_contain_text("2 of 3 on")
    slider(living(page), "All of Living").click()
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("button", name="Turn off")).to_be_visible()
    all_on = sheet.get_by_role("button", name="Turn all on")
    all_on.click()
    expect(all_on).to_be_hidden()
    until(lambda: home.is_on("Fan"), "the rest is on")
    expect(whole).to_contain_text("3 lights")
    page.keyboard.press("Escape")
    # The lamps of a zone stand in their rooms.
    slider(section(page, "Downstairs"), "All of Downstairs").click()
    expect(page.get_by_role("dialog")).to_contain_text(said("Desk.* and "))


def test_a_room_has_the_colours_of_its_lamps_side_by_side(home: Home, visit: Visit) -> None:
    home.command("set", target="Desk", color="#00ffff", wait=True)
    page = visit()
    expect(tile(living(page), "Desk")).to_contain_text("cyan")
    fill = tile(living(page), "All of Living").locator(".fill")
    expect(fill).to_have_css("background-image", said(r"linear-gradient\(100deg, oklch\(.*\), oklch\("))
    hues = fill.evaluate("fill => getComputedStyle(fill).backgroundImage.match(/[\\d.]+(?=\\))/g).map(Number)")
    # Cyan and a warm white; the mean of both is green.
    assert sorted(round(hue / 90) for hue in hues) == [1, 2], hues
    home.command("set", target="Desk", temperature=366, wait=True)


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_reason_on_a_tile_is_all_there(home: Home, visit: Visit, width: int) -> None:
    page = visit(viewport={"width": width, "height": 844})
    living(page).get_by_role("button", name="Evening").click()
    reason = tile(living(page), "Desk").locator(".reason")
    expect(reason).to_contain_text("Evening")
    expect(reason).to_contain_text("just now")
    cut = "reason => [reason, ...reason.children].filter(one => one.scrollWidth > one.clientWidth).length"
    assert reason.evaluate(cut) == 0


def test_a_refused_command_is_said_and_taken_back(home: Home, visit: Visit) -> None:
    page = visit(expected="status of 422")
    home.bridge.control("/faults", {"name": "busy", "value": "500"})
    try:
        switch(living(page), "Fan").click()
        expect(page.locator("#toast")).to_contain_text("refused: HTTP 500")
        expect(switch(living(page), "Fan")).not_to_be_checked()
    finally:
        home.bridge.control("/faults", method="DELETE")
