"""Effects and gradients that other clients set: lightd shows them, and that they are somebody else's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import phue
import pytest
from aiohue import HueBridgeV2, create_app_key
from aiohue.v2.models.feature import EffectStatus, TimedEffectStatus
from lightd import Lightd
from lightsim import LOOPBACK, Lightsim, until
from python_hue_v2 import Hue

HOME = """
rooms:
  - name: Living
    lights:
      - { name: Strip, kind: gradient, on: true }
      - { name: Desk, kind: color, on: true }
"""
# Without a word in it that a bridge of API v1 has not.
V1 = f"discovery: {{mdns: false, hosts: ['{LOOPBACK}:80']}}\npolling: {{interval: 1s}}\n"


class Home:
    def __init__(self, place: Path, start: Callable[..., Lightsim], *options: str, configuration: str = "") -> None:
        (place / "home.yaml").write_text(HOME)
        self.bridge = start("--time-scale", "10", "--home", str(place / "home.yaml"), *options)
        self.daemon = Lightd(place, configuration) if configuration else Lightd(place)
        self.bridge.press_button()
        self.daemon.ask("POST", "/v1/messages", {"command": "pair"})
        self.bridge.press_button()

    def light(self, name: str) -> dict[str, Any]:
        return next(light for light in self.daemon.ask("GET", "/v1/lights") if light["name"] == name)

    def shows(self, name: str, **values: Any) -> None:
        """Waits until a light shows these values, confirmed, and says that it was another app."""

        def agrees() -> bool:
            light = self.light(name)
            return all(light.get(key) == value for key, value in values.items())

        until(agrees, f"{name}: {values}")
        light = self.light(name)
        assert light["freshness"] == "confirmed" and light["cause"]["kind"] == "elsewhere", light


@pytest.fixture
def home(tmp_path: Path, start: Callable[..., Lightsim]) -> Iterator[Home]:
    home = Home(tmp_path, start)
    yield home
    home.daemon.stop()


async def test_what_home_assistants_library_sets_is_shown(home: Home) -> None:
    async with HueBridgeV2(home.bridge.host, await create_app_key(home.bridge.host, "interop#aiohue")) as hue:
        desk = next(light for light in hue.lights if light.metadata.name == "Desk").id
        await hue.lights.set_state(desk, effect=EffectStatus.FIRE)
        home.shows("Desk", effect="fire")
        await hue.lights.set_state(desk, effect=EffectStatus.CANDLE, color_xy=(0.6, 0.3), effect_speed=0.75)
        home.shows("Desk", effect="candle", effect_speed=75)
        assert home.light("Desk")["effect_color"].startswith("rgb(100%,")
        await hue.lights.set_state(desk, effect=TimedEffectStatus.SUNRISE, transition_time=3_600_000)
        home.shows("Desk", effect="sunrise", effect_duration=3_600_000)
        # A colour ends it, as the bridge does.
        await hue.lights.set_state(desk, color_temp=300)
        home.shows("Desk", effect=None, temperature=300, mode="temperature")


def test_a_gradient_of_another_program_is_shown(home: Home) -> None:
    client = Hue(home.bridge.host)
    client.bridge.connect()
    strip = next(light for light in client.lights if light.metadata["name"] == "Strip")
    points = [{"color": {"xy": {"x": x, "y": y}}} for x, y in ((0.6, 0.32), (0.3, 0.55), (0.17, 0.1))]
    client.bridge.set_light(strip.light_id, "gradient", {"points": points, "mode": "random_pixelated"})
    home.shows("Strip", gradient_mode="random", mode="color", effect=None)
    assert len(home.light("Strip")["gradient"]) == 3
    client.bridge.set_light(strip.light_id, "effects_v2", {"action": {"effect": "prism"}})
    home.shows("Strip", effect="prism", gradient_mode="random")
    strip.color_xy = {"x": 0.5, "y": 0.4}
    home.shows("Strip", effect=None, gradient=None)


def test_a_loop_through_the_colours_is_shown_on_a_round_bridge(tmp_path: Path, start: Callable[..., Lightsim]) -> None:
    home = Home(tmp_path, start, "--model", "BSB001", configuration=V1)
    client = phue.Bridge(home.bridge.host, config_file_path=str(tmp_path / "python_hue"))
    client["Desk"].effect = "colorloop"
    home.shows("Desk", effect="colorloop")
    client["Desk"].effect = "none"
    home.shows("Desk", effect=None)
    home.daemon.stop()
