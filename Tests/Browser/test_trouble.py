"""What the page says when something is away, and how it recovers."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

import requests
from home import Home, said, section, sign_in, slider, switch, tile
from lightsim import until
from looks import violations
from playwright.sync_api import Page, Route, expect

Visit = Callable[..., Page]


class Tunnel:
    """A network before lightd, whose connections can die without a word."""

    def __init__(self, port: int) -> None:
        self.target = port

    def __enter__(self) -> Tunnel:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.living: set[socket.socket] = set()
        self.all: list[socket.socket] = []
        Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for one in [self.server, *self.all]:
            one.close()

    def die(self) -> None:
        """What is open stays open, and carries nothing any more."""
        self.living.clear()

    def accept(self) -> None:
        with suppress(OSError):
            while True:
                client = self.server.accept()[0]
                daemon = socket.create_connection(("127.0.0.1", self.target))
                self.all += [client, daemon]
                self.living |= {client, daemon}
                for ends in ((client, daemon), (daemon, client)):
                    Thread(target=self.carry, args=ends, daemon=True).start()

    def carry(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if source in self.living:
                    sink.sendall(data)
            if source in self.living:
                sink.shutdown(socket.SHUT_WR)


# What the browser itself says about a server that is away.
AWAY = "ERR_"
# A lightd that is being stopped answers that it is, until its port is closed.
STOPPED = "ERR_|status of 503"


def test_a_restarted_lightd_is_found_again_without_a_reload(home: Home, visit: Visit) -> None:
    home.command("set", target="Desk", brightness=40, wait=True)
    page = visit(expected=AWAY)
    page.evaluate("window.marked = true")
    desk = slider(section(page, "Living"), "Desk")
    home.daemon.kill()
    try:
        expect(page.locator("#connection")).to_contain_text("Not connected since")
        # What was known is still shown, and cannot be changed.
        expect(desk).to_have_attribute("aria-valuenow", "40")
        desk.press("End")
        switch(section(page, "Living"), "Desk").click()
        expect(desk).to_have_attribute("aria-valuenow", "40")
        expect(page.locator("#announcer")).to_have_text("Not connected: nothing can be changed now.")
        expect(page.get_by_role("button", name="All off")).to_be_disabled()
        page.get_by_role("button", name="Menu").click()
        # It moves for less than a third of a second: who looks later sees nothing.
        page.locator("#connection").evaluate(
            "bubble => { bubble.animate = (...how) => (window.moved = true, Element.prototype.animate.apply(bubble, how)) }"
        )
        page.get_by_role("button", name="Pair a bridge").click()
        expect(page.get_by_role("heading", name="Looking for bridges…")).to_have_count(0)
        assert page.evaluate("window.moved")
        page.keyboard.press("Escape")
        home.bridge.control("/lights/Fan/switch")
    finally:
        home.daemon.start()
    page.get_by_role("button", name="Try now").click()
    expect(page.locator("#connection")).to_be_hidden()
    expect(switch(section(page, "Living"), "Fan")).to_be_checked()
    assert page.evaluate("window.marked") is True
    expect(tile(section(page, "Living"), "Desk")).to_have_attribute("data-freshness", "confirmed")
    desk.press("End")
    expect(desk).to_have_attribute("aria-valuenow", "100")
    expect(tile(section(page, "Living"), "Desk")).to_have_attribute("data-freshness", "confirmed")


def test_an_open_sheet_goes_on_with_its_lamp_after_a_restart(home: Home, visit: Visit) -> None:
    home.command("set", target="Desk", brightness=40, wait=True)
    page = visit(expected=STOPPED)
    slider(section(page, "Living"), "Desk").click()
    sheet = page.get_by_role("dialog")
    level = slider(sheet, "Brightness")
    expect(level).to_be_visible()
    home.bridge.stop()
    home.daemon.stop()
    home.daemon.start()
    try:
        # Of its lights, lightd knows nothing until the bridge answers.
        expect(page.locator("#empty")).to_contain_text("Waiting for")
        expect(page.locator(".tile")).to_have_count(0)
        expect(sheet).to_be_visible()
    finally:
        home.start_bridge()
    until(lambda: home.daemon.ask("GET", "/v1/lights"), "lightd knows its lights again", seconds=30)
    home.command("set", target="Desk", brightness=55, wait=True)
    expect(level).to_have_value("55")
    expect(page.locator("#connection")).to_be_hidden()
    level.press("End")
    until(lambda: home.light("Desk")["brightness"] == 100, "the sheet's slider sets the lamp")
    expect(page.locator("#toast")).not_to_contain_text("gone")


def test_the_sheet_of_a_room_that_is_deleted_closes(home: Home, visit: Visit) -> None:
    home.command("create_room", name="Den", kind="zone", targets=["desk"])
    # Its last changes may be asked for when it is gone.
    page = visit(expected="status of 404")
    slider(page, "All of Den").press("Enter")
    sheet = page.get_by_role("dialog")
    expect(sheet).to_contain_text("Den")
    home.command("delete_room", room="Den", kind="zone")
    expect(sheet).to_be_hidden()
    expect(page.locator("#toast")).to_have_text("\u2068Den\u2069 is gone.")


def test_the_log_goes_on_after_its_connection_died_in_silence(home: Home, visit: Visit) -> None:
    with Tunnel(8377) as tunnel:
        page = visit(home.link().replace(":8377", f":{tunnel.port}"))
        expect(page.locator(".tile").first).to_be_visible()
        page.clock.install()
        page.reload()
        page.get_by_role("button", name="Menu").click()
        page.get_by_role("button", name="Log").click()
        lines = page.get_by_role("dialog").get_by_role("listitem")
        home.lightctl("dim", "sofa", "61%")
        expect(lines.filter(has_text=said("set .Sofa. to 61%"))).to_have_count(1)
        tunnel.die()
        home.lightctl("dim", "sofa", "62%")
        page.clock.run_for(41_000)

        def is_followed() -> bool:
            # The browser may take up some more connections that are dead.
            page.clock.run_for(3000)
            return lines.filter(has_text=said("set .Sofa. to 62%")).count() > 0

        until(is_followed, "the log goes on")
        expect(lines.filter(has_text=said("set .Sofa. to 62%"))).to_have_count(1)
        expect(lines.filter(has_text=said("set .Sofa. to 61%"))).to_have_count(1)


def test_a_lightd_that_refuses_another_stream_is_heard(home: Home, visit: Visit) -> None:
    token = home.token("wall")
    streams: list[requests.Response] = []
    try:
        while not streams or streams[-1].ok:
            streams.append(requests.get(f"{home.url}v1/events", headers={"Authorization": f"Bearer {token}"},
                                        stream=True, timeout=60))  # fmt: skip
        page = visit(home.url, expected="status of (401|503)")
        sign_in(page, token)
        expect(page.locator("#connection")).to_contain_text("streams are open with this token")
        expect(page.locator("#empty")).to_contain_text("streams are open with this token")
        expect(page.locator("#empty")).not_to_contain_text("does not answer")
    finally:
        for stream in streams:
            stream.close()
    page.get_by_role("button", name="Try now").click()
    expect(page.locator(".tile").first).to_be_visible()


def test_a_page_recovers_by_itself(home: Home, visit: Visit) -> None:
    page = visit(expected=STOPPED)
    home.daemon.stop()
    try:
        expect(page.locator("#connection")).to_be_visible()
    finally:
        home.daemon.start()
    expect(page.locator("#connection")).to_be_hidden()
    expect(page.locator("#summary")).to_have_text(said("of 5 on"))


def test_a_phone_without_network_says_so_at_once(home: Home, visit: Visit) -> None:
    page = visit(expected=AWAY)
    page.context.set_offline(True)
    expect(page.locator("#connection")).to_contain_text("Not connected since")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert violations(page) == [], scheme
    page.context.set_offline(False)
    expect(page.locator("#connection")).to_be_hidden()


def test_a_slow_network_carries_the_lights_beside_the_page(home: Home, visit: Visit) -> None:
    page = visit()
    held: list[Route] = []
    page.route("**/app.js", lambda route: held.append(route))
    with page.expect_request("**/app.js"), page.expect_request("**/v1/page/events"):
        page.reload(wait_until="commit")
    # Asked for without the module that shows them.
    expect(page.locator(".tile")).to_have_count(0)
    held[0].continue_()
    expect(page.locator(".tile").first).to_be_visible()


def test_a_lost_bridge_is_said_in_words(home: Home, visit: Visit) -> None:
    page = visit()
    fan = tile(section(page, "Living"), "Fan")
    expect(fan).to_have_attribute("data-freshness", "confirmed")
    home.bridge.stop()
    try:
        expect(page.locator(".notice", has_text="Flat bridge is lost.")).to_be_visible()
        expect(fan).to_have_attribute("data-freshness", "stale")
        # Neither on nor off: nothing claims either, and both are offered.
        living = section(page, "Living")
        expect(living.get_by_role("button", name="Turn on Fan", exact=True)).to_be_visible()
        expect(switch(living, "Fan")).to_have_count(0)
        slider(living, "Desk").click()
        sheet = page.get_by_role("dialog")
        expect(sheet).to_contain_text("as it was at")
        expect(sheet.get_by_role("button", name="Turn on", exact=True)).to_be_visible()
        expect(sheet.get_by_role("button", name="Turn off", exact=True)).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Menu").click()
        expect(page.get_by_role("dialog")).to_contain_text(said("[Ll]ost"))
        # Power brings it back, and not its button.
        expect(page.get_by_role("button", name="Pair again")).to_have_count(0)
        page.keyboard.press("Escape")
    finally:
        home.start_bridge()
    expect(page.locator(".notice", has_text="Flat bridge is lost.")).to_have_count(0)
    expect(fan).to_have_attribute("data-freshness", "confirmed")


def test_a_lightd_that_starts_without_its_bridge_says_what_it_waits_for(home: Home, visit: Visit) -> None:
    home.bridge.stop()
    home.daemon.stop()
    home.daemon.start()
    try:
        page = visit(home.link())
        expect(page.get_by_role("heading", name="Waiting for Flat bridge.")).to_be_visible()
        expect(page.locator("#empty")).to_contain_text("Its lights appear here as soon as it answers.")
        expect(page.get_by_role("button", name="Pair a bridge")).to_have_count(0)
    finally:
        home.start_bridge()
    expect(tile(section(page, "Living"), "Desk")).to_be_visible(timeout=30_000)
    expect(page.locator("#empty")).to_be_hidden()


OLD = "0" * 32


def serve_old(route: Route) -> None:
    """The index as an older lightd served it."""
    answer = route.fetch()
    route.fulfill(response=answer, body=re.sub(r"/assets/\w+", f"/assets/{OLD}", answer.text()))


def make_old(page: Page, url: str) -> None:
    """Loads the page as one that an older lightd served, whose files had another name."""
    version = re.search(r"/assets/(\w+)", page.request.get(url).text())
    assert version is not None
    page.route(f"**/assets/{OLD}/*", lambda route: route.fulfill(
        response=route.fetch(url=route.request.url.replace(OLD, version[1]))))  # fmt: skip
    page.route(url, serve_old, times=1)
    page.goto(url)
    expect(page.locator(".tile").first).to_be_visible()


def test_a_page_of_an_older_lightd_loads_itself_anew_when_nobody_uses_it(home: Home, visit: Visit) -> None:
    page = visit()
    page.clock.install()
    make_old(page, home.url)
    page.evaluate("window.marked = true")
    slider(section(page, "Living"), "Desk").click()
    page.clock.run_for(60_000)
    # Not from under a hand.
    expect(page.get_by_role("dialog")).to_be_visible()
    assert page.evaluate("window.marked") is True
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.clock.run_for(6000)
    expect(page.locator(f"link[rel=stylesheet][href*='{OLD}']")).to_have_count(0)
    expect(page.locator(".tile").first).to_be_visible()


def test_a_page_that_stays_old_says_so(home: Home, visit: Visit) -> None:
    page = visit()
    page.clock.install()
    make_old(page, home.url)
    with page.expect_navigation():
        page.route(home.url, serve_old)
        page.clock.run_for(6000)
    expect(page.locator(".tile").first).to_be_visible()
    page.clock.run_for(6000)
    expect(page.locator("#toast")).to_contain_text("lightd was updated")
    page.unroute(home.url)
    page.get_by_role("button", name="Reload").click()
    expect(page.locator(f"link[rel=stylesheet][href*='{OLD}']")).to_have_count(0)


def test_a_lamp_without_power_says_what_it_will_do_when_it_has_power(home: Home, visit: Visit) -> None:
    home.command("turn", to="off", target="Sofa", wait=True)
    page = visit()
    sofa = tile(section(page, "Living"), "Sofa")
    home.bridge.control("/lights/Sofa/mains", {"on": False})
    try:
        home.command("turn", to="on", target="Sofa")
        expect(sofa).to_contain_text("No answer")
        expect(sofa).to_have_attribute("data-freshness", "unreachable")
        expect(sofa).to_contain_text("Comes on when it has power")
        # The bridge refuses what it cannot bring to the lamp: lightd keeps it all the same.
        with home.daemon.local() as session:
            for to in ("off", "on"):
                command = {"command": "turn", "to": to, "target": "Sofa"}
                assert not session.post(f"{home.daemon.url}/v1/messages", json=command, timeout=60).ok
                expect(sofa).to_contain_text(
                    "Comes on when it has power" if to == "on" else "Stays off when it has power again"
                )
    finally:
        home.bridge.control("/lights/Sofa/mains", {"on": True})
    expect(sofa).to_have_attribute("data-freshness", "confirmed")
    expect(sofa).to_have_attribute("data-state", "on")
    expect(sofa).not_to_contain_text("when it has power")


def test_what_the_page_cannot_show_is_said_and_not_asked_for_without_end(home: Home, visit: Visit) -> None:
    page = visit(expected="TypeError")
    page.clock.install()
    asked: list[str] = []

    def serve(route: Route) -> None:
        asked.append(route.request.url)
        # Without what every frame has.
        route.fulfill(content_type="text/event-stream", body='event: page\ndata: {"tiles":{}}\n\n')

    page.route("**/v1/page/events", serve)
    page.context.set_offline(True)
    page.context.set_offline(False)
    bubble = page.locator("#connection")
    expect(bubble).to_contain_text("Something went wrong on this page")
    for _ in range(60):
        page.clock.run_for(1000)
    # After 0.3, 1, 2, 4, 8, 15, 15 s, and some of chance.
    assert 3 <= len(asked) <= 12
    expect(bubble).to_contain_text("Something went wrong on this page")
    page.unroute("**/v1/page/events")
    bubble.get_by_role("button", name="Reload").click()
    expect(page.locator("#summary")).to_have_text(said("of 5 on"))
    expect(bubble).to_be_hidden()


def test_a_refusal_that_is_no_sign_out_is_said_in_the_words_of_lightd(home: Home, visit: Visit) -> None:
    page = visit(expected="status of 403")
    refusal = {"code": "not_allowed", "message": "lightd does not answer to 'lights.example'", "hint": "add it to tcp.names"}
    page.route("**/v1/page/events", lambda route: route.fulfill(status=403, json={"error": refusal}))
    page.reload()
    expect(page.locator("#empty")).to_contain_text("Lightd does not answer to 'lights.example'. Add it to tcp.names.")
    expect(page.get_by_label("Link or access code")).to_have_count(0)
    page.unroute("**/v1/page/events")
    page.get_by_role("button", name="Try now").click()
    expect(page.locator(".tile").first).to_be_visible()
