"""What is left out, rooms and zones, and how lamps are set up, from the page."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from conftest import DESKTOP, PHONE
from home import Home, section, switch, tile
from lightsim import until
from looks import violations
from playwright.sync_api import Locator, Page, Route, expect

Visit = Callable[..., Page]
HOSTILE = "<i>Den</i> {at}"


def open_rooms(page: Page) -> Locator:
    page.get_by_role("button", name="Menu").click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name=re.compile("^Rooms and lamps")).click()
    expect(sheet.get_by_role("heading", name="Rooms and lamps")).to_be_visible()
    return sheet


def settings(page: Page, name: str) -> Locator:
    """Of a lamp, from its own sheet."""
    page.locator(".surface").and_(page.get_by_label(re.compile(f"^{name}"))).first.press("Enter")
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="Settings").click()
    expect(sheet.get_by_label("After a power cut")).to_be_visible()
    return sheet


def save(page: Page) -> None:
    page.get_by_role("dialog").get_by_role("button", name="Save").click()


def room(home: Home, name: str) -> dict[str, object] | None:
    return next((room for room in home.daemon.ask("GET", "/v1/rooms") if room["name"] == name), None)


def lights_of(home: Home, name: str) -> set[str]:
    return {one["name"] for one in home.daemon.ask("GET", "/v1/lights") if one.get("room") == name or name in one["zones"]}


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_all_off_leaves_on_what_is_left_out_and_says_so(home: Home, visit: Visit, viewport: dict[str, int]) -> None:
    home.lightctl("dashboard", "exclude", "fan", "all_off")
    try:
        for name in ("Fan", "Desk", "Stove"):
            home.command("turn", to="on", target=name, wait=True)
        for name in ("Sofa", "Counter"):
            home.command("turn", to="off", target=name, wait=True)
        page = visit(viewport=viewport)
        expect(page.locator("#summary")).to_have_text("3 of 5 on")
        page.get_by_role("button", name="All off").click()
        toast = page.locator("#toast")
        expect(toast).to_contain_text("2 lamps off. \u2068Fan\u2069 stays on.")
        until(lambda: not home.is_on("Desk") and not home.is_on("Stove"), "both are off")
        assert home.is_on("Fan")
        # Nothing is on that it would turn off.
        expect(page.get_by_role("button", name="All off")).to_be_disabled()
        toast.get_by_role("button", name="Undo").click()
        until(lambda: home.is_on("Desk") and home.is_on("Stove"), "both are on again")
        home.lightctl("turn", "off", "all", "--wait")
        assert not home.is_on("Fan")
    finally:
        home.lightctl("dashboard", "include", "fan", "all_off")


def test_a_lamp_is_left_out_and_hidden_from_its_sheet(home: Home, visit: Visit) -> None:
    page, other = visit(), visit()
    sheet = settings(page, "Fan")
    sheet.get_by_label("All off leaves it on").check()
    save(page)
    expect(sheet).to_be_hidden()
    assert home.light("Fan")["excluded_from"] == ["all_off"]
    sheet = settings(page, "Fan")
    expect(sheet.get_by_label("All off leaves it on")).to_be_checked()
    sheet.get_by_label("All off leaves it on").uncheck()
    sheet.get_by_label("Hide it from this page").check()
    save(page)
    for one in (page, other):
        expect(tile(section(one, "Living"), "Fan")).to_have_count(0)
        expect(one.locator("#summary")).to_have_text(re.compile("of 4 on|All off"))
    assert home.light("Fan")["excluded_from"] == ["page"]
    # It still obeys.
    home.command("turn", to="on", target="Fan", wait=True)
    sheet = open_rooms(page)
    sheet.get_by_role("button", name=re.compile("^Fan")).click()
    sheet.get_by_label("Hide it from this page").uncheck()
    save(page)
    for one in (page, other):
        expect(switch(section(one, "Living"), "Fan")).to_be_checked()
    assert "excluded_from" not in home.light("Fan")


def test_a_plug_has_a_picture_and_no_fill(home: Home, visit: Visit) -> None:
    page = visit()
    fan, desk = tile(section(page, "Living"), "Fan"), tile(section(page, "Living"), "Desk")
    expect(fan.locator("> svg")).to_be_visible()
    expect(fan.locator(".fill")).to_be_hidden()
    expect(desk.locator("> svg")).to_have_count(0)


def test_rooms_are_made_changed_and_deleted(home: Home, visit: Visit) -> None:
    page = visit(viewport=PHONE)
    sheet = open_rooms(page)
    sheet.get_by_role("button", name="New zone").click()
    sheet.get_by_label("Name").fill(HOSTILE)
    sheet.get_by_label(re.compile("^Desk")).check()
    page.keyboard.press("Enter")
    row = sheet.get_by_role("button", name=HOSTILE)
    expect(row).to_contain_text("1 lamp")
    assert lights_of(home, HOSTILE) == {"Desk"}
    row.click()
    sheet.get_by_label("Name").fill("Den")
    sheet.get_by_label(re.compile("^Desk")).uncheck()
    sheet.get_by_label(re.compile("^Sofa")).check()
    save(page)
    expect(sheet.get_by_role("button", name=re.compile("^Den"))).to_contain_text("1 lamp")
    assert lights_of(home, "Den") == {"Sofa"}
    sheet.get_by_role("button", name=re.compile("^Den")).click()
    sheet.get_by_role("button", name="Delete zone").click()
    expect(sheet).to_contain_text("Its lamps stay.")
    sheet.get_by_role("button", name="Keep it").click()
    assert room(home, "Den")
    sheet.get_by_role("button", name=re.compile("^Den")).click()
    sheet.get_by_role("button", name="Delete zone").click()
    sheet.get_by_role("button", name="Delete", exact=True).click()
    expect(sheet.get_by_role("button", name="New zone")).to_be_visible()
    expect(sheet.get_by_role("button", name=re.compile("^Den"))).to_have_count(0)
    assert not room(home, "Den")


def test_a_room_is_made_once_and_its_form_is_not_lost(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = open_rooms(page)
    sheet.get_by_role("button", name="New zone").click()
    sheet.get_by_label("Name").fill("Nook")
    sheet.get_by_label(re.compile("^Desk")).check()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    toast = page.locator("#toast")
    expect(toast).to_contain_text("This is not saved yet.")
    toast.get_by_role("button", name="Go on editing").click()
    expect(sheet.get_by_label("Name")).to_have_value("Nook")
    expect(sheet.get_by_label(re.compile("^Desk"))).to_be_checked()
    try:
        sheet.get_by_role("button", name="Save").evaluate("button => { button.click(); button.click() }")
        expect(sheet.get_by_role("button", name=re.compile("^Nook"))).to_have_count(1)
        assert [one["name"] for one in home.daemon.ask("GET", "/v1/rooms")].count("Nook") == 1
    finally:
        home.command("delete_room", room="Nook", kind="zone")


def test_a_lamp_moves_to_another_room_and_is_set_up(home: Home, visit: Visit) -> None:
    page = visit()
    before = home.light("Sofa")["powerup"]
    sheet = settings(page, "Sofa")
    sheet.get_by_label("Room").select_option(label="Kitchen")
    sheet.get_by_label("After a power cut").select_option(value="last_on_state")
    save(page)
    expect(tile(section(page, "Kitchen"), "Sofa")).to_be_visible()
    until(lambda: home.light("Sofa").get("powerup") == "last_on_state", "it is set up")
    expect(page.locator("#toast")).to_have_text("Saved.")
    expect(sheet).to_be_hidden()
    # What is not changed is not sent.
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    settings(page, "Sofa")
    save(page)
    expect(page.locator("#toast")).to_have_text("Saved.")
    assert sent == []
    home.command("add_to_room", room="Living", targets=["Sofa"], kind="room")
    home.command("powerup", target="Sofa", preset=before)


def test_a_room_that_somebody_else_deletes_closes_its_sheet(home: Home, visit: Visit) -> None:
    home.command("create_room", name="Attic", kind="zone", targets=["desk"])
    page = visit()
    expect(section(page, "Attic")).to_be_visible()
    sheet = open_rooms(page)
    sheet.get_by_role("button", name=re.compile("^Attic")).click()
    expect(sheet.get_by_label("Name")).to_have_value("Attic")
    home.command("delete_room", room="Attic", kind="zone")
    expect(sheet).to_be_hidden()
    expect(page.locator("#toast")).to_have_text("\u2068Attic\u2069 is gone.")


def test_rooms_that_others_make_appear_in_the_list(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = open_rooms(page)
    home.command("create_room", name="Porch", kind="zone", targets=["desk"])
    try:
        expect(sheet.get_by_role("button", name=re.compile("^Porch"))).to_be_visible()
    finally:
        home.command("delete_room", room="Porch", kind="zone")
    expect(sheet.get_by_role("button", name=re.compile("^Porch"))).to_have_count(0)


@pytest.mark.parametrize("access", ["look", "read_only", "control"])
def test_who_may_not_arrange_the_home_is_offered_none_of_it(home: Home, visit: Visit, access: str) -> None:
    page = visit(access=access)
    page.get_by_role("button", name="Menu").click()
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("button", name=re.compile("^Sensors"))).to_be_visible()
    expect(sheet.get_by_role("button", name=re.compile("^Rooms and lamps"))).to_have_count(0)
    page.keyboard.press("Escape")
    section(page, "Living").locator(".surface").first.press("Enter")
    expect(sheet.get_by_role("button", name="Settings")).to_have_count(0)


# MARK: Not connected


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_cannot_be_done_now_says_so_and_stays_readable(home: Home, visit: Visit, scheme: str) -> None:
    home.command("recall", scene="Evening", wait=True)
    page = visit(expected="ERR_", color_scheme=scheme, reduced_motion="reduce")
    chip = section(page, "Living").get_by_role("button", name="Evening")
    all_off = page.get_by_role("button", name="All off")
    expect(all_off).to_be_enabled()
    home.daemon.kill()
    try:
        expect(page.locator("#connection")).to_contain_text("Not connected since")
        expect(all_off).to_be_disabled()
        expect(chip).to_be_disabled()
        assert violations(page) == []
        page.get_by_role("button", name="Menu").click()
        sheet = page.get_by_role("dialog")
        expect(sheet).to_contain_text("lightd does not answer, so nobody knows")
        expect(sheet).not_to_contain_text("Connected,")
        page.keyboard.press("Escape")
    finally:
        home.daemon.start()
    page.locator("#connection").get_by_role("button", name="Try now").click()
    expect(chip).to_be_enabled()
    expect(all_off).to_be_enabled()


def test_a_lost_bridge_is_one_sentence_and_its_lamps_do_not_pretend(home: Home, visit: Visit) -> None:
    home.command("turn", to="off", target="Fan", wait=True)
    page = visit(expected="status of 50")
    page.evaluate("""() => {
        window.spoken = []
        new MutationObserver(() => spoken.push(announcer.textContent))
            .observe(announcer, { childList: true, characterData: true, subtree: true })
    }""")
    fan = tile(section(page, "Living"), "Fan")
    home.bridge.stop()
    try:
        expect(page.locator(".notice")).to_contain_text("bridge is lost")
        expect(fan).to_have_attribute("data-freshness", "stale")
        held: list[Route] = []
        page.route("**/v1/messages", lambda route: held.append(route), times=1)
        with page.expect_request("**/v1/messages"):
            section(page, "Living").get_by_role("button", name="Turn on Fan").click()
        expect(fan).to_have_attribute("data-freshness", "expected")
        expect(fan).to_have_attribute("data-state", "unknown")
        held[0].continue_()
        expect(page.locator("#toast")).to_be_visible()
        # Longer than what comes together is collected.
        page.wait_for_timeout(1800)
        spoken = [text for text in page.evaluate("spoken") if text]
        assert len(spoken) == 1 and "lost" in spoken[0], spoken
    finally:
        home.start_bridge()
    expect(fan).to_have_attribute("data-freshness", "confirmed", timeout=60_000)
