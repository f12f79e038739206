"""A home for the browser: a simulated bridge, and a lightd with its page."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from socket import socket
from typing import Any

import requests
from lightd import Lightd
from lightsim import LOOPBACK, REPOSITORY, Lightsim, until
from playwright.sync_api import Locator, Page, Route

LIGHTCTL = os.environ.get("LIGHTCTL", str(REPOSITORY / ".build/debug/lightctl"))
# The bridge takes as much as it is sent. lightd's own limits are the usual ones: the page is told of them.
BRIDGE = ["--time-scale", "10", "--quirk", "unlimited"]
CONFIGURATION = f"""
discovery: {{mdns: false, hosts: ['{LOOPBACK}:443']}}
tcp: {{enabled: true, port: 8377}}
"""


class Home:
    """A small flat, or the home of a file in YAML; `more` is of lightd's configuration; the bridge's time runs ten times as fast as ours."""

    def __init__(self, place: Path, *, paired: bool = True, file: str | None = None, more: str = "") -> None:
        self.place = place
        self.options = ["--state-dir", str(place / "bridge"), *BRIDGE]
        if file:
            (place / "home.yaml").write_text(file)
            self.options += ["--home", str(place / "home.yaml")]
        self.start_bridge()
        self.daemon = Lightd(place, CONFIGURATION + more)
        self.url = f"{self.daemon.url}/"
        if paired:
            self.bridge.press_button()
            self.command("pair")

    def start_bridge(self) -> None:
        """Also again, after it was stopped: it knows its lights and its keys."""
        self.bridge = Lightsim(LOOPBACK, *self.options)

    def stop(self) -> None:
        self.daemon.stop()
        self.bridge.stop()

    def command(self, command: str, **fields: Any) -> Any:
        """As another client on this machine sends it."""
        return self.daemon.ask("POST", "/v1/messages", {"command": command, **fields})

    def lightctl(self, *arguments: str) -> str:
        command = [LIGHTCTL, "--socket", str(self.daemon.socket), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout

    def link(self, access: str = "full", **more: str) -> str:
        """The address that signs a page in, once. There is one as soon as lightd listens on TCP, which may be later than at
        its socket."""

        def made() -> str | None:
            with self.daemon.local() as session:
                answer = session.post(f"{self.daemon.url}/v1/links", json={"access": access, **more}, timeout=60)
            # That the port takes connections is not enough: lightd learns of it a moment later.
            if "does not listen on TCP at this moment" in answer.text:
                return None
            assert answer.ok, answer.text
            return answer.json()["url"]

        return until(made, "lightd listens on TCP", 20)

    def session(self, access: str = "full") -> list[dict[str, Any]]:
        """The cookies of a browser that a link has signed in."""
        link = self.link(access).split("#join=")[1]
        answer = requests.post(f"{self.url}v1/session", json={"link": link}, timeout=60)
        assert answer.ok, answer.text
        return [
            {"name": name, "value": value, "url": self.url, "httpOnly": True, "sameSite": "Strict"}
            for name, value in answer.cookies.items()
        ]

    def listens(self) -> bool:
        with socket() as tcp:
            return tcp.connect_ex(("127.0.0.1", 8377)) == 0

    def token(self, name: str, access: str = "full") -> str:
        return self.daemon.ask("POST", "/v1/tokens", {"name": name, "access": access})["token"]

    def light(self, name: str) -> dict[str, Any]:
        """As lightd knows it."""
        return next(light for light in self.daemon.ask("GET", "/v1/lights") if light["name"] == name)

    def is_on(self, name: str) -> bool:
        return self.light(name)["power"] == "on"

    def rename(self, old: str, new: str) -> None:
        """A light; again, if it was not done: on a busy machine the bridge may be lost before it has answered."""

        def renamed() -> bool:
            names = [light["name"] for light in self.daemon.ask("GET", "/v1/lights")]
            if new not in names:
                with self.daemon.local() as session:
                    command = {"command": "rename", "target": old, "name": new}
                    session.post(f"{self.daemon.url}/v1/messages", json=command, timeout=60)
            return new in names

        until(renamed, f"'{old}' is called '{new}'")

    def pin(self, *names: str) -> None:
        for name in names:
            self.lightctl("dashboard", "pin", name)

    def unpin(self, *names: str) -> None:
        for name in names:
            self.lightctl("dashboard", "unpin", name)

    def sent(self, name: str) -> list[dict[str, Any]]:
        """What the bridge was told about this light alone, oldest first."""
        path = "/clip/v2/resource/light/" + self.light(name)["id"].split("/")[-1]
        return [
            json.loads(one["body"]) for one in self.bridge.requests if one["method"] == "PUT" and one["path"] == path
        ]


class OtherApp:
    """Another app at the bridge, with a key of its own."""

    def __init__(self, home: Home) -> None:
        # The certificate is the simulator's own; the machine's settings say nothing about it.
        self.home, self.session = home, requests.Session()
        self.session.verify, self.session.trust_env = False, False
        home.bridge.press_button()
        answer = self.session.post(f"https://{LOOPBACK}/api", json={"devicetype": "other#app"}, timeout=60)
        self.session.headers["hue-application-key"] = answer.json()[0]["success"]["username"]

    def ask(self, method: str, name: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Of a light: its resource, or what an update is answered with."""
        resource = self.home.light(name)["id"].split("/")[-1]
        url = f"https://{LOOPBACK}/clip/v2/resource/light/{resource}"
        answer = self.session.request(method, url, json=body, timeout=60)
        assert answer.ok, answer.text
        return answer.json()["data"][0]

    def effect(self, name: str) -> str:
        return self.ask("GET", name)["effects_v2"]["status"]["effect"]

    def points(self, name: str) -> list[tuple[float, float]]:
        """The points of its gradient, in CIE 1931."""
        points = [point["color"]["xy"] for point in self.ask("GET", name)["gradient"]["points"]]
        return [(point["x"], point["y"]) for point in points]


def reach_from_phones(page: Page) -> None:
    """Lets the page's links look as those of a lightd that others can reach."""

    def serve(route: Route) -> None:
        answer = route.fetch()
        link = answer.json()
        assert "only this machine" in link.pop("hint")
        route.fulfill(response=answer, json=link)

    page.route("**/v1/links", serve)


def section(page: Page, name: str) -> Locator:
    """A room, a zone or what is pinned."""
    return page.get_by_role("region", name=name, exact=True)


def tile(within: Page | Locator, name: str) -> Locator:
    """The tile of a light, wherever it is seen."""
    return within.locator(".tile").filter(has=within.page.locator(named(name)) if isinstance(within, Locator) else
                                          within.locator(named(name)))  # fmt: skip


def named(name: str) -> str:
    """What names the tile of a light, or of a whole room: "All of Living"."""
    return f'h3:text-is("{name}"), .surface[aria-label="{name}"], .surface[aria-label^="{name}: "]'


def slider(within: Page | Locator, name: str) -> Locator:
    return within.get_by_role("slider", name=name, exact=True)


def switch(within: Page | Locator, name: str) -> Locator:
    return within.get_by_role("switch", name=name, exact=True)


def look_at(sheet: Locator, tone: str) -> None:
    """Of what a lamp can show: white, colour, gradient or effect."""
    sheet.get_by_role("tab", name=tone, exact=True).click()


def said(text: str) -> re.Pattern[str]:
    return re.compile(text)


def sign_in(page: Page, token: str) -> None:
    page.get_by_label("Link or access code").fill(token)
    page.keyboard.press("Enter")
