"""A home with a Bridge Pro, lightd and Home Assistant, each of which is an app of its own to the bridge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from home_assistant import HomeAssistant
from lightd import Lightd
from lightsim import Lightsim, until

HOME = """
rooms:
  - name: Living
    lights:
      - { name: Strip, kind: gradient, on: true }
      - { name: Desk, kind: color, on: true }
      - { name: Shelf, kind: ambiance, on: true }
scenes:
  - name: Rainbow
    group: Living
    lights:
      Strip: { brightness: 60, gradient: [[0.64, 0.33], [0.3, 0.6], [0.16, 0.06]] }
      Desk: { brightness: 60, effect: opal }
      Shelf: { brightness: 60, mirek: 400 }
motion_areas:
  - { name: Presence, room: Living }
"""


class Home:
    """One in which the bridge's time runs ten times as fast as ours."""

    def __init__(self, place: Path, assistant: HomeAssistant) -> None:
        (place / "home.yaml").write_text(HOME)
        self.assistant = assistant
        # A bridge is announced at all addresses of its machine, so it listens at all of them.
        options = ["--advertise", "--model", "BSB003", "--time-scale", "10", "--home", str(place / "home.yaml")]
        self.bridge = Lightsim("0.0.0.0", *options)
        self.daemon = Lightd(place)
        self.bridge.press_button()
        self.command("pair")
        self._add_to_home_assistant()

    def _add_to_home_assistant(self) -> None:
        """Home Assistant finds the bridge by mDNS, and a person sets it up on its page."""
        assistant = self.assistant

        def found() -> str | None:
            flows = assistant.call("config_entries/flow/progress")
            return next((flow["flow_id"] for flow in flows if flow["handler"] == "hue"), None)

        flow = f"config/config_entries/flow/{until(found, 'Home Assistant finds the bridge')}"
        assert assistant.ask("GET", flow)["step_id"] == "link"
        self.bridge.press_button()
        assert assistant.ask("POST", flow, {})["type"] == "create_entry"
        assistant.entity("light", "Desk")

    def command(self, command: str, **fields: Any) -> None:
        """As a client of lightd sends it."""
        self.daemon.ask("POST", "/v1/messages", {"command": command, **fields})

    def light(self, name: str) -> dict[str, Any]:
        return next(light for light in self.daemon.ask("GET", "/v1/lights") if light["name"] == name)

    def shows(self, name: str, **values: Any) -> None:
        """Waits until lightd shows these values of a light, confirmed, and says that it was another app."""

        def agrees() -> bool:
            light = self.light(name)
            return light["freshness"] == "confirmed" and all(light.get(key) == value for key, value in values.items())

        until(agrees, f"{name}: {values}")
        assert self.light(name)["cause"]["kind"] == "elsewhere", self.light(name)

    def stop(self) -> None:
        self.daemon.stop()
        self.bridge.stop()
