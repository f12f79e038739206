"""aiohue over API v1, as Home Assistant uses it for round bridges and emulators: plain HTTP and polling."""

from collections.abc import AsyncIterator, Callable

import pytest
from aiohue import HueBridgeV1, LinkButtonNotPressed, Unauthorized, create_app_key
from aiohue.discovery import discover_bridge
from aiohue.errors import AiohueException
from aiohue.v1.groups import Group
from aiohue.v1.lights import Light
from lightsim import Lightsim


@pytest.fixture
async def hue(bridge: Lightsim) -> AsyncIterator[HueBridgeV1]:
    bridge.press_button()
    async with HueBridgeV1(bridge.host, await create_app_key(bridge.host, "interop#aiohue")) as client:
        yield client


def light(hue: HueBridgeV1, name: str) -> Light:
    return next(light for light in hue.lights.values() if light.name == name)


def group(hue: HueBridgeV1, name: str) -> Group:
    return next(group for group in hue.groups.values() if group.name == name)


async def test_a_round_bridge_has_no_v2_and_works_over_v1(start: Callable[..., Lightsim]) -> None:
    old = start("--model", "BSB001")
    assert not (await discover_bridge(old.host)).supports_v2
    old.press_button()
    async with HueBridgeV1(old.host, await create_app_key(old.host, "interop#aiohue")) as hue:
        assert hue.config.model_id == "BSB001"
        await light(hue, "Desk").set_state(on=True)
        await hue.lights.update()
        assert light(hue, "Desk").state["on"]


async def test_pairing_is_refused_without_the_button(bridge: Lightsim) -> None:
    with pytest.raises(LinkButtonNotPressed):
        await create_app_key(bridge.host, "interop#aiohue")


async def test_a_key_that_the_bridge_never_gave_is_unauthorized(bridge: Lightsim) -> None:
    client = HueBridgeV1(bridge.host, "nobody")
    with pytest.raises(Unauthorized):
        await client.initialize()
    await client.close()


async def test_everything_is_listed(hue: HueBridgeV1, bridge: Lightsim) -> None:
    assert hue.config.bridge_id.lower() == bridge.bridge_id
    assert (hue.config.name, hue.config.model_id) == ("Flat", "BSB002")
    assert tuple(map(int, hue.config.apiversion.split("."))) >= (1, 50, 0)
    assert {light.name: light.type for light in hue.lights.values()} == {
        "Stove": "Color temperature light",
        "Counter": "Dimmable light",
        "Desk": "Extended color light",
        "Sofa": "Color temperature light",
        "Fan": "On/Off plug-in unit",
    }
    for one in hue.lights.values():
        assert one.uniqueid and one.manufacturername and one.modelid and one.swversion
        assert one.state["reachable"]
    assert light(hue, "Desk").colorgamuttype == "C"
    assert len(light(hue, "Desk").colorgamut) == 3
    assert light(hue, "Fan").colorgamut is None
    assert {group.name: group.type for group in hue.groups.values()} == {
        "Kitchen": "Room",
        "Living": "Room",
        "Downstairs": "Zone",
    }
    assert {hue.lights[id].name for id in group(hue, "Kitchen").lights} == {"Stove", "Counter"}
    assert group(hue, "Kitchen").state == {"all_on": False, "any_on": True}
    assert {scene.name for scene in hue.scenes.values()} == {"Bright", "Evening", "Reading"}
    for scene in hue.scenes.values():
        assert scene.lights and scene.owner and scene.lastupdated and not scene.recycle


async def test_a_light_is_turned_dimmed_coloured_and_warmed(hue: HueBridgeV1) -> None:
    desk = light(hue, "Desk")
    await desk.set_state(on=True, bri=120, transitiontime=0)
    await hue.lights.update()
    assert (desk.state["on"], desk.state["bri"]) == (True, 120)
    await desk.set_state(xy=[0.5, 0.4], transitiontime=0)
    await hue.lights.update()
    assert (desk.state["xy"], desk.state["colormode"]) == ([0.5, 0.4], "xy")
    await desk.set_state(hue=46920, sat=254, transitiontime=0)
    await hue.lights.update()
    assert (desk.state["hue"], desk.state["sat"], desk.state["colormode"]) == (46920, 254, "hs")
    await desk.set_state(ct=250, transitiontime=0)
    await hue.lights.update()
    assert (desk.state["ct"], desk.state["colormode"]) == (250, "ct")
    await desk.set_state(bri_inc=-20, transitiontime=0)
    await hue.lights.update()
    assert desk.state["bri"] == 100
    await desk.set_state(on=False)
    await hue.lights.update()
    assert not desk.state["on"]


async def test_a_lamp_that_is_off_takes_no_brightness(hue: HueBridgeV1) -> None:
    with pytest.raises(AiohueException, match="Device is set to off"):
        await light(hue, "Desk").set_state(bri=20)


async def test_a_lamp_is_renamed(hue: HueBridgeV1) -> None:
    desk = light(hue, "Desk")
    await hue.request("put", f"lights/{desk.id}", json={"name": "Table"})
    await hue.lights.update()
    assert desk.name == "Table"


async def test_a_room_and_all_lights_take_one_command_each(hue: HueBridgeV1) -> None:
    living = group(hue, "Living")
    await living.set_action(on=True, bri=77, transitiontime=0)
    await hue.lights.update()
    lamps = [hue.lights[id] for id in living.lights]
    assert all(lamp.state["on"] for lamp in lamps)
    assert {lamp.state["bri"] for lamp in lamps if "bri" in lamp.state} == {77}
    await hue.groups.update()
    assert group(hue, "Living").state == {"all_on": True, "any_on": True}
    everything = await hue.groups.get_all_lights_group()
    assert set(everything.lights) == set(hue.lights)
    await everything.set_action(on=False)
    await hue.lights.update()
    assert not any(lamp.state["on"] for lamp in hue.lights.values())


async def test_a_scene_is_recalled(hue: HueBridgeV1) -> None:
    evening = next(scene for scene in hue.scenes.values() if scene.name == "Evening")
    await group(hue, "Living").set_action(scene=evening.id)
    desk, sofa = light(hue, "Desk"), light(hue, "Sofa")

    async def shows() -> bool:
        await hue.lights.update()
        return desk.state["on"] and sofa.state.get("ct") == 447 and desk.state["xy"] == [0.561, 0.4042]

    for _ in range(40):  # aiohue takes a quarter of a second for each
        if await shows():
            break
    assert await shows()


async def test_the_next_poll_sees_a_wall_switch(hue: HueBridgeV1, bridge: Lightsim) -> None:
    bridge.control("/lights/Fan/switch", {"on": True})
    await hue.lights.update()
    assert light(hue, "Fan").state["on"]


async def test_a_request_to_a_busy_bridge_is_repeated(hue: HueBridgeV1, bridge: Lightsim) -> None:
    bridge.control("/faults", {"name": "busy", "value": 503, "count": 1})
    await light(hue, "Desk").set_state(on=True)
    await hue.lights.update()
    assert light(hue, "Desk").state["on"]
