"""Forms for the frequent automations: what they ask, what they would do, what they save, and two people at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest
from conftest import DESKTOP, PHONE
from home import Home, said
from lightsim import until
from looks import overflow, violations
from playwright.sync_api import Locator, Page, Route, expect

Visit = Callable[..., Page]
# More rooms than are shown at once, and a name that tries to be markup.
HOSTILE = "<img src=x onerror=alert(1)>"
HOME = f"""
rooms:
  - name: Bedroom
    lights: [{{name: Bed, kind: color}}, {{name: Window, kind: ambiance}}]
  - name: Hall
    lights: [{{name: Stairs, kind: ambiance}}]
    accessories: [{{name: Motion Hall, kind: motion}}, {{name: Dial, kind: dial}}]
  - name: Kitchen
    lights: [{{name: Counter, kind: ambiance}}]
    accessories: [{{name: Motion Kitchen, kind: motion}}]
  - name: Living
    lights: [{{name: Sofa, kind: color}}, {{name: "{HOSTILE}", kind: dimmable}}]
  - name: Office
    lights: [{{name: Desk, kind: ambiance}}]
  - name: Utility
    lights: [{{name: Washer, kind: dimmable}}]
scenes:
  - name: Evening
    group: Living
    lights: {{Sofa: {{brightness: 40, mirek: 400}}}}
  - name: Late
    group: Living
    lights: {{Sofa: {{brightness: 10, mirek: 450}}}}
"""


@pytest.fixture(autouse=True)
def no_automations(home: Home) -> None:
    put(home, "automations: []")


def put(home: Home, file: str) -> None:
    with home.daemon.local() as session:
        answer = session.put(f"{home.daemon.url}/v1/automations", data=file.encode(), timeout=60)
        assert answer.ok, answer.text


def automations(home: Home) -> list[dict[str, Any]]:
    return home.daemon.ask("GET", "/v1/automations")


def only(home: Home) -> dict[str, Any]:
    """The only automation."""
    [automation] = automations(home)
    return automation


def module(page: Page, name: str) -> None:
    """Opens this automation, or the choice of a new one, as the page's other parts do."""
    page.evaluate(
        """async ([name, given]) => {
            const path = document.querySelector('script[src$="app.js"]').src.replace('app.js', 'forms.js')
            await (await import(path))[name](...given)
        }""",
        ["openAutomation", [name]] if name else ["openNewAutomation", []],
    )


def new(page: Page, kind: str) -> Locator:
    """Opens the form of a new automation."""
    module(page, "")
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name=kind).click()
    expect(sheet.get_by_role("heading", name=kind)).to_be_visible()
    return sheet


def opened(page: Page, name: str) -> Locator:
    module(page, name)
    sheet = page.get_by_role("dialog")
    expect(sheet.locator("#sheet-title")).to_be_visible()
    return sheet


def choose(sheet: Locator, question: str, answer: str) -> None:
    group = sheet.get_by_role("group", name=question, exact=True)
    group.get_by_role("radio", name=answer, exact=True).check()
    expect(group.get_by_role("radio", name=answer, exact=True)).to_be_checked()


def save(page: Page, sheet: Locator) -> None:
    sheet.get_by_role("button", name="Save").click()
    expect(page.locator("#toast")).to_contain_text("is saved")
    expect(sheet).to_be_hidden()


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_a_wake_up_is_a_few_taps_and_becomes_what_lightctl_prints(
    home: Home, visit: Visit, viewport: dict[str, int]
) -> None:
    page = visit(viewport=viewport)
    sheet = new(page, "Wake-up")
    expect(sheet.get_by_text("Full light at 7:00 AM")).to_be_visible()
    sheet.get_by_label("The light begins at").fill("06:15")
    choose(sheet, "It rises for", "45 min")
    expect(sheet.get_by_text("Full light at 7:00 AM")).to_be_visible()
    sheet.get_by_role("checkbox", name="Saturday").check()
    choose(sheet, "Then", "It follows the day")
    # What it would do stays in sight.
    expect(sheet.locator(".outcome")).to_contain_text("Next:")
    expect(sheet.locator(".outcome")).to_be_in_viewport()
    sheet.get_by_text("As text").click()
    lines = sheet.locator("pre")
    expect(lines).to_contain_text("when: 06:15 mon-sat")
    text = lines.text_content()
    save(page, sheet)
    assert home.lightctl("automation", "export") == text
    made = only(home)
    assert made["name"] == "Wake-up Bedroom" and made["when"] == ["06:15 mon-sat"] and made["mode"] == "restart"
    assert made["do"] == ["wake @Bedroom --over 45m", "wait 45m", "follow @Bedroom daylight"]


def test_a_value_of_ones_own_and_a_room_that_is_not_shown_at_first(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = new(page, "Off after a while")
    room = sheet.get_by_role("group", name="What goes off")
    expect(room.get_by_role("radio", name="Utility")).to_have_count(0)
    room.get_by_role("radio", name="Other…").check()
    room.get_by_role("combobox").select_option("Utility")
    expect(room.get_by_role("radio", name="Utility")).to_be_checked()
    time = sheet.get_by_role("group", name="when it has been on for")
    time.get_by_role("radio", name="Other…").check()
    time.get_by_label("Minutes").fill("0")
    time.get_by_label("Minutes").press("Enter")
    # The browser says what is wrong, and nothing is taken.
    assert time.get_by_label("Minutes").evaluate("input => !input.validity.valid")
    time.get_by_label("Minutes").fill("25")
    time.get_by_label("Minutes").press("Tab")
    expect(time.get_by_role("radio", name="25 min")).to_be_checked()
    # The journal knows nothing yet of yesterday.
    expect(sheet.locator(".outcome")).to_contain_text("Too little is known of yesterday")
    save(page, sheet)
    assert only(home)["when"] == ["@Utility on for 25m"] and only(home)["do"] == ["turn off @Utility"]


def test_a_value_that_was_only_typed_is_saved(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = new(page, "Wake-up")
    sheet.get_by_label("It is called").fill("Morning")
    save(page, sheet)
    assert only(home)["name"] == "Morning"


def test_what_is_shown_is_what_is_saved_or_nothing_is(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = new(page, "Off after a while")
    time = sheet.get_by_role("group", name="when it has been on for")
    time.get_by_role("radio", name="Other…").check()
    minutes, name = time.get_by_label("Minutes"), sheet.get_by_label("It is called")
    button = sheet.get_by_role("button", name="Save")
    # Nothing, too little, and no name: the browser leads to what is wrong.
    for field, words in ((minutes, ""), (minutes, "0"), (name, "")):
        field.fill(words)
        button.click()
        expect(field).to_be_focused()
        expect(page.locator("#toast")).to_be_hidden()
        assert automations(home) == []
        if field is minutes and words:
            minutes.fill("25")
            minutes.press("Tab")
            expect(time.get_by_role("radio", name="25 min")).to_be_checked()
    name.fill("Short")
    save(page, sheet)
    assert only(home)["name"] == "Short" and only(home)["when"][0].endswith("on for 25m")


def test_save_is_meant_once(home: Home, visit: Visit) -> None:
    page = visit()
    puts: list[str] = []
    page.on("request", lambda one: puts.append(one.url) if one.method == "PUT" else None)
    for name in ("", "Wake-up Bedroom"):
        sheet = opened(page, name) if name else new(page, "Wake-up")
        sheet.get_by_role("button", name="Save").evaluate("button => { button.click(); button.click() }")
        expect(page.locator("#toast")).to_contain_text("is saved")
        expect(sheet).to_be_hidden()
    assert len(puts) == 2 and only(home)["name"] == "Wake-up Bedroom"


def test_a_form_that_is_left_is_not_lost(home: Home, visit: Visit) -> None:
    page = visit()
    toast = page.locator("#toast")
    sheet = new(page, "Wake-up")
    # What nobody has filled in is nobody's loss: Escape goes one step back.
    page.keyboard.press("Escape")
    expect(sheet.get_by_role("heading", name="New automation")).to_be_visible()
    expect(toast).to_be_hidden()
    sheet.get_by_role("button", name="Wake-up").click()
    for way in ("Escape", "Close"):
        sheet.get_by_label("It is called").fill("Morning")
        if way == "Escape":
            page.keyboard.press("Escape")
            expect(sheet.get_by_role("heading", name="New automation")).to_be_visible()
        else:
            sheet.get_by_role("button", name="Close", exact=True).click()
            expect(sheet).to_be_hidden()
        expect(toast).to_contain_text("This is not saved yet.")
        toast.get_by_role("button", name="Go on editing").click()
        expect(toast).to_be_hidden()
        expect(sheet.get_by_label("It is called")).to_have_value("Morning")
    save(page, sheet)
    assert only(home)["name"] == "Morning"


def test_an_evening_light_goes_by_the_clock_and_recalls_a_scene(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = new(page, "Evening light")
    # Nobody has said where the home is.
    expect(sheet.get_by_text("does not know where the home is")).to_be_visible()
    choose(sheet, "Room", "Living")
    shows = sheet.get_by_role("group", name="Shows")
    expect(shows.get_by_role("radio", name="Evening")).to_be_checked()
    choose(sheet, "Shows", "Late")
    choose(sheet, "comes on", "8:00 PM")
    choose(sheet, "Then", "Off after 2 h")
    save(page, sheet)
    made = only(home)
    assert made["when"] == ["20:00"] and made["if"] == ["@Living off"]
    assert made["do"] == ["recall Living/Late --over 1m", "wait 2h", "turn off @Living --over 1m"]
    # A room without scenes has none of another's.
    sheet = opened(page, made["name"])
    choose(sheet, "Room", "Kitchen")
    expect(sheet.get_by_role("group", name="Shows").get_by_role("radio", name="Late")).to_have_count(0)


def test_the_headings_of_the_motion_light_read_as_one_sentence(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = new(page, "Motion light")
    headings = sheet.locator("legend").all_text_contents()
    assert " ".join(headings) == "When somebody moves in and it is turn on with and, without motion for it is"
    expect(sheet.get_by_role("group", name="and it is").get_by_text(said(r"\d+ lux now"))).to_be_visible()
    choose(sheet, "When somebody moves in", "Kitchen")
    # The lamps are those where the sensor is.
    expect(sheet.get_by_role("group", name="turn on").get_by_role("radio", name="Kitchen")).to_be_checked()
    choose(sheet, "with", "60%")
    choose(sheet, "and, without motion for", "5 min")
    choose(sheet, "it is", "as it was before")
    save(page, sheet)
    made = only(home)
    assert made["when"] == ['motion "Motion Kitchen"']
    assert made["if"] == ['lux "Motion Kitchen" < 30', "@Kitchen off"]
    assert made["do"] == [
        "set @Kitchen --brightness 60%", 'wait no motion "Motion Kitchen" for 5m', "restore @Kitchen",
    ]  # fmt: skip


def test_yesterday_is_shown_with_this_automation(home: Home, visit: Visit) -> None:
    page = visit()

    def serve(route: Route) -> None:
        """Sixteen times in a night that begins at eleven, else five times."""
        since = parse_qs(urlparse(route.request.url).query)["since"][0]
        last = 21 if "between 23:00 and 06:00" in (route.request.post_data or "") else 10
        run = {"date": "2026-11-27", "weekday": "fri", "automation": "A", "commands": []}
        runs: list[dict[str, Any]] = [
            {**run, "at": f"{hour:02}:00", "time": since.replace("T00", f"T{hour:02}"), "reason": "motion"}
            for hour in range(5, last)
        ]
        runs.append({**run, "at": "23:59", "time": since, "prevented": "not '@Hall off'"})
        route.fulfill(json={"since": "", "until": "", "warnings": [], "notes": [], "runs": runs})

    page.route("**/v1/automations/simulation*", serve)
    sheet = new(page, "Night light")
    expect(sheet.locator(".outcome")).to_contain_text("Yesterday it would have run 16 times.")
    expect(sheet.get_by_role("img", name="05:00, 06:00")).to_be_visible()
    sheet.get_by_label("from", exact=True).fill("22:30")
    expect(sheet.locator(".outcome")).to_contain_text("Yesterday it would have run 5 times.")


def test_by_the_keyboard(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = new(page, "Wake-up")
    chosen = sheet.get_by_role("group", name="It rises for").get_by_role("radio", name="30 min")
    chosen.focus()
    page.keyboard.press("ArrowRight")
    expect(sheet.get_by_role("radio", name="45 min")).to_be_checked()
    expect(sheet.get_by_role("radio", name="45 min")).to_be_focused()
    page.keyboard.press("Tab")
    expect(sheet.get_by_role("group", name="Then").get_by_role("radio", name="Off 1 h after full light")).to_be_focused()
    sheet.get_by_role("button", name="Save").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#toast")).to_contain_text("is saved")
    assert only(home)["do"][0] == "wake @Bedroom --over 45m"


def test_others_stay_as_they_are_and_the_order_too(home: Home, visit: Visit) -> None:
    put(
        home,
        """automations:
  - {name: First, when: button Dial 1 long, do: turn off all}
  - {name: Second, when: "06:15", do: ["wake @Bedroom --over 30m"], mode: restart, enabled: false}
  - {name: Third, do: undo}
""",
    )
    page = visit()
    sheet = opened(page, "Second")
    sheet.get_by_label("It is called").fill("Weekend")
    sheet.get_by_label("It is called").press("Tab")
    save(page, sheet)
    assert [(one["name"], one["enabled"]) for one in automations(home)] == [
        ("First", True), ("Weekend", False), ("Third", True),
    ]  # fmt: skip


def test_what_no_form_can_say_is_shown_and_left_alone(home: Home, visit: Visit) -> None:
    put(home, "automations:\n  - name: Leaving\n    when: button Dial 4 long\n    do: turn off all\n")
    page = visit()
    sheet = opened(page, "Leaving")
    expect(sheet.get_by_text("No form can say this automation")).to_be_visible()
    expect(sheet.get_by_text("Dial, button 4 held: all lights off")).to_be_visible()
    expect(sheet.locator("pre")).to_have_text(home.lightctl("automation", "export"))
    expect(sheet.get_by_role("button", name="Save")).to_have_count(0)


@pytest.mark.parametrize(("locale", "hour"), [("en-US", "6:45\\sAM"), ("en-GB", "06:45"), ("de-DE", "06:45")])
def test_hours_in_sentences_are_as_the_reader_s_clocks_show_them(
    home: Home, visit: Visit, locale: str, hour: str
) -> None:
    put(home, 'automations:\n  - {name: Up, when: "06:45 mon,tue", if: sun below 3, do: turn on desk}\n')
    page = visit(locale=locale)
    # No form says it: its sentence stands above its lines.
    expect(opened(page, "Up").get_by_text(said(f"^{hour} "))).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name=said("Close|Schließen")).click()
    page.get_by_role("button", name=said("Menu|Menü")).click()
    page.get_by_role("dialog").get_by_role("button", name=said("Automations|Automatiken")).click()
    expect(page.get_by_role("listitem").filter(has_text="Up")).to_contain_text(said(f"{hour} M"))


def slower(home: Home, page: Page) -> Locator:
    """Somebody has filled in a form and wants it saved, and somebody else was faster."""
    wake = 'automations:\n  - {name: Up, when: "06:15", do: ["wake @Bedroom --over 30m"], mode: restart}\n'
    put(home, wake)
    sheet = opened(page, "Up")
    choose(sheet, "It rises for", "1 h")
    put(home, wake.replace("06:15", "05:55"))
    sheet.get_by_role("button", name="Save").click()
    return sheet


def test_who_was_slower_is_told_sees_both_and_overwrites_nothing_unasked(home: Home, visit: Visit) -> None:
    page = visit(expected="status of 409")
    sheet = slower(home, page)
    expect(sheet.get_by_role("heading", name="Somebody was faster")).to_be_visible()
    expect(sheet.get_by_text(said(r"changed this: (just now|\d min ago)"))).to_be_visible()
    theirs, mine = sheet.locator("pre").all()
    expect(theirs).to_contain_text("05:55")
    expect(mine).to_contain_text("--over 1h")
    assert only(home)["when"] == ["05:55"]
    # Back leads to what was filled in.
    sheet.get_by_role("button", name="Back").click()
    expect(sheet.get_by_role("radio", name="1 h", exact=True)).to_be_checked()
    sheet.get_by_role("button", name="Save").click()
    sheet.get_by_role("button", name="Save mine").click()
    expect(page.locator("#toast")).to_contain_text("is saved")
    assert only(home)["when"] == ["06:15"] and only(home)["do"] == ["wake @Bedroom --over 1h"]


def test_the_other_version_can_be_taken_and_one_that_is_gone_made_anew(home: Home, visit: Visit) -> None:
    page = visit(expected="status of 40")
    sheet = slower(home, page)
    sheet.get_by_role("button", name="Take what is there").click()
    expect(sheet.get_by_label("The light begins at")).to_have_value("05:55")
    choose(sheet, "It rises for", "15 min")
    home.command("remove_automation", automation="Up")
    sheet.get_by_role("button", name="Save").click()
    expect(sheet.get_by_text(said("removed this"))).to_be_visible()
    sheet.get_by_role("button", name="Save mine").click()
    expect(page.locator("#toast")).to_contain_text("is saved")
    assert only(home)["do"] == ["wake @Bedroom --over 15m"]


def test_a_name_that_somebody_has_used_is_refused(home: Home, visit: Visit) -> None:
    put(home, "automations:\n  - {name: Up, do: undo}\n")
    page = visit(expected="status of 409")
    sheet = new(page, "Wake-up")
    sheet.get_by_label("It is called").fill("up")
    sheet.get_by_role("button", name="Save").click()
    expect(sheet.get_by_role("alert")).to_contain_text("Another automation has this name")
    assert only(home)["do"] == ["undo"]


def test_removing_asks_first(home: Home, visit: Visit) -> None:
    put(home, "automations:\n  - {name: Up, do: undo}\n")
    page = visit()
    sheet = opened(page, "Up")
    sheet.get_by_role("button", name="Remove…").click()
    sheet.get_by_role("button", name="Keep it").click()
    assert len(automations(home)) == 1
    sheet.get_by_role("button", name="Remove…").click()
    sheet.get_by_role("button", name="Remove", exact=True).click()
    expect(page.locator("#toast")).to_contain_text("is removed")
    assert automations(home) == []


def test_a_switch_is_bound_to_a_room(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = new(page, "Button or dial")
    expect(sheet.get_by_role("group", name="controls").get_by_role("radio", name="Hall")).to_be_checked()
    choose(sheet, "controls", "Living")
    sheet.get_by_role("checkbox", name="Late").check()
    save(page, sheet)
    [binding] = home.daemon.ask("GET", "/v1/bindings")
    assert binding["name"] == "Dial" and binding["target_name"] == "@Living" and binding["scenes"] == ["Late"]
    # What it does now is what the form begins with.
    sheet = new(page, "Button or dial")
    expect(sheet.get_by_role("checkbox", name="Late")).to_be_checked()
    expect(sheet.get_by_role("group", name="controls").get_by_text("It controls @Living now")).to_be_visible()
    home.lightctl("unbind", "Dial")


def test_being_away_says_what_it_would_play_and_begins(home: Home, visit: Visit) -> None:
    page = visit(expected="status of 422")
    sheet = new(page, "Away")
    # Nobody has used a lamp often enough.
    expect(sheet.locator(".outcome")).to_contain_text("day")
    sheet.get_by_role("switch", name=said("Make up an evening")).click()
    expect(sheet.locator(".outcome")).not_to_contain_text("lightctl")
    sheet.get_by_role("button", name="Begin").click()
    expect(sheet).to_be_hidden()
    assert home.daemon.ask("GET", "/v1/away")["on"]
    home.lightctl("away", "off")


def test_a_wake_up_is_tried_at_once_and_taken_back(home: Home, visit: Visit) -> None:
    page = visit()
    home.command("turn", to="off", target="all", wait=True)
    sheet = new(page, "Wake-up")
    sheet.get_by_role("button", name="Try it in 20 s").click()
    until(lambda: home.is_on("Bed") and home.is_on("Window"), "the light rises")
    page.locator("#toast").get_by_role("button", name="Off again").click()
    until(lambda: not home.is_on("Bed") and not home.is_on("Window"), "it is dark again")
    assert automations(home) == []
    # What is on is left alone, and not turned off.
    home.command("turn", to="on", target="@Kitchen", wait=True)
    choose(sheet, "Room", "Kitchen")
    sheet.get_by_role("button", name="Try it in 20 s").click()
    expect(page.locator("#toast")).to_contain_text("on already")


def test_warnings_are_those_of_a_file(home: Home, visit: Visit) -> None:
    put(home, 'automations:\n  - {name: Up, when: "06:15", do: ["wake @Attic --over 30m"], mode: restart}\n')
    page = visit()
    sheet = opened(page, "Up")
    expect(sheet.locator(".warnings")).to_contain_text("no light or room is called '@Attic'")
    # It is not exchanged for another by itself.
    expect(sheet.get_by_role("group", name="Room").get_by_role("radio", name="@Attic")).to_be_checked()


def test_nothing_is_changed_while_lightd_is_away(home: Home, visit: Visit) -> None:
    page = visit(expected="ERR_|Failed to load")
    sheet = new(page, "Wake-up")
    home.daemon.stop()
    try:
        expect(page.locator("#connection")).to_be_visible()
        sheet.get_by_role("radio", name="45 min").click(force=True)
        expect(page.locator("#announcer")).to_contain_text("Not connected")
        expect(sheet.get_by_role("radio", name="30 min", exact=True)).to_be_checked()
        sheet.get_by_role("button", name="Save").click(force=True)
    finally:
        home.daemon.start()
    expect(page.locator("#connection")).to_be_hidden()
    assert automations(home) == []


@pytest.mark.parametrize("access", ["control", "look"])
def test_who_may_not_manage_automations_is_offered_none(home: Home, visit: Visit, access: str) -> None:
    put(home, "automations:\n  - {name: Up, do: undo}\n")
    page = visit(access=access)
    page.get_by_role("button", name="Menu").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    expect(page.get_by_role("button", name="New automation")).to_have_count(0)
    page.keyboard.press("Escape")
    for name in ("", "Up"):
        module(page, name)
        expect(page.get_by_role("dialog")).to_be_hidden()


def test_names_are_never_markup(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = new(page, "Wake-up")
    room = sheet.get_by_role("group", name="Room")
    room.get_by_role("radio", name="Other…").check()
    room.get_by_role("combobox").select_option(HOSTILE)
    expect(room.get_by_role("radio", name=HOSTILE)).to_be_checked()
    save(page, sheet)
    assert page.locator("#toast img, #sheet img").count() == 0
    assert HOSTILE in only(home)["name"]


@pytest.mark.parametrize("width, height", [(320, 640), (390, 844), (195, 422), (1280, 900)])
def test_in_german_nothing_scrolls_sideways_and_every_target_is_large(
    home: Home, visit: Visit, width: int, height: int
) -> None:
    page = visit(expected="status of 422", locale="de-DE", viewport={"width": width, "height": height})
    sheet = page.get_by_role("dialog")
    for kind in ("Wecklicht", "Nach einer Weile aus", "Abendlicht", "Bewegungslicht", "Nachtlicht", "Taste", "Abwesend"):
        module(page, "")
        sheet.get_by_role("button", name=kind).click()
        expect(sheet.locator(".foot")).to_be_visible()
        assert overflow(page) == 0, kind
        assert page.locator("#sheet").evaluate("sheet => sheet.scrollWidth - sheet.clientWidth") <= 0, kind
        small = sheet.locator("button:visible, .chip:visible, .own input:visible, select:visible, summary:visible")
        boxes = small.evaluate_all(
            """nodes => nodes.map(node => [node, node.getBoundingClientRect()])
                .filter(([, box]) => box.width < 44 || box.height < 44)
                .map(([node, box]) => `${node.outerHTML.slice(0, 120)} ${box.width} × ${box.height}`)"""
        )
        assert boxes == [], kind
        page.keyboard.press("Escape")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(home: Home, visit: Visit, scheme: str) -> None:
    put(home, "automations:\n  - {name: Leaving, do: undo}\n")
    page = visit(expected="status of 422", color_scheme=scheme, reduced_motion="reduce", viewport={"width": 900, "height": 2400})
    sheet = page.get_by_role("dialog")
    for kind in ("Wake-up", "Off after", "Evening light", "Motion light", "Night light", "Button", "Away"):
        module(page, "")
        assert violations(page) == []
        sheet.get_by_role("button", name=kind).click()
        expect(sheet.locator(".outcome, .line").first).to_be_attached()
        for more in sheet.get_by_role("radio", name="Other…").all():
            more.check()
        assert violations(page) == [], kind
        page.keyboard.press("Escape")
    opened(page, "Leaving")
    assert violations(page) == []


def test_the_list_of_automations_leads_to_it_and_back(home: Home, visit: Visit) -> None:
    page = visit(viewport=PHONE)
    page.get_by_role("button", name="Menu").click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="Automations").click()
    sheet.get_by_role("button", name="New automation").click()
    sheet.get_by_role("button", name="Night light").click()
    expect(sheet.get_by_role("heading", name="Night light")).to_be_visible()
    sheet.get_by_role("button", name="Back").click()
    expect(sheet.get_by_role("heading", name="New automation")).to_be_visible()
    sheet.get_by_role("button", name="Back").click()
    expect(sheet.get_by_role("heading", name="Automations")).to_be_visible()
