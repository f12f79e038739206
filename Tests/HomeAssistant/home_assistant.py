"""Starts and stops the Home Assistant that scripts/home-assistant has installed, and uses it as its page does."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import requests
import websocket
from lightsim import until

PLACE = Path(os.environ["LIGHTD_TEST_HOME_ASSISTANT"])
ROOT = PLACE / "root"
# Without default_config, and so without most of what looks for devices or asks the internet. The page is not installed, because
# it is larger than all the rest; but without a place for it Home Assistant would start only to be repaired.
CONFIGURATION = """
homeassistant: {name: Home, time_zone: UTC, unit_system: metric, country: DE, language: en,
  latitude: 52.5, longitude: 13.4, elevation: 34}
http: {server_host: 127.0.0.1}
frontend: {development_repo: /config/page}
zeroconf:
"""
# A line of its log with what went wrong; what begins otherwise goes on with the line before.
TROUBLE = re.compile(r"^\S+ \S+ (?:WARNING|ERROR|CRITICAL) .*(?:\n(?!\d{4}-\d\d-\d\d ).*)*", re.MULTILINE)


class HomeAssistant:
    """A running Home Assistant with one user and nothing set up."""

    address = "127.0.0.1:8123"

    def __init__(self) -> None:
        self.log = PLACE / "home-assistant.log"
        (ROOT / "config/page").mkdir()
        (ROOT / "config/configuration.yaml").write_text(CONFIGURATION)
        self.session = requests.Session()
        self._run()
        self._sign_in()
        self._open()

    def _run(self) -> None:
        python = ["chroot", str(ROOT), "/srv/homeassistant/bin/python"]
        # Nothing of this machine's environment gets in.
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}
        command = [*python, "-m", "homeassistant", "--config=/config", "--skip-pip"]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        until(self._answers, "Home Assistant answers", 120)

    def _open(self) -> None:
        self._socket = websocket.create_connection(f"ws://{self.address}/api/websocket", timeout=60)
        self._receive("auth_required")
        self._socket.send(json.dumps({"type": "auth", "access_token": self.token}))
        self._receive("auth_ok")
        self._calls = 0
        until(lambda: self.ask("GET", "config")["state"] == "RUNNING", "Home Assistant has started", 120)
        self._heard = len(self.log.read_text())

    def start(self) -> None:
        """Again, with what it kept when it was stopped."""
        self._run()
        self._open()

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        try:
            # Whoever may use it: it tells everybody that it has users.
            return self.session.get(f"http://{self.address}/api/onboarding", timeout=60).status_code in (200, 404)
        except requests.ConnectionError:
            return False

    def _sign_in(self) -> None:
        """As its first user, whose name and password it asks for on the first page that it shows."""
        client = f"http://{self.address}/"
        user = {"name": "Person", "username": "person", "password": "a password", "client_id": client, "language": "en"}
        code = self.ask("POST", "onboarding/users", user)["auth_code"]
        grant = {"grant_type": "authorization_code", "code": code, "client_id": client}
        answer = self.session.post(f"{client}auth/token", data=grant, timeout=60)
        assert answer.ok, answer.text
        self.token = answer.json()["access_token"]
        self.session.headers["Authorization"] = f"Bearer {self.token}"

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """By its HTTP API; the answer must be a success."""
        answer = self.session.request(method, f"http://{self.address}/api/{path}", json=body, timeout=60)
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text}\n{self.log.read_text()[-2000:]}"
        return answer.json()

    def call(self, kind: str, **fields: Any) -> Any:
        """By its WebSocket API, which has what only its page needs; the answer must be a success."""
        self._calls += 1
        self._socket.send(json.dumps({"id": self._calls, "type": kind, **fields}))
        answer = self._receive("result")
        assert answer["success"], answer
        return answer["result"]

    def _receive(self, kind: str) -> dict[str, Any]:
        answer = json.loads(self._socket.recv())
        assert answer["type"] == kind, answer
        return answer

    def entity(self, domain: str, name: str) -> str:
        """The id of an entity, by the name that people see; waits until there is one."""

        def found() -> str | None:
            states = self.ask("GET", "states")
            ids = (state["entity_id"] for state in states if state["attributes"].get("friendly_name") == name)
            return next((id for id in ids if id.startswith(f"{domain}.")), None)

        return until(found, f"Home Assistant has a {domain} called {name}")

    def act(self, action: str, entity: str, **data: Any) -> None:
        """Performs an action, such as light.turn_on, as its page and its automations do."""
        domain, name = action.split(".")
        self.ask("POST", f"services/{domain}/{name}", {"entity_id": entity, **data})

    def state(self, entity: str) -> dict[str, Any]:
        """What it shows of an entity: the attributes, and among them the state itself, as `state`."""
        answer = self.ask("GET", f"states/{entity}")
        return {**answer["attributes"], "state": answer["state"]}

    def shows(self, entity: str, **values: Any) -> None:
        """Waits until it shows these values of an entity."""

        def agrees() -> bool:
            state = self.state(entity)
            return all(state.get(key) == value for key, value in values.items())

        until(agrees, f"{entity}: {values}")

    def troubles(self) -> list[str]:
        """The warnings and errors in its log since this was asked last, or since it had started."""
        text = self.log.read_text()
        new, self._heard = text[self._heard :], len(text)
        return [trouble[0] for trouble in TROUBLE.finditer(new)]

    def stop(self) -> None:
        self._socket.close()
        self.process.terminate()
        status = self.process.wait(timeout=60)
        assert status == 0, f"Home Assistant ended with status {status}:\n{self.log.read_text()[-4000:]}"
