"""Who is let in, and how."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
import requests
from conftest import REBOUND
from home import Home, reach_from_phones, said, section, sign_in, slider, switch, tile
from playwright.sync_api import Page, Route, expect

Visit = Callable[..., Page]
ELSEWHERE = "http://127.0.0.1:9000/"
UNAUTHORIZED = "status of 401"
# What its button posts is JSON.
TRAP = """<title>Win</title><form method="post" enctype="text/plain" action="http://127.0.0.1:8377/v1/messages">
<input name='{"command":"turn","to":"on","target":"Fan","client":"' value='"}'><button>Win</button></form>"""


def test_a_token_signs_in_and_signing_out_ends_it(home: Home, visit: Visit) -> None:
    token = home.token("tablet")
    page = visit(home.url, expected=UNAUTHORIZED)
    page.get_by_label("Link or access code").fill("not a token of this home")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_have_text(
        "Lightd does not know this code. Check that all of it was pasted."
    )
    sign_in(page, token)
    expect(slider(section(page, "Living"), "Desk")).to_be_visible()
    (cookie,) = page.context.cookies()
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict"
    assert page.evaluate("document.cookie + Object.keys(localStorage) + Object.keys(sessionStorage)") == ""

    page.reload()
    expect(slider(section(page, "Living"), "Desk")).to_be_visible()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Sign out").click()
    # Not at one tap, because the way back is long.
    expect(page.get_by_role("heading", name="Sign out?")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Link or access code")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator(".tile")).to_have_count(0)
    assert page.context.cookies() == []
    page.reload()
    expect(page.get_by_label("Link or access code")).to_be_visible()


def test_a_form_goes_away_when_another_tab_has_signed_the_browser_in(home: Home, visit: Visit) -> None:
    page = visit(home.url, expected=UNAUTHORIZED)
    page.get_by_label("Link or access code").fill("half a tok")
    other = page.context.new_page()
    # Headless tabs are always seen: only told that they are again.
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_label("Link or access code")).to_have_value("half a tok")
    other.goto(home.link())
    expect(other.locator(".tile").first).to_be_visible()
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator(".tile").first).to_be_visible()
    expect(page.get_by_label("Link or access code")).to_have_count(0)


def test_a_page_whose_session_has_ended_looks_for_the_one_in_its_place(home: Home, visit: Visit) -> None:
    page, other = visit(expected=UNAUTHORIZED), visit()
    # In place of another tab, whose new session comes just after the old one has ended.
    page.evaluate("fetch('/v1/session', {method: 'DELETE'}).then(() => null)")
    expect(page.get_by_role("alert")).to_contain_text("signed out")
    page.context.add_cookies(other.context.cookies())
    expect(page.locator(".tile").first).to_be_visible()


def test_a_page_that_may_only_look_from_now_on_offers_no_undo(home: Home, visit: Visit) -> None:
    page = visit()
    switch(section(page, "Living"), "Desk").click()
    expect(page.locator("#toast")).to_contain_text("Undo")
    other = page.context.new_page()
    other.goto(home.link("read_only"))
    other.get_by_role("button", name="Use the link").click()
    expect(page.get_by_role("button", name="All off")).to_be_hidden()
    # At once, and not when its time is over.
    assert not page.locator("#toast").is_visible()
    expect(page.locator(".tile").first).to_be_visible()


def test_a_link_signs_in_once_and_leaves_no_trace_in_the_address(home: Home, visit: Visit) -> None:
    link = home.link()
    page = visit(link)
    expect(tile(section(page, "Living"), "Desk")).to_be_visible()
    assert page.url == home.url
    assert page.evaluate("history.length") <= 2
    second = visit(link, expected=UNAUTHORIZED)
    expect(second.get_by_role("alert")).to_contain_text(said("used.*A phone that is signed in can show a new one"))
    expect(second.get_by_label("Link or access code")).to_be_visible()
    expect(second.locator(".tile")).to_have_count(0)


def test_a_page_adds_a_phone_that_may_only_look(home: Home, visit: Visit) -> None:
    page = visit()
    reach_from_phones(page)
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="People and phones").click()
    page.get_by_role("button", name="Add a phone").click()
    page.get_by_role("button", name="Look What is on").click()
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    link = page.get_by_text(said("#join=")).text_content()
    assert link and link.startswith(home.url)

    phone = visit(link)
    expect(tile(section(phone, "Living"), "Desk")).to_contain_text("Desk")
    expect(page.get_by_role("dialog")).to_contain_text(said("The link was used: .+ is signed in"))
    expect(page.get_by_role("img", name="QR code")).to_have_count(0)
    for control in ("slider", "switch", "textbox"):
        expect(phone.get_by_role("main").get_by_role(control)).to_have_count(0)
    expect(phone.get_by_role("button", name="All off")).to_be_hidden()
    # It follows all the same.
    home.command("turn", to="on", target="Desk")
    expect(tile(section(phone, "Living"), "Desk")).to_have_attribute("data-state", "on")
    # Why, and nothing to change it with.
    section(phone, "Living").get_by_role("button", name=said("^Desk: ")).click()
    sheet = phone.get_by_role("dialog")
    expect(sheet).to_contain_text(said("Why.*turned .Desk. on"))
    for control in ("slider", "switch", "textbox"):
        expect(sheet.get_by_role(control)).to_have_count(0)
    expect(sheet.get_by_role("button")).to_have_text([""])
    expect(sheet.get_by_role("button", name="Close")).to_be_visible()
    phone.keyboard.press("Escape")
    phone.get_by_role("button", name="Menu").click()
    expect(phone.get_by_role("button", name="Sign out")).to_be_visible()
    for name in ("Log", "Undo", "Pair a bridge", "People and phones", "Forget"):
        expect(phone.get_by_role("button", name=name)).to_have_count(0)


@pytest.mark.parametrize(
    ("access", "offered", "missing"),
    [
        ("control", {"Undo", "Log", "Sign out"}, {"Pair a bridge", "People and phones", "Forget"}),
        ("look", {"Sign out"}, {"Undo", "Log", "Pair a bridge", "People and phones", "Forget"}),
        ("of a newer lightd", {"Sign out"}, {"Undo", "Log", "Pair a bridge", "People and phones", "Forget"}),
    ],
)
def test_what_an_access_does_not_allow_is_not_offered(
    home: Home, visit: Visit, access: str, offered: set[str], missing: set[str]
) -> None:
    page = visit(access="full")
    model = page.context.request.get(home.url + "v1/page").json() | {"access": access}
    if access != "control":
        model["tiles"] = {key: tile | {"can": []} for key, tile in model["tiles"].items()}
    event = f"id: 1\nevent: page\ndata: {json.dumps(model)}\n\n"
    page.route("**/v1/page/events", lambda route: route.fulfill(content_type="text/event-stream", body=event))
    page.reload()
    living = section(page, "Living")
    expect(living.locator(".tile").first).to_be_visible()
    changes = page.get_by_role("main").get_by_role("switch")
    if access == "control":
        expect(page.get_by_role("button", name="All off")).to_be_visible()
        expect(switch(living, "Desk")).to_be_visible()
    else:
        expect(page.get_by_role("button", name="All off")).to_be_hidden()
        expect(changes).to_have_count(0)
    page.get_by_role("button", name="Menu").click()
    sheet = page.get_by_role("dialog")
    for name in offered:
        expect(sheet.get_by_role("button", name=name)).to_be_visible()
    for name in missing:
        expect(sheet.get_by_role("button", name=name)).to_have_count(0)


def test_a_link_that_no_phone_can_open_says_so_first(home: Home, visit: Visit) -> None:
    page = visit()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="People and phones").click()
    page.get_by_role("button", name="Add a phone").click()
    page.get_by_role("button", name="Everything").click()
    sheet = page.get_by_role("dialog")
    expect(sheet.locator(".phone > p").first).to_contain_text("Only this machine can open it")
    expect(sheet.get_by_role("img")).to_have_count(0)
    expect(sheet).not_to_contain_text("Scan it")


def test_a_revoked_token_ends_the_page_that_it_signed_in(home: Home, visit: Visit) -> None:
    token = home.token("lost phone")
    page = visit(home.url, expected=UNAUTHORIZED)
    sign_in(page, token)
    expect(page.locator(".tile").first).to_be_visible()
    home.lightctl("token", "revoke", "lost phone")
    # Nothing changes in the home, and nobody touches the page.
    expect(page.get_by_label("Link or access code")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("signed out, here or from another device")
    expect(page.locator("#announcer")).to_be_empty()
    expect(page.locator(".tile")).to_have_count(0)


def test_signing_out_signs_out_every_tab(home: Home, visit: Visit) -> None:
    token = home.token("tablet with tabs")
    page = visit(home.url, expected=UNAUTHORIZED)
    sign_in(page, token)
    expect(page.locator(".tile").first).to_be_visible()
    other = page.context.new_page()
    other.goto(home.url)
    expect(other.locator(".tile").first).to_be_visible()
    page.get_by_role("button", name="Menu").click()
    for _ in range(2):
        page.get_by_role("button", name="Sign out").click()
    for tab in (page, other):
        expect(tab.get_by_label("Link or access code")).to_be_visible()
        expect(tab.locator(".tile")).to_have_count(0)
    # What was pasted is still good.
    answer = requests.get(f"{home.url}v1/lights", headers={"Authorization": f"Bearer {token}"}, timeout=60)
    assert answer.status_code == 200


def test_a_link_asks_before_it_replaces_a_session(home: Home, visit: Visit) -> None:
    page = visit(expected="status of 409|status of 401")
    before = cookies(page)
    page.goto(home.link("read_only"))
    expect(page.get_by_role("heading", name="Sign in anew?")).to_be_visible()
    page.get_by_role("button", name="Stay").click()
    expect(slider(section(page, "Living"), "Desk")).to_be_visible()
    assert cookies(page) == before and page.url == home.url

    page.goto(home.link("read_only"))
    other = page.context.new_page()
    other.goto(home.url)
    expect(other.get_by_role("button", name="All off")).to_be_visible()
    page.get_by_role("button", name="Use the link").click()
    # In every tab, and what was before has ended.
    for tab in (page, other):
        expect(tab.get_by_role("button", name="All off")).to_be_hidden()
        expect(tile(section(tab, "Living"), "Desk")).to_be_visible()
    assert cookies(page) != before
    assert requests.get(f"{home.url}v1/session", cookies=before, timeout=60).status_code == 401


def test_wrong_links_and_old_cookies_lock_nobody_out(home: Home, visit: Visit) -> None:
    page = visit(home.url, expected=UNAUTHORIZED)
    page.context.add_cookies([{"name": "lightd-8377", "value": "b2xkIHRva2Vu", "url": home.url}])
    for number in range(8):
        # As any other page can open it.
        page.goto(f"{home.url}?{number}#join=wrong")
        expect(page.get_by_role("alert")).to_contain_text("link")
    sign_in(page, home.token("after all"))
    expect(tile(section(page, "Living"), "Desk")).to_be_visible()


def test_a_name_that_is_not_ours_shows_nothing(home: Home, visit: Visit) -> None:
    """DNS rebinding: a page of an attacker's whose name leads to lightd is of lightd's origin to the browser."""
    page = visit()
    rebound = visit(home.url.replace("127.0.0.1", REBOUND), expected="status of 4|ERR_")
    expect(rebound.locator(".tile")).to_have_count(0)
    for path in ("", "v1/page", "v1/lights"):
        answer = requests.get(home.url + path, headers={"Host": f"{REBOUND}:8377"}, cookies=cookies(page), timeout=60)
        assert 400 <= answer.status_code < 500
        assert "Desk" not in answer.text


@pytest.fixture
def other_page() -> Iterator[None]:
    """A page on another port of the same host, which is the same site to a browser: it sends the cookie."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(TRAP.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 9000), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield
    server.shutdown()
    server.server_close()


def test_the_page_of_another_server_commands_nothing(home: Home, visit: Visit, other_page: None) -> None:
    home.command("turn", to="off", target="Fan", wait=True)
    page = visit(expected="status of 403|favicon")
    page.goto(ELSEWHERE)
    with page.expect_request(said("/v1/messages")) as asked:
        page.evaluate(
            """url => fetch(url, {method: 'POST', mode: 'no-cors', credentials: 'include',
                body: '{"command":"turn","to":"on","target":"Fan"}'}).catch(() => {})""",
            f"{home.url}v1/messages",
        )
    answer = asked.value.response()
    assert answer is not None and answer.status == 403
    with page.expect_response(said("/v1/messages")) as answered:
        page.get_by_role("button", name="Win").click()
    assert answered.value.status == 403
    assert not home.is_on("Fan")


def test_a_cookie_counts_only_for_the_page_itself(home: Home, visit: Visit) -> None:
    ours = {"Origin": home.url.rstrip("/")}
    cookie, command = cookies(visit()), {"command": "turn", "to": "off", "target": "Fan"}
    for headers, status in [
        ({}, 403),
        ({"Origin": ELSEWHERE.rstrip("/")}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        (ours | {"Sec-Fetch-Site": "cross-site"}, 403),
        (ours, 200),
    ]:
        answer = requests.post(f"{home.url}v1/messages", json=command, headers=headers, cookies=cookie, timeout=60)
        assert answer.status_code == status, headers


def cookies(page: Page) -> dict[str, str]:
    (cookie,) = page.context.cookies()
    return {cookie["name"]: cookie["value"]}


def test_a_page_that_waits_for_its_language_can_be_installed(home: Home, visit: Visit) -> None:
    page = visit("about:blank", service_workers="allow", locale="de-DE")

    def serve(route: Route) -> None:
        # The modules wait for their words, and the window's load does not.
        page.wait_for_load_state()
        route.continue_()

    page.route("**/de.json", serve)
    page.goto(home.link().replace("127.0.0.1", "localhost"))
    expect(page.locator(".tile").first).to_be_visible()
    expect(page.get_by_role("button", name="Alles aus")).to_be_visible()
    assert page.evaluate("navigator.serviceWorker.ready.then(({ active }) => active.scriptURL)").endswith("/sw.js")


def test_an_installed_page_opens_while_lightd_does_not_answer(home: Home, visit: Visit) -> None:
    page = visit(home.link().replace("127.0.0.1", "localhost"), service_workers="allow", expected="ERR_")
    expect(page.locator(".tile").first).to_be_visible()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    # As an address that takes a connection and says nothing.
    home.daemon.process.send_signal(signal.SIGSTOP)
    try:
        page.reload(wait_until="commit")
        expect(page.locator("#summary")).to_have_text("Connecting…")
        expect(page.locator(".tile")).to_have_count(0)
    finally:
        home.daemon.process.send_signal(signal.SIGCONT)
    expect(page.locator(".tile").first).to_be_visible()


def test_an_installed_page_opens_without_lightd_and_recovers(home: Home, visit: Visit) -> None:
    page = visit(home.link().replace("127.0.0.1", "localhost"), service_workers="allow", expected="ERR_|status of 5")
    expect(page.locator(".tile").first).to_be_visible()
    manifest = page.evaluate("fetch(document.querySelector('link[rel=manifest]').href).then(r => r.json())")
    assert manifest["name"] and manifest["icons"] and manifest["display"] == "standalone"
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    home.daemon.stop()
    try:
        page.reload()
        expect(page.get_by_role("heading", name="Not connected")).to_be_visible()
        expect(page.locator(".tile")).to_have_count(0)
    finally:
        home.daemon.start()
    expect(switch(section(page, "Living"), "Desk")).to_be_visible()
