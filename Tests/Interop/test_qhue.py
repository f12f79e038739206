"""qhue: attributes are paths, calls are requests; JSON without its content type; any status but 200 is an error."""

import pytest
import qhue
from lightsim import Lightsim


@pytest.fixture
def hue(bridge: Lightsim, monkeypatch: pytest.MonkeyPatch) -> qhue.Bridge:
    monkeypatch.setattr("builtins.input", lambda prompt: bridge.press_button())
    return qhue.Bridge(bridge.host, qhue.create_new_username(bridge.host, devicetype="interop#qhue"))


def test_pairing_is_refused_without_the_button(bridge: Lightsim, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt: "")
    with pytest.raises(qhue.QhueException, match="101 -> link button not pressed"):
        qhue.create_new_username(bridge.host, devicetype="interop#qhue")


def test_lights_rooms_and_scenes(hue: qhue.Bridge) -> None:
    names = {light["name"]: id for id, light in hue.lights().items()}
    rooms = {group["name"]: id for id, group in hue.groups().items()}
    scenes = {scene["name"]: id for id, scene in hue.scenes().items()}
    assert hue.lights[names["Desk"]].state(on=True, bri=200, transitiontime=0)[0]["success"]
    assert hue.lights[names["Desk"]]()["state"]["bri"] == 200
    hue.lights[names["Desk"]](name="Table")
    assert hue.lights[names["Desk"]]()["name"] == "Table"
    hue.groups[rooms["Kitchen"]].action(scene=scenes["Bright"])
    assert hue.scenes[scenes["Bright"]]()["lightstates"]
    assert hue()["config"]["bridgeid"]


def test_errors_come_with_status_200(hue: qhue.Bridge) -> None:
    with pytest.raises(qhue.QhueException, match="3 -> resource, /lights/99, not available"):
        hue.lights[99]()
    with pytest.raises(qhue.QhueException, match="1 -> unauthorized user"):
        qhue.Bridge(hue.ip, "nobody").lights()


def test_a_group_and_a_scene_are_created_and_deleted(hue: qhue.Bridge) -> None:
    group = hue.groups(http_method="post", name="Corner", type="Zone", lights=["3", "4"])[0]["success"]["id"]
    scene = hue.scenes(http_method="post", name="Now", type="GroupScene", group=group, recycle=False)
    scene = scene[0]["success"]["id"]
    assert sorted(hue.scenes[scene]()["lights"]) == ["3", "4"]
    assert hue.scenes[scene](http_method="delete")[0]["success"] == f"/scenes/{scene} deleted."
    assert hue.groups[group](http_method="delete")[0]["success"] == f"/groups/{group} deleted."
