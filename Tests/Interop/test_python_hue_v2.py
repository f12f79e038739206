"""python-hue-v2: reads `errors` and `data` of every answer, even to PUT and DELETE, and sends JSON as text."""

import pytest
from lightsim import Lightsim, until
from python_hue_v2 import Hue, Light


@pytest.fixture
def hue(bridge: Lightsim) -> Hue:
    bridge.press_button()
    client = Hue(bridge.host)
    client.bridge.connect()
    return client


def light(hue: Hue, name: str) -> Light:
    return next(light for light in hue.lights if light.metadata["name"] == name)


def test_pairing_is_refused_without_the_button(bridge: Lightsim) -> None:
    with pytest.raises(ConnectionError, match="link button not pressed"):
        Hue(bridge.host).bridge.connect()


def test_a_key_that_the_bridge_never_gave_is_refused(bridge: Lightsim) -> None:
    with pytest.raises(ConnectionRefusedError):
        _ = Hue(bridge.host, "nobody").lights


def test_a_light_is_turned_dimmed_and_coloured(hue: Hue) -> None:
    desk = light(hue, "Desk")
    desk.set_state(on=True, brightness=40.0, duration_ms=0)
    until(lambda: desk.on and abs(desk.brightness - 40) < 0.5, "Desk is on at 40 %")
    desk.color_xy = {"x": 0.5, "y": 0.4}
    until(lambda: desk.color_xy == {"x": 0.5, "y": 0.4}, "Desk is orange")
    desk.on = False
    until(lambda: not desk.on, "Desk is off")


def test_rooms_zones_and_scenes(hue: Hue) -> None:
    kitchen = next(room for room in hue.rooms if room.get().data_dict["metadata"]["name"] == "Kitchen")
    assert len(hue.zones) == 1
    assert {scene.data_dict["metadata"]["name"] for scene in hue.scenes} == {"Bright", "Evening", "Reading"}
    grouped = next(group for group in hue.grouped_lights if group.owner.rid == kitchen.id)
    grouped.set_state(on=True, brightness=60)
    until(lambda: grouped.on and abs(grouped.brightness - 60) < 0.5, "Kitchen is on at 60 %")
