"""Homes that Home Assistant knows by MQTT alone: their names are others than those of the first."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path
from typing import Any

import requests
from home_assistant import HomeAssistant
from lightd import Lightd
from lightsim import Lightsim, until

# The first home's bridge has the usual ports at all addresses.
HTTP, HTTPS = 8080, 8443
HOME = """
rooms:
  - name: Hut
    lights:
      - { name: Porch, kind: color, on: true, mirek: 250 }
      - { name: Heater, kind: plug, on: true }
    accessories:
      - { name: Path, kind: motion }
      - { name: Door, kind: switch }
scenes:
  - name: Dusk
    group: Hut
    lights:
      Porch: { brightness: 30, mirek: 450 }
"""
AUTOMATIONS = """
automations:
  - name: Good night
    when: "23:00"
    do: turn off @Hut
"""


class Broker:
    """Debian's Mosquitto, which keeps what it has over a restart, but not what it is killed with."""

    address = "127.0.0.1"

    def __init__(self, place: Path) -> None:
        self.place = place
        lines = ["listener 1883 127.0.0.1", "allow_anonymous true", "user root"]
        (place / "mosquitto.conf").write_text("\n".join(lines) + "\n")

    def start(self) -> None:
        log = self.place / "mosquitto.log"
        log.write_text("")
        with log.open("wb") as output:
            command = ["/usr/sbin/mosquitto", "-c", str(self.place / "mosquitto.conf")]
            self.process = subprocess.Popen(command, stdout=output, stderr=output)
        until(lambda: " running" in log.read_text(), "the broker listens")

    def keep(self, count: int) -> None:
        """Has it keep as many messages of others."""

        def packet(kind: int, body: bytes) -> bytes:
            assert len(body) < 128
            return bytes([kind, len(body)]) + body

        def text(value: str) -> bytes:
            return len(value).to_bytes(2, "big") + value.encode()

        with socket.create_connection((self.address, 1883), timeout=60) as connection:
            connection.sendall(packet(0x10, text("MQTT") + b"\x04\x02\x00\x3c" + text("others")))
            assert connection.recv(4) == b"\x20\x02\x00\x00"
            for number in range(count):
                connection.sendall(packet(0x31, text(f"zigbee2mqtt/lamp-{number}") + b'{"state":"ON"}'))
            # The answer to a ping comes after all that was sent before it.
            connection.sendall(b"\xc0\x00")
            assert connection.recv(2) == b"\xd0\x00"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=60)


class Cabin:
    """A home on a broker, with a bridge at an address of its own."""

    def __init__(
        self, place: Path, broker: Broker, *options: str, home: str = HOME, host: str = "127.0.0.81", site: str = "cabin"
    ) -> None:
        self.host = host
        (place / "home.yaml").write_text(home)
        options = ("--time-scale", "10", "--home", str(place / "home.yaml"), *options)
        self.bridge = Lightsim(host, *options, http=HTTP, https=HTTPS)
        configuration = f"""
discovery: {{mdns: false, hosts: ['{host}:{HTTPS}']}}
limits: {{lights_per_second: 1000, groups_per_second: 1000}}
mqtt: {{broker: 'mqtt://{broker.address}', site: {site}, allow: full}}
"""
        self.daemon = Lightd(place, configuration)
        self.bridge.press_button()
        self.command("pair")

    def arrange(self) -> None:
        with self.daemon.local() as session:
            answer = session.put(
                f"{self.daemon.url}/v1/automations", data=AUTOMATIONS, headers={"Content-Type": "application/yaml"}
            )
            assert answer.ok, answer.text

    @staticmethod
    def connect(assistant: HomeAssistant, broker: Broker) -> None:
        """A person sets Home Assistant's MQTT integration up on its page."""
        flow = assistant.ask("POST", "config/config_entries/flow", {"handler": "mqtt", "show_advanced_options": False})
        data = {"broker": broker.address, "port": 1883, "other_settings": {"set_client_cert": False, "set_ca_cert": "off"}}
        done = assistant.ask("POST", f"config/config_entries/flow/{flow['flow_id']}", data)
        assert done["type"] == "create_entry", done

    def start(self) -> None:
        self.daemon.start()

    def command(self, command: str, **fields: Any) -> None:
        self.daemon.ask("POST", "/v1/messages", {"command": command, **fields})

    def tell(self, path: str, body: dict[str, Any]) -> None:
        """Makes something happen in the home."""
        self.bridge.control(f"/{path}", body)

    def remove(self, name: str) -> None:
        """As another app does."""
        key = self._pair()
        light = next(light for light in self.daemon.ask("GET", "/v1/lights") if light["name"] == name)
        address = f"https://{self.host}:{HTTPS}/clip/v2/resource"
        headers = {"hue-application-key": key}
        resource = f"light/{light['id'].split('/')[1]}"
        requests.packages.urllib3.disable_warnings()
        owner = requests.get(f"{address}/{resource}", headers=headers, verify=False, timeout=60).json()
        device = owner["data"][0]["owner"]["rid"]
        assert requests.delete(f"{address}/device/{device}", headers=headers, verify=False, timeout=60).ok

    def _pair(self) -> str:
        self.bridge.press_button()
        body = {"devicetype": "other#app", "generateclientkey": True}
        return requests.post(f"http://{self.host}:{HTTP}/api", json=body, timeout=60).json()[0]["success"]["username"]

    def light(self, name: str) -> dict[str, Any]:
        return next(light for light in self.daemon.ask("GET", "/v1/lights") if light["name"] == name)

    def shows(self, name: str, by: str, **values: Any) -> None:
        """Waits until lightd shows these values of a light, confirmed, and says who it was."""

        def agrees() -> bool:
            light = self.light(name)
            return light["freshness"] == "confirmed" and all(light.get(key) == value for key, value in values.items())

        until(agrees, f"{name}: {values}")
        assert self.light(name)["cause"]["by"] == by, self.light(name)

    def stop(self) -> None:
        self.daemon.stop()
        self.bridge.stop()
