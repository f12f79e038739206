"""Home Assistant's MQTT integration and lightd on one broker: each kind of entity, each command, each way something ends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cabin import Broker, Cabin
from home_assistant import HomeAssistant
from lightsim import until


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    broker = Broker(tmp_path_factory.mktemp("broker"))
    broker.start()
    # A broker of a large home, of which lightd has its own part alone.
    broker.keep(20_000)
    yield broker
    broker.stop()


@pytest.fixture(scope="module")
def cabin(assistant: HomeAssistant, broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cabin]:
    cabin = Cabin(tmp_path_factory.mktemp("cabin"), broker)
    cabin.arrange()
    cabin.connect(assistant, broker)
    yield cabin
    cabin.stop()


def test_each_kind_of_entity_appears_with_its_state(cabin: Cabin, assistant: HomeAssistant) -> None:
    porch = assistant.entity("light", "Porch")
    assert porch == "light.porch"
    assistant.shows(porch, state="on", supported_color_modes=["color_temp", "xy"])
    assert "candle" in assistant.state(porch)["effect_list"] and "sunrise" not in assistant.state(porch)["effect_list"]
    assert assistant.state(porch)["freshness"] == "confirmed"
    heater = assistant.entity("light", "Heater")
    assert assistant.state(heater)["supported_color_modes"] == ["onoff"]
    room = assistant.entity("light", "Hut")
    assert sorted(assistant.state(room)["group_entities"]) == sorted([porch, heater])
    assistant.shows(assistant.entity("select", "Hut Scene"), options=["Dusk"])
    assistant.shows(assistant.entity("select", "Porch Power-on behaviour"), state="safety")
    assistant.entity("scene", "Hut Dusk")
    assistant.entity("button", "Porch Identify")
    assistant.shows(assistant.entity("binary_sensor", "Path Motion"), state="off")
    assistant.shows(assistant.entity("sensor", "Path Temperature"), unit_of_measurement="°C")
    assistant.shows(assistant.entity("sensor", "Path Illuminance"), unit_of_measurement="lx")
    assistant.shows(assistant.entity("sensor", "Path Battery"), unit_of_measurement="%")
    assistant.shows(assistant.entity("switch", "Path Enabled"), state="on")
    assistant.entity("event", "Door Button 1")
    assistant.shows(assistant.entity("switch", "Automations Good night"), state="on")


def test_each_command_arrives_and_each_state_comes_back(cabin: Cabin, assistant: HomeAssistant) -> None:
    porch = "light.porch"
    assistant.act("light.turn_on", porch, brightness=128, color_temp_kelvin=2700)
    cabin.shows("Porch", power="on", temperature=370, by="mqtt")
    assistant.shows(porch, state="on", brightness=128, color_mode="color_temp", color_temp_kelvin=2703)
    assistant.act("light.turn_on", porch, xy_color=[0.5, 0.4])
    cabin.shows("Porch", mode="color", by="mqtt")
    assistant.shows(porch, color_mode="xy")
    assistant.act("light.turn_on", porch, effect="candle")
    cabin.shows("Porch", effect="candle", by="mqtt")
    assistant.shows(porch, effect="candle")
    assistant.act("light.turn_on", porch, effect="off")
    cabin.shows("Porch", effect=None, by="mqtt")
    assistant.act("light.turn_off", porch, transition=1)
    cabin.shows("Porch", power="off", by="mqtt")
    assistant.shows(porch, state="off")
    assistant.act("light.turn_off", "light.heater")
    cabin.shows("Heater", power="off", by="mqtt")
    assistant.act("light.turn_on", "light.hut")
    cabin.shows("Porch", power="on", by="mqtt")
    cabin.shows("Heater", power="on", by="mqtt")
    assistant.act("scene.turn_on", assistant.entity("scene", "Hut Dusk"))
    assistant.shows(assistant.entity("select", "Hut Scene"), state="Dusk")
    assistant.act("light.turn_on", porch, brightness=254)
    assistant.shows(assistant.entity("select", "Hut Scene"), state="unknown")
    assistant.act("select.select_option", assistant.entity("select", "Hut Scene"), option="Dusk")
    assistant.shows(assistant.entity("select", "Hut Scene"), state="Dusk")
    assistant.act("select.select_option", assistant.entity("select", "Porch Power-on behaviour"), option="powerfail")
    assistant.shows(assistant.entity("select", "Porch Power-on behaviour"), state="powerfail")
    enabled = assistant.entity("switch", "Path Enabled")
    assistant.act("switch.turn_off", enabled)
    assistant.shows(enabled, state="off")
    assistant.shows(assistant.entity("binary_sensor", "Path Motion"), state="unknown")
    assistant.act("switch.turn_on", enabled)
    assistant.shows(enabled, state="on")
    automation = assistant.entity("switch", "Automations Good night")
    assistant.act("switch.turn_off", automation)
    assistant.shows(automation, state="off")
    assistant.act("button.press", assistant.entity("button", "Automations Run Good night"))
    assistant.act("button.press", assistant.entity("button", "Porch Identify"))


def test_a_press_and_motion_are_told(cabin: Cabin, assistant: HomeAssistant) -> None:
    cabin.tell("sensors/Path/motion", {"motion": True})
    assistant.shows(assistant.entity("binary_sensor", "Path Motion"), state="on")
    door = assistant.entity("event", "Door Button 1")
    cabin.tell("sensors/Door/button", {"button": 1, "event": "short_release"})
    assistant.shows(door, event_type="short_release")


def test_an_update_of_the_bridge_is_shown_and_cannot_be_installed(cabin: Cabin, assistant: HomeAssistant) -> None:
    update = assistant.entity("update", "Hue Bridge Firmware")
    assistant.shows(update, state="off", installed_version="1.78.1978293000", latest_version="1.78.1978293000")
    cabin.tell("update", {"state": "ready_to_install"})
    assistant.shows(update, state="on", in_progress=False)
    assert assistant.state(update)["supported_features"] & 1 == 0, "it can be installed"
    cabin.tell("update", {"state": "installing"})
    assistant.shows(update, state="on", in_progress=True)
    cabin.tell("update", {"state": "no_update"})
    assistant.shows(update, state="off", in_progress=False)


def test_a_lamp_without_mains_and_a_bridge_that_is_gone_are_unavailable(cabin: Cabin, assistant: HomeAssistant) -> None:
    cabin.tell("lights/Porch/mains", {"on": False})
    assistant.shows("light.porch", state="unavailable")
    assert assistant.state("light.hut")["state"] != "unavailable"
    cabin.tell("lights/Porch/mains", {"on": True})
    until(lambda: assistant.state("light.porch")["state"] != "unavailable", "it is back")


def test_a_broker_that_is_killed_and_comes_back_is_told_all(
    cabin: Cabin, broker: Broker, assistant: HomeAssistant
) -> None:
    broker.kill()
    assistant.shows("light.porch", state="unavailable")
    cabin.command("set", target="Porch", brightness=10)
    broker.start()
    assistant.shows("light.porch", state="on", brightness=26)
    # Home Assistant says that it has lost the broker.
    assert all("mqtt" in line.lower() for line in assistant.troubles())


def test_home_assistant_that_starts_again_shows_what_is(cabin: Cabin, assistant: HomeAssistant) -> None:
    assistant.stop()
    cabin.command("set", target="Porch", brightness=40)
    assistant.start()
    assistant.shows("light.porch", state="on", brightness=102)
    assistant.act("light.turn_on", "light.porch", brightness=128)
    cabin.shows("Porch", power="on", by="mqtt")
    assistant.shows("light.porch", brightness=128)


def test_a_lamp_keeps_its_id_when_it_is_renamed_and_goes_when_it_is_removed(
    cabin: Cabin, assistant: HomeAssistant
) -> None:
    cabin.command("rename", target="Heater", name="Oven")
    assistant.shows("light.heater", friendly_name="Oven")
    cabin.remove("Oven")
    until(lambda: "light.heater" not in {state["entity_id"] for state in assistant.ask("GET", "states")}, "it is gone")


def test_when_lightd_is_stopped_nothing_of_it_is_available(cabin: Cabin, assistant: HomeAssistant) -> None:
    cabin.daemon.stop()
    assistant.shows("light.porch", state="unavailable")
    cabin.start()
    until(lambda: assistant.state("light.porch")["state"] != "unavailable", "it is back")


def test_all_of_1500_lamps_become_available(
    cabin: Cabin, broker: Broker, assistant: HomeAssistant, tmp_path: Path
) -> None:
    lamps = 1500
    rooms = "".join(
        f"  - name: Floor {floor}\n    lights:\n"
        + "".join(f"      - {{ name: Tower {lamp}, kind: color, on: true, mirek: 250 }}\n" for lamp in range(floor * 50, floor * 50 + 50))
        for floor in range(lamps // 50)
    )  # fmt: skip
    many = ("--seed", "82", "--quirk", f"most-lights:{lamps}")
    began = time.monotonic()
    tower = Cabin(tmp_path, broker, *many, home=f"rooms:\n{rooms}", host="127.0.0.82", site="tower")
    until(lambda: len(tower.daemon.ask("GET", "/v1/lights")) == lamps, "lightd has read all")

    def available() -> int:
        states = assistant.ask("GET", "states")
        return sum(state["entity_id"].startswith("light.tower_") and state["state"] == "on" for state in states)

    until(lambda: available() == lamps, "all are available")
    print(f"\n{lamps} lamps are available {time.monotonic() - began:.1f} s after their bridge and lightd were started")
    # What a broker that drops messages for a slow reader would leave out.
    tower.daemon.stop()
    until(lambda: available() == 0, "none is")
    began = time.monotonic()
    tower.start()
    until(lambda: available() == lamps, "all are again")
    print(f"{lamps} lamps are available {time.monotonic() - began:.1f} s after lightd's next start")
    tower.stop()
