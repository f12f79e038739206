"""Who comes in, what their devices are called, and how they are signed out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from conftest import DESKTOP, PHONE
from home import Home, reach_from_phones, said, section, sign_in, switch, tile
from playwright.sync_api import Locator, Page, expect

Visit = Callable[..., Page]
UNAUTHORIZED = "status of 401"
HOSTILE = "<img src=x onerror=alert(1)>\u202e\"' over TCP"


@pytest.fixture(autouse=True)
def nobody_else(home: Home) -> Iterator[None]:
    """Each test begins with nobody signed in."""
    home.daemon.ask("DELETE", "/v1/sessions?others=true")
    yield


def welcome(page: Page) -> Locator:
    return page.locator("form.welcome")


def menu(page: Page, *names: str) -> Locator:
    """Opens the menu, then what has these names, one after the other."""
    sheet = page.get_by_role("dialog")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    for name in names:
        # Other rows may speak of "this device", too.
        sheet.get_by_role("button", name=said(f"^{name}")).first.click()
    return sheet


def named(visit: Visit, url: str, name: str, **options: object) -> Page:
    """A page that has come in by this link, under this name."""
    page = visit(url, is_welcome=True, **options)
    welcome(page).get_by_label("What is this device called?").fill(name)
    page.keyboard.press("Enter")
    expect(page.locator(".tile").first).to_be_visible()
    return page


def names(home: Home) -> list[str]:
    return [one["name"] for one in home.daemon.ask("GET", "/v1/sessions") if one["origin"] != "command"]


def link_for(page: Page, home: Home, role: str = "Everything", until: str | None = None) -> str:
    sheet = menu(page, "People and phones", "Add a phone")
    if until:
        sheet.get_by_role("radio", name=until).check()
    sheet.get_by_role("button", name=re.compile(f"^{role}")).click()
    link = sheet.get_by_text(said("#join=")).first.text_content()
    assert link and link.startswith(home.url)
    return link


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_a_guest_reads_who_lets_them_in_and_gives_a_name_that_why_says(
    home: Home, visit: Visit, viewport: dict[str, int]
) -> None:
    page = named(visit, home.link(), "Anna's phone", viewport=viewport)
    link = link_for(page, home, "Control", "Today")
    guest = visit(link, is_welcome=True, viewport=viewport)
    form = welcome(guest)
    expect(form).to_contain_text(said("Anna’s phone.* lets you in until .*11:59"))
    expect(form).to_contain_text("You may use lights, scenes and timers")
    expect(guest.locator(".tile")).to_have_count(0)
    # There is a suggestion, which the first letter replaces.
    expect(form.get_by_role("textbox")).to_have_value("Computer")
    guest.keyboard.type("Tom's laptop")
    guest.keyboard.press("Enter")
    expect(guest.locator(".tile").first).to_be_visible()
    expect(form).to_have_count(0)
    expect(page.get_by_role("dialog")).to_contain_text(said("The link was used: .*Tom’s laptop.* is signed in"))

    switch(section(guest, "Living"), "Desk").click()
    page.keyboard.press("Escape")
    expect(tile(section(page, "Living"), "Desk")).to_contain_text("Tom’s laptop")
    assert "a page named 'Tom’s laptop' over TCP" in home.lightctl("why", "Desk")
    assert names(home) == ["Anna’s phone", "Tom’s laptop"]
    # It is asked once.
    guest.reload()
    expect(guest.locator(".tile").first).to_be_visible()
    expect(form).to_have_count(0)


def test_the_name_may_be_left_out_and_two_of_one_name_stay_apart(home: Home, visit: Visit) -> None:
    page = visit(home.link(), is_welcome=True)
    welcome(page).get_by_role("button", name="Without a name").click()
    expect(page.locator(".tile").first).to_be_visible()
    named(visit, home.link(), "Anna")
    named(visit, home.link(), "Anna")
    assert names(home)[:2] == ["Anna", "Anna (2)"]
    assert re.fullmatch(r"browser \d+ \w+ \d\d:\d\d", names(home)[2])


def test_a_hostile_name_is_only_a_name(home: Home, visit: Visit) -> None:
    guest = named(visit, home.link("control"), HOSTILE)
    page = visit()
    switch(section(guest, "Living"), "Desk").click()
    shown = "<img src=x onerror=alert(1)> over TCP"
    expect(tile(section(page, "Living"), "Desk")).to_contain_text("<img src=x onerror=alert(1)> over TCP")
    sheet = menu(page, "People and phones")
    row = sheet.get_by_role("button", name=shown)
    expect(row).to_be_visible()
    row.click()
    expect(sheet.get_by_role("heading", name=shown)).to_be_visible()
    assert page.locator("main img, dialog img").count() == 0


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_a_pasted_link_signs_in_as_an_access_code_does(home: Home, visit: Visit, viewport: dict[str, int]) -> None:
    page = visit(home.url, expected=UNAUTHORIZED, is_welcome=True, viewport=viewport)
    # As a messenger hands it over.
    sign_in(page, f"Come in: {home.link('look')} (today)")
    welcome(page).get_by_role("textbox").fill("Pasted")
    page.keyboard.press("Enter")
    expect(page.locator(".tile").first).to_be_visible()
    assert names(home) == ["Pasted"]
    used = visit(home.url, expected=UNAUTHORIZED)
    sign_in(used, f"{home.url}#join=usedbefore")
    expect(used.get_by_role("alert")).to_contain_text(said("used already.*People and phones"))


CAMERA = """link => {
    navigator.mediaDevices.getUserMedia = async () => document.createElement('canvas').captureStream()
    HTMLMediaElement.prototype.play = async () => {}
    let looks = 0
    window.BarcodeDetector = class { async detect() { return looks++ ? [{ rawValue: link }] : [] } }
}"""


def test_a_home_screen_app_scans_the_code_where_the_browser_can(home: Home, visit: Visit) -> None:
    page = visit(home.url, expected=UNAUTHORIZED)
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    if page.evaluate("!('BarcodeDetector' in window)"):
        expect(page.get_by_role("button", name="Scan the code")).to_have_count(0)
    page.add_init_script(f"({CAMERA})({home.link()!r})")
    page.reload()
    page.get_by_role("button", name="Scan the code").click()
    expect(page.locator(".tile").first).to_be_visible()
    assert len(names(home)) == 1


def test_a_camera_that_is_not_allowed_is_said(home: Home, visit: Visit) -> None:
    page = visit(home.url, expected=UNAUTHORIZED)
    refused = "getUserMedia = async () => { throw new DOMException('no', 'NotAllowedError') }"
    page.add_init_script(f"({CAMERA})(''); navigator.mediaDevices.{refused}")
    page.reload()
    page.get_by_role("button", name="Scan the code").click()
    expect(page.get_by_role("alert")).to_contain_text("Paste the link instead")
    expect(page.locator("video")).to_have_count(0)


def test_nothing_of_the_home_works_while_a_second_link_is_welcomed(home: Home, visit: Visit) -> None:
    page = named(visit, home.link(), "Anna", expected="status of 409|status of 401")
    expect(page.locator("#search")).to_be_visible()
    page.goto(home.link("look"))
    page.get_by_role("button", name="Use the link").click()
    expect(welcome(page)).to_contain_text("You may look at the home, and change nothing.")
    for part in ("#dock", "#search", "#upcoming", "#all-off", "#menu"):
        expect(page.locator(part)).to_be_hidden()
    expect(page.locator(".tile")).to_have_count(0)
    # Outside of the field a key would search.
    welcome(page).get_by_role("button", name="Come in").focus()
    page.keyboard.press("/")
    expect(page.get_by_role("dialog")).to_be_hidden()
    welcome(page).get_by_role("button", name="Without a name").click()
    expect(page.locator(".tile").first).to_be_visible()
    expect(page.get_by_role("button", name="All off")).to_be_hidden()


# The list


def test_the_list_follows_what_others_change_and_keeps_the_focus(home: Home, visit: Visit) -> None:
    page = named(visit, home.link(), "Anna")
    home.token("Home Assistant")
    try:
        guest = named(visit, home.link("look"), "Tom")
        sheet = menu(page, "People and phones")
        expect(sheet.get_by_role("button", name=said("^Anna.*This device.*Everything"))).to_be_visible()
        expect(sheet.get_by_role("button", name=said("^Tom.*Look.*last seen just now"))).to_be_visible()
        expect(sheet.get_by_role("button", name=said("^Home Assistant.*Everything.*not seen yet"))).to_be_visible()
        sheet.get_by_role("button", name=said("^Tom")).focus()
        own = menu(guest, "This device")
        own.get_by_label("Name").fill("Thomas")
        guest.keyboard.press("Enter")
        expect(own.get_by_role("heading", name="Thomas")).to_be_visible()
        expect(sheet.get_by_role("button", name=said("^Thomas"))).to_be_focused()
        # A program is told of, and managed elsewhere.
        sheet.get_by_role("button", name=said("^Home Assistant")).click()
        expect(sheet).to_contain_text("lightctl token")
        expect(sheet.get_by_role("textbox")).to_have_count(0)
        expect(sheet.get_by_role("button", name="Sign out")).to_have_count(0)
    finally:
        home.lightctl("token", "revoke", "Home Assistant")


def test_the_list_stays_while_nothing_in_it_is_new(home: Home, visit: Visit) -> None:
    page = named(visit, home.link(), "Anna")
    sheet = menu(page, "People and phones")
    row = sheet.get_by_role("button", name=said("^Anna"))
    add = sheet.get_by_role("button", name="Add a phone")
    row.evaluate("row => { row.isMarked = true }")
    add.focus()
    # Each time that it is read, this session was used anew. What the first answer does is done before the second comes.
    for _ in range(2):
        with page.expect_response("**/v1/sessions"):
            pass
    assert row.evaluate("row => row.isMarked")
    expect(add).to_be_focused()
    named(visit, home.link(), "Tom")
    expect(sheet.get_by_role("button", name=said("^Tom"))).to_be_visible()
    expect(add).to_be_focused()


def test_a_link_lasts_by_no_clock_of_the_phone_and_is_made_anew_with_the_same_choice(home: Home, visit: Visit) -> None:
    page = visit(viewport=PHONE)
    # Wrong by seven hours.
    page.clock.install(time=datetime.now() + timedelta(hours=7))
    link = link_for(page, home, "Control", "Today")
    sheet = page.get_by_role("dialog")
    page.clock.fast_forward(590_000)
    expect(sheet.get_by_text(said("#join=")).first).to_have_text(link)
    page.clock.fast_forward(20_000)
    expect(sheet).to_contain_text("The time of the link is over.")
    sheet.get_by_role("button", name="Make a new link").click()
    expect(sheet.get_by_text(said("#join=")).first).not_to_have_text(link)
    sheet.get_by_role("button", name="Back").click()
    expect(sheet.get_by_role("radio", name="Today")).to_be_checked()


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_another_is_renamed_limited_and_signed_out_by_the_keyboard(
    home: Home, visit: Visit, viewport: dict[str, int]
) -> None:
    page = named(visit, home.link(), "Anna", viewport=viewport)
    guest = named(visit, home.link("control"), "Tom", expected=UNAUTHORIZED)
    sheet = menu(page, "People and phones")
    sheet.get_by_role("button", name=said("^Tom")).press("Enter")
    sheet.get_by_label("Name").fill("Uncle Tom")
    page.keyboard.press("Enter")
    expect(sheet.get_by_role("heading", name="Uncle Tom")).to_be_visible()
    sheet.get_by_role("radio", name="No end").focus()
    page.keyboard.press("ArrowDown")
    expect(sheet.get_by_role("status").filter(has_text="Until")).to_be_visible()
    (tom,) = [one for one in home.daemon.ask("GET", "/v1/sessions") if one["name"] == "Uncle Tom"]
    end = datetime.fromisoformat(tom["ends"]).astimezone()
    assert (end.hour, end.minute) == (23, 59) and end.date() == datetime.now().date()
    day = (datetime.now() + timedelta(days=20)).strftime("%Y-%m-%d")
    sheet.get_by_role("radio", name="Another day").check()
    sheet.get_by_label("Until the end of which day?").fill(day)
    expect(sheet.get_by_role("status").filter(has_text=said("Until .*20\\d\\d"))).to_be_visible()
    sheet.get_by_role("button", name="Sign out").press("Enter")
    expect(sheet.get_by_role("heading", name="Sign out?")).to_be_visible()
    sheet.get_by_role("button", name="Sign out").press("Enter")
    expect(sheet.get_by_role("button", name=said("^Anna"))).to_be_visible()
    expect(sheet.get_by_role("button", name=said("Tom"))).to_have_count(0)
    expect(page.locator("#toast")).to_contain_text(said("Uncle Tom.? is signed out"))
    expect(guest.get_by_role("alert")).to_contain_text("signed out")
    assert names(home) == ["Anna"]


@pytest.mark.parametrize("stays", [True, False])
def test_who_signs_out_is_asked_about_those_that_were_let_in(home: Home, visit: Visit, stays: bool) -> None:
    page = named(visit, home.link(), "Anna", expected=UNAUTHORIZED)
    child = named(visit, link_for(page, home), "Mia", expected=UNAUTHORIZED)
    sheet = menu(page, "Sign out")
    expect(sheet.get_by_role("listitem").filter(has_text="Mia")).to_be_visible()
    expect(sheet.get_by_role("radio", name="They stay")).to_be_checked()
    if not stays:
        sheet.get_by_role("radio", name="They go, too").check()
    sheet.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Link or access code")).to_be_visible()
    if stays:
        assert names(home) == ["Mia"]
        switch(section(child, "Living"), "Desk").click()
        expect(tile(section(child, "Living"), "Desk")).to_contain_text("Mia")
    else:
        expect(child.get_by_label("Link or access code")).to_be_visible()
        assert names(home) == []


def test_one_who_let_in_others_is_signed_out_and_the_one_who_asks_stays(home: Home, visit: Visit) -> None:
    page = named(visit, home.link(), "Anna", expected=UNAUTHORIZED)
    child = named(visit, link_for(page, home), "Mia")
    sheet = menu(child, "People and phones")
    sheet.get_by_role("button", name=said("^Anna")).click()
    sheet.get_by_role("button", name="Sign out").click()
    # She herself does not go along.
    expect(sheet.get_by_role("radio")).to_have_count(0)
    sheet.get_by_role("button", name="Sign out").click()
    expect(sheet.get_by_role("button", name=said("^Mia"))).to_be_visible()
    expect(page.get_by_label("Link or access code")).to_be_visible()
    assert names(home) == ["Mia"]


def test_all_others_are_signed_out_after_a_question(home: Home, visit: Visit) -> None:
    page = named(visit, home.link(), "Anna")
    others = [named(visit, home.link(access), f"Other {access}", expected=UNAUTHORIZED) for access in ("full", "look")]
    sheet = menu(page, "People and phones", "Sign out all others")
    expect(sheet.get_by_role("listitem")).to_have_count(2)
    sheet.get_by_role("button", name="Stay").click()
    sheet.get_by_role("button", name="Sign out all others").click()
    sheet.get_by_role("button", name="Sign out").click()
    for other in others:
        expect(other.get_by_label("Link or access code")).to_be_visible()
    expect(sheet.get_by_role("button", name=said("^Anna"))).to_be_visible()
    expect(sheet.get_by_role("button", name="Sign out all others")).to_have_count(0)
    assert names(home) == ["Anna"]


def test_the_last_one_with_everything_is_told_what_then(home: Home, visit: Visit) -> None:
    page = named(visit, home.link(), "Anna")
    named(visit, home.link("control"), "Tom")
    sheet = menu(page, "Sign out")
    expect(sheet).to_contain_text("No other phone may do everything")
    named(visit, link_for(page, home), "Mia")
    sheet = menu(page, "Sign out")
    expect(sheet).to_contain_text("If they go, too, no phone is left")
    named(visit, home.link(), "Ben")
    sheet = menu(page, "Sign out")
    expect(sheet.get_by_text("Mia")).to_be_visible()
    expect(sheet).not_to_contain_text("lightctl open")


# Roles


@pytest.mark.parametrize("access", ["look", "read_only"])
def test_who_may_only_look_is_told_so_quietly(home: Home, visit: Visit, access: str) -> None:
    page = named(visit, home.link(access), "Guest")
    expect(page.locator("#role")).to_have_text("Look only")
    sheet = menu(page)
    row = sheet.get_by_role("button", name=said("^This device.*Guest.? · Look"))
    expect(row).to_be_visible()
    expect(sheet.get_by_role("button", name="People and phones")).to_have_count(0)
    row.click()
    expect(sheet).to_contain_text(said("You may look at the home.*somebody who may do everything makes you a new link"))
    expect(sheet.get_by_role("radio")).to_have_count(0)
    control = visit(access="control")
    expect(control.locator("#role")).to_be_hidden()


def test_nothing_is_changed_while_lightd_is_away(home: Home, visit: Visit) -> None:
    page = named(visit, home.link(), "Anna", expected="ERR_|status of 5")
    named(visit, home.link("look"), "Tom", expected="ERR_|status of 5")
    sheet = menu(page, "People and phones")
    sheet.get_by_role("button", name=said("^Tom")).click()
    expect(sheet.get_by_role("button", name="Sign out")).to_be_visible()
    home.daemon.stop()
    try:
        expect(page.locator("body.lost")).to_have_count(1)
        sheet.get_by_role("button", name="Sign out").click()
        expect(page.locator("#announcer")).to_contain_text("nothing can be changed now")
        expect(sheet.get_by_role("heading", name="Tom")).to_be_visible()
    finally:
        home.daemon.start()
    expect(page.locator("body.lost")).to_have_count(0)
    assert names(home) == ["Anna", "Tom"]


# The home screen

IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1"


def test_an_iphone_is_told_how_it_keeps_the_page(home: Home, visit: Visit) -> None:
    page = visit(home.link(), is_welcome=True, viewport=PHONE, user_agent=IPHONE)
    expect(welcome(page).get_by_role("textbox")).to_have_value("iPhone")
    page.keyboard.press("Enter")
    expect(page.locator(".tile").first).to_be_visible()
    sheet = menu(page, "Install as an app")
    expect(sheet).to_contain_text(said("Share.*Add to Home Screen.*paste it there"))


def test_a_browser_that_can_install_the_page_is_asked_to(home: Home, visit: Visit) -> None:
    page = visit()
    sheet = menu(page, "Install as an app")
    expect(sheet).to_contain_text("browser's own menu")
    page.evaluate(
        """() => {
            const offer = new Event('beforeinstallprompt', { cancelable: true })
            offer.prompt = async () => { window.asked = true; return { outcome: 'accepted' } }
            dispatchEvent(offer)
        }"""
    )
    menu(page, "Install as an app").get_by_role("button", name="Install").click()
    expect(sheet.get_by_role("button", name="Sign out")).to_be_visible()
    assert page.evaluate("window.asked")


def test_a_plain_address_is_told_what_it_lacks(home: Home, visit: Visit) -> None:
    page = visit()
    page.evaluate("Object.defineProperty(window, 'isSecureContext', { value: false })")
    expect(menu(page, "Install as an app")).to_contain_text(said("encryption.*certificate.*operations.md"))


def test_an_installed_page_is_not_told_how_to_install_it(home: Home, visit: Visit) -> None:
    page = visit()
    page.evaluate("navigator.standalone = true")
    sheet = menu(page)
    expect(sheet.get_by_role("button", name="Sign out")).to_be_visible()
    expect(sheet.get_by_role("button", name="Install as an app")).to_have_count(0)


def test_german_fits_the_smallest_phone(home: Home, visit: Visit) -> None:
    options = {"viewport": {"width": 320, "height": 640}, "locale": "de-DE"}
    page = visit(home.link(), is_welcome=True, **options)
    sheet = page.get_by_role("dialog")

    def fits() -> None:
        for node in (page.locator("html"), page.locator("#sheet")):
            assert node.evaluate("node => node.scrollWidth - node.clientWidth") <= 0

    expect(welcome(page)).to_contain_text("Wie heißt dieses Gerät?")
    fits()
    page.get_by_role("textbox").fill("Annas Telefon im Arbeitszimmer mit dem langen Namen")
    page.keyboard.press("Enter")
    reach_from_phones(page)
    page.locator("#menu").click()
    for name in ("Personen und Telefone", "Telefon hinzufügen", "Bedienen"):
        sheet.get_by_role("button", name=name).click()
        expect(sheet.locator("[aria-busy]")).to_have_count(0)
        fits()
    expect(sheet.get_by_role("img", name="Der Link als QR-Code")).to_be_visible()
    fits()
