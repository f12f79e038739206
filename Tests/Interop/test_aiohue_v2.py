"""aiohue, Home Assistant's library, over API v2: HTTPS, strict models of lights and devices, and the event stream."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable

import pytest
from aiohttp import ClientSession, TCPConnector
from aiohue import HueBridgeV2, LinkButtonNotPressed, Unauthorized, create_app_key
from aiohue.discovery import discover_bridge
from aiohue.v2.controllers.events import EventType
from aiohue.v2.models.device import DeviceMetaDataPut, DevicePut
from aiohue.v2.models.feature import EffectStatus
from aiohue.v2.models.geofence_client import GeofenceClientPost, GeofenceClientPut
from aiohue.v2.models.light import Light
from aiohue.v2.models.room import Room
from lightsim import Lightsim


@pytest.fixture
async def hue(bridge: Lightsim, caplog: pytest.LogCaptureFixture) -> AsyncIterator[HueBridgeV2]:
    """aiohue, paired and with its event stream open; it must not log a warning."""
    caplog.set_level(logging.WARNING)
    bridge.press_button()
    client = HueBridgeV2(bridge.host, await create_app_key(bridge.host, "interop#aiohue"))
    await client.initialize()
    # A stream has only events from its opening on.
    await become(lambda: client.events.connected, "the event stream is open")
    yield client
    await client.close()
    assert [record.getMessage() for record in caplog.records] == []


async def become(holds: Callable[[], object], what: str, seconds: float = 10) -> None:
    """Waits until the client's state is as expected; only the event stream changes it."""
    deadline = asyncio.get_running_loop().time() + seconds
    while not holds():
        assert asyncio.get_running_loop().time() < deadline, f"not within {seconds} s: {what}"
        await asyncio.sleep(0.01)


def light(hue: HueBridgeV2, name: str) -> Light:
    return next(light for light in hue.lights if light.metadata.name == name)


def room(hue: HueBridgeV2, name: str) -> Room:
    return next(room for room in hue.groups.room if room.metadata.name == name)


async def test_discovery_finds_a_bridge_with_v2(bridge: Lightsim) -> None:
    found = await discover_bridge(bridge.host)
    assert found.supports_v2
    assert found.id == bridge.bridge_id[:6] + bridge.bridge_id[-6:]


async def test_a_bridge_pro_is_found_through_its_redirect_and_works(start: Callable[..., Lightsim]) -> None:
    pro = start("--model", "BSB003")
    # As Home Assistant does: a Pro redirects plain HTTP to HTTPS, where no public root has signed its certificate.
    async with ClientSession(connector=TCPConnector(ssl=False)) as session:
        assert (await discover_bridge(pro.host, session)).supports_v2
    pro.press_button()
    async with HueBridgeV2(pro.host, await create_app_key(pro.host, "interop#aiohue")) as hue:
        assert hue.config.model_id == "BSB003"
        await hue.lights.turn_on(light(hue, "Desk").id)


async def test_pairing_is_refused_without_the_button_and_granted_with_it(bridge: Lightsim) -> None:
    with pytest.raises(LinkButtonNotPressed):
        await create_app_key(bridge.host, "interop#aiohue")
    bridge.press_button()
    assert len(await create_app_key(bridge.host, "interop#aiohue")) == 40


async def test_a_key_that_the_bridge_never_gave_is_unauthorized(bridge: Lightsim) -> None:
    with pytest.raises(Unauthorized):
        await HueBridgeV2(bridge.host, "nobody").request("get", "clip/v2/resource")


async def test_everything_is_listed_with_its_references(hue: HueBridgeV2, bridge: Lightsim) -> None:
    assert hue.bridge_id == bridge.bridge_id
    assert (hue.config.name, hue.config.model_id) == ("Flat", "BSB002")
    assert hue.config.check_version("1.50.1950111030")
    assert {light.metadata.name for light in hue.lights} == {"Stove", "Counter", "Desk", "Sofa", "Fan"}
    assert {room.metadata.name for room in hue.groups.room} == {"Kitchen", "Living"}
    assert {zone.metadata.name for zone in hue.groups.zone} == {"Downstairs"}
    kitchen = room(hue, "Kitchen")
    assert {light.metadata.name for light in hue.groups.room.get_lights(kitchen.id)} == {"Stove", "Counter"}
    assert {scene.metadata.name for scene in hue.groups.room.get_scenes(kitchen.id)} == {"Bright"}
    for scene in hue.scenes:
        assert hue.scenes.get_group(scene.id) is not None
    for one in hue.lights:
        device = hue.lights.get_device(one.id)
        assert device.metadata.name == one.metadata.name
        assert hue.devices.get_room(device.id) is not None
        assert hue.devices.get_zigbee_connectivity(device.id).status.value == "connected"
    for grouped in hue.groups.grouped_light:
        assert grouped.owner.rtype.value == "bridge_home" or hue.groups.grouped_light.get_zone(grouped.id)
    desk, stove, counter, fan = (light(hue, name) for name in ("Desk", "Stove", "Counter", "Fan"))
    assert desk.supports_color and desk.supports_color_temperature and desk.supports_dimming
    assert stove.supports_color_temperature and not stove.supports_color
    assert counter.supports_dimming and not counter.supports_color_temperature
    assert not fan.supports_dimming


async def test_a_light_is_turned_dimmed_coloured_and_warmed(hue: HueBridgeV2) -> None:
    desk = light(hue, "Desk")
    await hue.lights.turn_on(desk.id)
    await become(lambda: desk.on.on, "Desk is on")
    await hue.lights.set_brightness(desk.id, 40)
    await become(lambda: abs(desk.dimming.brightness - 40) < 0.5, "Desk is at 40 %")
    await hue.lights.set_color(desk.id, 0.5, 0.4)
    await become(lambda: (desk.color.xy.x, desk.color.xy.y) == (0.5, 0.4), "Desk is orange")
    # A lamp that shows a colour has no colour temperature.
    await become(lambda: not desk.color_temperature.mirek_valid, "Desk has no colour temperature")
    await hue.lights.set_color_temperature(desk.id, 250)
    await become(lambda: desk.color_temperature.mirek == 250, "Desk is white")
    assert desk.color_temperature.mirek_valid
    await hue.lights.set_dimming_delta(desk.id, 20)
    await become(lambda: abs(desk.dimming.brightness - 60) < 0.5, "Desk is 20 points brighter")
    await hue.lights.turn_off(desk.id, transition_time=200)
    await become(lambda: not desk.on.on, "Desk is off")


async def test_a_lamp_flashes_and_shows_an_effect(hue: HueBridgeV2) -> None:
    desk = light(hue, "Desk")
    await hue.lights.set_flash(desk.id)
    await hue.lights.set_flash(desk.id, short=True)
    await hue.lights.set_state(desk.id, on=True, effect=EffectStatus.CANDLE)
    await become(lambda: desk.effects.status == EffectStatus.CANDLE, "Desk is a candle")
    await hue.lights.set_state(desk.id, effect=EffectStatus.NO_EFFECT)
    await become(lambda: desk.effects.status == EffectStatus.NO_EFFECT, "Desk is a lamp again")


async def test_a_renamed_lamp_has_its_new_name_everywhere(hue: HueBridgeV2) -> None:
    desk = light(hue, "Desk")
    device = hue.lights.get_device(desk.id)
    await hue.devices.update(device.id, DevicePut(metadata=DeviceMetaDataPut(archetype=None, name="Table")))
    await become(lambda: device.metadata.name == "Table", "the device is called Table")
    await become(lambda: desk.metadata.name == "Table", "its light is called Table")


async def test_a_room_takes_one_command(hue: HueBridgeV2) -> None:
    living = room(hue, "Living")
    await hue.groups.grouped_light.set_state(living.grouped_light, on=True, brightness=30, transition_time=100)
    lamps = hue.groups.room.get_lights(living.id)
    await become(lambda: all(lamp.on.on for lamp in lamps), "all of the room is on")
    await become(
        lambda: all(abs(lamp.dimming.brightness - 30) < 0.5 for lamp in lamps if lamp.supports_dimming),
        "all of the room is at 30 %",
    )
    grouped = hue.groups.grouped_light[living.grouped_light]
    await become(lambda: grouped.on.on and abs(grouped.dimming.brightness - 30) < 0.5, "so is the grouped light")


async def test_a_scene_is_recalled(hue: HueBridgeV2) -> None:
    evening = next(scene for scene in hue.scenes if scene.metadata.name == "Evening")
    await hue.scenes.recall(evening.id)
    desk, sofa = light(hue, "Desk"), light(hue, "Sofa")
    await become(lambda: desk.on.on and abs(desk.dimming.brightness - 40) < 0.5, "Desk is as the scene has it")
    await become(lambda: sofa.on.on and sofa.color_temperature.mirek == 447, "Sofa is as the scene has it")
    await become(lambda: evening.status.active.value == "static", "the scene is active")


async def test_a_wall_switch_becomes_an_event(hue: HueBridgeV2, bridge: Lightsim) -> None:
    fan = light(hue, "Fan")
    told: list[tuple[EventType, bool]] = []
    forget = hue.lights.subscribe(lambda kind, item: told.append((kind, item.on.on)), id_filter=fan.id)
    bridge.control("/lights/Fan/switch", {"on": True})
    await become(lambda: told, "Fan's event")
    forget()
    assert told[0] == (EventType.RESOURCE_UPDATED, True)


async def test_a_lamp_without_mains_is_reported_unreachable(hue: HueBridgeV2, bridge: Lightsim) -> None:
    zigbee = hue.devices.get_zigbee_connectivity(hue.lights.get_device(light(hue, "Fan").id).id)
    bridge.control("/lights/Fan/mains", {"on": False})
    await become(lambda: zigbee.status.value == "connectivity_issue", "Fan is out of reach")
    bridge.control("/lights/Fan/mains", {"on": True})
    await become(lambda: zigbee.status.value == "connected", "Fan is back")


async def test_a_request_to_a_busy_bridge_is_repeated(hue: HueBridgeV2, bridge: Lightsim) -> None:
    bridge.control("/faults", {"name": "busy", "value": 503, "count": 1})
    await hue.lights.turn_on(light(hue, "Desk").id)
    await become(lambda: light(hue, "Desk").on.on, "Desk is on after a refusal")


async def test_the_keepalive_of_aiohue_arrives_on_the_stream(hue: HueBridgeV2) -> None:
    clients = hue.sensors.geofence_client
    # As aiohue does once, and then every minute: without this event it counts the stream as dead after 90 s.
    await clients.create(GeofenceClientPost(name="aiohue_", is_at_home=False))
    await become(lambda: clients.items, "the geofence client has arrived as an event")
    await clients.update(clients.items[0].id, GeofenceClientPut(name="aiohue_abc", is_at_home=False))
    await become(lambda: clients.items[0].name == "aiohue_abc", "its new name has arrived as an event")


async def test_a_stream_that_broke_is_opened_again(hue: HueBridgeV2, bridge: Lightsim) -> None:
    again = asyncio.Event()
    hue.events.subscribe(lambda kind, item: again.set(), event_filter=EventType.RECONNECTED)
    bridge.control("/reboot", {"seconds": 0.1})
    await asyncio.wait_for(again.wait(), 15)
    bridge.control("/lights/Fan/switch", {"on": True})
    await become(lambda: light(hue, "Fan").on.on, "Fan's event on the new stream")
