"""phue, the oldest client: plain HTTP, a connection for each request, no Content-Type, devicetype `python_hue`."""

import json
from pathlib import Path

import phue
import pytest
from lightsim import Lightsim, until


@pytest.fixture
def hue(bridge: Lightsim, tmp_path: Path) -> phue.Bridge:
    bridge.press_button()
    return phue.Bridge(bridge.host, config_file_path=str(tmp_path / "python_hue"))


def test_pairing_is_refused_without_the_button_and_granted_with_it(bridge: Lightsim, tmp_path: Path) -> None:
    notes = tmp_path / "python_hue"
    with pytest.raises(phue.PhueRegistrationException):
        phue.Bridge(bridge.host, config_file_path=str(notes))
    bridge.press_button()
    key = phue.Bridge(bridge.host, config_file_path=str(notes)).username
    assert json.loads(notes.read_text())[bridge.host]["username"] == key
    # The next time it uses the key in its file.
    assert phue.Bridge(bridge.host, config_file_path=str(notes)).name == "Flat"
    assert [request["path"] for request in bridge.requests].count("/api") == 2


def test_everything_is_listed(hue: phue.Bridge) -> None:
    assert {light.name for light in hue.lights} == {"Stove", "Counter", "Desk", "Sofa", "Fan"}
    assert set(hue.get_api()) >= {"lights", "groups", "config", "schedules", "scenes", "rules", "sensors"}
    assert {group.name for group in hue.groups} == {"Kitchen", "Living", "Downstairs"}
    assert [light.name for light in phue.Group(hue, "Kitchen").lights] == ["Stove", "Counter"]
    assert {scene.name for scene in hue.scenes} == {"Bright", "Evening", "Reading"}
    assert isinstance(hue.get_sensor_objects("id"), dict)
    assert isinstance(hue.get_schedule(), dict)
    assert hue["Desk"].type == "Extended color light"
    assert hue["Desk"].reachable


def test_a_light_is_turned_dimmed_coloured_and_warmed(hue: phue.Bridge) -> None:
    desk = hue["Desk"]
    desk.transitiontime = 0
    desk.on = True
    assert desk.on
    desk.brightness = 127
    assert desk.brightness == 127
    desk.xy = [0.5, 0.4]
    assert (desk.xy, desk.colormode) == ([0.5, 0.4], "xy")
    desk.hue, desk.saturation = 25500, 200
    assert (desk.hue, desk.saturation, desk.colormode) == (25500, 200, "hs")
    desk.colortemp_k = 4000
    assert (desk.colortemp, desk.colormode) == (250, "ct")
    desk.alert = "select"
    desk.effect = "colorloop"
    assert desk.effect == "colorloop"
    desk.effect = "none"


def test_an_answer_names_every_attribute_in_order(hue: phue.Bridge) -> None:
    desk = hue["Desk"].light_id
    assert hue.set_light(desk, {"on": True, "bri": 10, "transitiontime": 0}) == [
        [
            {"success": {f"/lights/{desk}/state/on": True}},
            {"success": {f"/lights/{desk}/state/bri": 10}},
            {"success": {f"/lights/{desk}/state/transitiontime": 0}},
        ]
    ]
    assert hue.set_light(hue["Counter"].light_id, "ct", 300)[0][0]["error"]["type"] == 6
    assert hue.set_light(desk, "bri", 300)[0][0]["error"]["type"] == 7


def test_a_light_that_is_off_takes_no_brightness(hue: phue.Bridge) -> None:
    desk = hue["Desk"].light_id
    assert hue.set_light(desk, "bri", 10)[0][0]["error"] == {
        "type": 201,
        "address": f"/lights/{desk}/state/bri",
        "description": "parameter, bri, is not modifiable. Device is set to off.",
    }


def test_a_light_and_a_room_are_renamed(hue: phue.Bridge) -> None:
    hue["Desk"].name = "Table"
    assert hue["Table"].name == "Table"
    phue.Group(hue, "Living").name = "Parlour"
    assert {group.name for group in hue.groups} == {"Kitchen", "Parlour", "Downstairs"}


def test_a_room_takes_one_command(hue: phue.Bridge) -> None:
    living = phue.Group(hue, "Living")
    living.on = True
    assert [light.on for light in living.lights] == [True, True, True]


def test_all_lights_take_one_command(hue: phue.Bridge) -> None:
    phue.AllLights(hue).on = True
    assert all(light.on for light in hue.lights)


def test_a_group_is_created_changed_and_deleted(hue: phue.Bridge) -> None:
    [answer] = hue.create_group("Corner", [3, 4])
    number = int(answer["success"]["id"])
    assert sorted(light.light_id for light in phue.Group(hue, number).lights) == [3, 4]
    phue.Group(hue, number).lights = [3]
    assert [light.light_id for light in phue.Group(hue, "Corner").lights] == [3]
    assert hue.delete_group(number) == [{"success": f"/groups/{number} deleted."}]
    assert hue.get_group_id_by_name("Corner") is False


def test_a_scene_is_recalled_by_its_name(hue: phue.Bridge) -> None:
    assert hue.run_scene("Living", "Evening", transition_time=0)
    until(lambda: hue["Sofa"].on and hue["Sofa"].colortemp == 447, "Sofa is as the scene has it")
    assert hue["Desk"].xy == [0.561, 0.4042]


def test_a_wall_switch_is_seen(hue: phue.Bridge, bridge: Lightsim) -> None:
    bridge.control("/lights/Fan/switch", {"on": True})
    assert hue["Fan"].on


def test_a_revoked_key_is_answered_with_error_1(hue: phue.Bridge, bridge: Lightsim) -> None:
    bridge.control("/keys", method="DELETE")
    [answer] = hue.get_light()
    assert (answer["error"]["type"], answer["error"]["description"]) == (1, "unauthorized user")
