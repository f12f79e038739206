"""The home: a bridge, a controller and a phone on one ethernet, and what people do with them."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from host import PLACE, Bridge, Host, Outcome, Running, Transcript, until

LIGHTD_DEB, LIGHTSIM_DEB = Path(os.environ["LIGHTD_DEB"]), Path(os.environ["LIGHTSIM_DEB"])
UNIT = "lightd.service"
# The service, and the socket by which the next command would start it again.
UNITS = "$(cd /lib/systemd/system && echo lightd.*)"
STOP = f"systemctl stop {UNITS}"
STATE = "/var/lib/private/lightd"
CONFIGURATION = "/etc/lightd/lightd.yaml"
PORT = 8377

AUTOMATION = """automations:
  - name: Night
    when: 23:30 sun-thu
    do: turn off @Living --over 1m
"""


class Home:
    def __init__(self) -> None:
        self.bridge = Bridge("bridge", "192.168.68.2", "b" * 32)
        self.controller = Host("controller", "192.168.68.3", "c" * 32)
        self.phone = Host("phone", "192.168.68.4", "d" * 32)
        self.hosts: list[Host] = [self.bridge, self.controller, self.phone]
        self.token = ""
        # What no log may ever show, by what it is.
        self.secrets: dict[str, str] = {}
        # By their numbers. What libraries print there says nothing of lightd.
        self.processes_with_a_false_clock: set[str] = set()
        # What was measured, for the end of the run.
        self.figures: list[str] = []
        self.transcript = Transcript(PLACE / "transcript.txt")

    # Building

    def boot(self) -> None:
        """Boots the hosts, which have nothing of lightd yet."""
        self._lay_cables()
        with ThreadPoolExecutor() as workers:
            list(workers.map(lambda host: host.start(), self.hosts))

    def furnish(self) -> None:
        """Goes through the installation as a person does it."""
        with ThreadPoolExecutor() as workers:
            steps = [self._install_bridge, self._install_controller, self._install_phone]
            for step in [workers.submit(step) for step in steps]:
                step.result()
        self._pair()
        self._let_the_phone_in()
        self.controller.write("/root/automations.yaml", AUTOMATION)
        self.lightctl("automation apply /root/automations.yaml")

    def _lay_cables(self) -> None:
        def ip(*arguments: str) -> None:
            subprocess.run(["ip", *arguments], check=True)

        # A switch that floods multicast, because nobody here asks who wants it.
        ip("link", "add", "home", "type", "bridge", "mcast_snooping", "0")
        ip("link", "set", "home", "up")
        for host in self.hosts:
            ip("netns", "add", host.name)
            ip("link", "add", host.name, "type", "veth", "peer", "name", "eth0", "netns", host.name)
            ip("link", "set", host.name, "master", "home", "up")
            host.ip("link", "set", "lo", "up")
            host.ip("address", "add", f"{host.address}/24", "dev", "eth0")
            host.ip("link", "set", "eth0", "up")

    def _install_bridge(self) -> None:
        bridge = self.bridge
        shutil.copy(LIGHTSIM_DEB, bridge.path("/srv"))
        bridge.run(f"apt-get install --yes /srv/{LIGHTSIM_DEB.name}")
        bridge.write("/etc/systemd/system/bridge.service", Bridge.UNIT)
        bridge.run("systemctl enable --now bridge.service")
        until(lambda: bridge.attempt(f"ss -Hltn 'sport = :{Bridge.CONTROL}'").output, "the bridge runs")

    def _install_phone(self) -> None:
        self.phone.run("apt-get install --yes curl")
        # It needs no lightd, and so no package: lightctl is one static program.
        with tempfile.TemporaryDirectory() as tree:
            subprocess.run(["dpkg-deb", "--extract", LIGHTD_DEB, tree], check=True)
            shutil.copy(f"{tree}/usr/bin/lightctl", self.phone.path("/usr/local/bin"))

    def _install_controller(self) -> None:
        # Its progress bar would be all over the transcript.
        self.controller.write("/etc/apt/apt.conf.d/99plain", 'Binary::apt::Dpkg::Progress-Fancy "false";\n')
        shutil.copy(LIGHTD_DEB, self.controller.path("/root"))
        self.transcript.run(self.controller, f"apt install --yes ./{LIGHTD_DEB.name}")
        self.transcript.run(self.controller, "systemctl status lightd")

    def _pair(self) -> None:
        def press_button(pairing: Running) -> None:
            pairing.wait_for("press the")
            self.bridge.control("/button")

        run = self.transcript.run
        run(self.controller, "lightctl discover")
        self.transcript.note("While this waits, somebody presses the bridge's link button.")
        run(self.controller, "lightctl pair", during=press_button)
        self.settle()
        run(self.controller, "lightctl list")
        run(self.controller, "lightctl on all")
        for light in self.bridge.lights:
            self.lamp_shows(light, on=True)
        run(self.controller, "lightctl status")
        self.secrets |= self.keys_of_bridges()

    def _let_the_phone_in(self) -> None:
        self.configure("  enabled: false\n", "  enabled: true\n", within="tcp:")
        self.configure("  host: 127.0.0.1\n", "  host: 0.0.0.0\n", within="tcp:")
        self.controller.run("systemctl restart lightd")
        self.settle()
        self.token = self.make_token("phone")
        self.transcript.note("/etc/lightd/lightd.yaml now has tcp: {enabled: true, host: 0.0.0.0}.")
        self.transcript.note("The file 'token' on the phone has the token of 'lightctl token create phone'.")
        self.phone.write("/root/token", f'silent\nheader = "Authorization: Bearer {self.token}"\n', 0o600)
        self.phone.write("/root/lightd.token", f"{self.token}\n", 0o600)
        url = f"http://{self.controller.address}:{PORT}/v1"
        command = '{"command": "turn", "to": "off", "target": "all"}'
        self.transcript.run(self.phone, f"curl --config token {url}/status")
        self.transcript.run(self.phone, f"curl --config token --json '{command}' {url}/messages")
        for light in self.bridge.lights:
            self.lamp_shows(light, on=False)

    def keep_journals(self) -> None:
        for host in self.hosts:
            host.keep_journal()

    # lightd

    def lightctl(self, arguments: str, timeout: float = 60) -> str:
        return self.controller.run(f"lightctl {arguments}", timeout)

    def lightctl_json(self, arguments: str) -> Any:
        return json.loads(self.lightctl(f"--json {arguments}"))

    def configure(self, old: str, new: str, within: str = "") -> None:
        """Changes the first `old` in lightd.yaml, after the line that begins with `within`."""
        text = self.controller.path(CONFIGURATION).read_text()
        start = text.index(f"\n{within}") if within else 0
        assert old in text[start:], f"{CONFIGURATION} has no {old!r} in {within!r}"
        self.controller.path(CONFIGURATION).write_text(text[:start] + text[start:].replace(old, new, 1))

    def is_active(self) -> bool:
        return self.controller.attempt(f"systemctl is-active {UNIT}").code == 0

    def is_connected(self) -> bool:
        outcome = self.controller.attempt("lightctl --json status")
        return outcome.code == 0 and any(bridge["connected"] for bridge in json.loads(outcome.output)["bridges"])

    def settle(self, seconds: float = 60) -> None:
        """Waits until lightd runs and follows the bridge."""
        until(self.is_active, "lightd runs", seconds)
        until(self.is_connected, "lightd follows the bridge", seconds)

    @contextmanager
    def measured(self, what: str) -> Iterator[None]:
        """Notes how long it takes, with some tenths for the looking; no bound, as machines differ."""
        start = time.monotonic()
        yield
        self.figures.append(f"{what}: {time.monotonic() - start:.1f} s")

    def switches(self) -> None:
        """Holds lightd to what it is for: commands reach the lamps."""
        for power in ("on", "off"):
            self.lightctl(f"turn {power} Desk --wait")
            self.lamp_shows("Desk", on=power == "on")

    def lamp_shows(self, light: str, **values: Any) -> None:
        """Waits until a lamp really shows these values."""
        shown: dict[str, Any] = {}

        def does() -> bool:
            shown.update(self.bridge.shows(light))
            return shown.items() >= values.items()

        until(does, f"{light} shows {values}")

    def make_token(self, name: str, read_only: bool = False) -> str:
        token = self.lightctl_json(f"token create {name}{' --read-only' if read_only else ''}")["token"]
        self.secrets[f"the token {name}"] = token
        return token

    def journal(self, arguments: str = f"--unit={UNIT} --lines=30 --output=cat") -> str:
        """What the controller's journal has of all that was written until now; by default, the last of lightd's unit."""
        return self.controller.run(f"journalctl --sync && journalctl {arguments}")

    # lightd's process

    def setting(self, name: str) -> str:
        return self.controller.run(f"systemctl show --property={name} --value {UNIT}").strip()

    @property
    def pid(self) -> int:
        """The number of lightd's process in the controller; 0 if it is not running."""
        return int(self.setting("MainPID"))

    @property
    def restarts(self) -> int:
        return int(self.setting("NRestarts"))

    def pid_outside(self) -> int:
        """The number that lightd's process has for us."""
        inside = self.pid
        namespace = os.readlink(f"/proc/{self.controller.leader}/ns/pid")
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(process / "ns/pid") != namespace:
                    continue
                numbers = re.search(r"^NSpid:(.*)$", (process / "status").read_text(), re.MULTILINE)
            except OSError:  # it has ended
                continue
            if numbers and int(numbers[1].split()[-1]) == inside:
                return int(process.name)
        raise AssertionError(f"the controller has no process {inside}")

    def connections(self) -> set[str]:
        """The local ends of lightd's connections to the bridge: the same ones later are the same connections."""
        lines = self.controller.run("ss -Htn state established '( dport = :443 )'").splitlines()
        return {line.split()[2] for line in lines}

    def await_replacement(self, pid: int) -> None:
        """Waits until another process than this one is lightd and follows the bridge."""
        until(lambda: self.pid not in (0, pid), f"lightd is another process than {pid}")
        self.settle()

    @contextmanager
    def drop_in(self, name: str, text: str) -> Iterator[None]:
        """Changes lightd's unit for a while."""
        path = f"/run/systemd/system/{UNIT}.d/{name}.conf"
        self.controller.write(path, text)
        self.controller.run("systemctl daemon-reload && systemctl restart lightd")
        try:
            self.settle()
            yield
        finally:
            self.controller.path(path).unlink()
            self.controller.run("systemctl daemon-reload && systemctl restart lightd")
            self.settle()

    # What lightd keeps

    def database(self, query: str) -> list[tuple[Any, ...]]:
        """Reads lightd's database, as it is at this moment."""
        with tempfile.TemporaryDirectory() as copy:
            for name in ("lightd.sqlite", "lightd.sqlite-wal"):
                if (file := self.controller.path(f"{STATE}/{name}")).exists():
                    shutil.copy(file, copy)
            database = sqlite3.connect(f"{copy}/lightd.sqlite")
            try:
                return database.execute(query).fetchall()
            finally:
                database.close()

    def keys_of_bridges(self) -> dict[str, str]:
        keys = {}
        for bridge, key, client_key in self.database("SELECT id, key, clientKey FROM bridge"):
            keys[f"the key of {bridge}"] = key
            if client_key:
                keys[f"the client key of {bridge}"] = client_key
        assert keys, "no bridge is saved"
        return keys

    def kept(self) -> dict[str, Any]:
        """What must survive whatever happens."""
        return {
            "bridges": self.database("SELECT id, key, trust, pin FROM bridge ORDER BY id"),
            "tokens": self.database("SELECT name, access, digest FROM token ORDER BY name"),
            "automations": self.lightctl("automation export"),
            "lights": sorted(light["name"] for light in self.lightctl_json("list lights")),
        }

    # The phone

    def from_phone(self, path: str, token: str | None = None, body: dict[str, str] | None = None) -> Outcome:
        """A request by curl, with the phone's token or another one. The output ends with a line with the status."""
        command = self.phone_command(path, token, body)
        return self.phone.attempt(f"{command} --max-time 20 --write-out '\\n%{{http_code}}'")

    def lightctl_on_phone(self, arguments: str) -> str:
        """lightctl over TCP, with the phone's token: in clear text, which it does not do unasked."""
        url = f"http://{self.controller.address}:{PORT}"
        return self.phone.run(f"lightctl --insecure --url {url} --token-file lightd.token {arguments}")

    def phone_command(self, path: str, token: str | None = None, body: dict[str, str] | None = None) -> str:
        given = self.token if token is None else token
        header = f"--header 'Authorization: Bearer {given}'" if given else ""
        data = f"--json '{json.dumps(body)}'" if body else ""
        return f"curl --silent --show-error --no-buffer {header} {data} http://{self.controller.address}:{PORT}{path}"
