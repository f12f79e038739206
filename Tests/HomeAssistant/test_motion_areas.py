"""MotionAware areas of a Bridge Pro: lightd and Home Assistant read the same from the bridge."""

from __future__ import annotations

from typing import Any

from home import Home
from home_assistant import HomeAssistant
from lightsim import until


def area(home: Home) -> dict[str, Any]:
    """The area as lightd lists it."""
    [sensor] = home.daemon.ask("GET", "/v1/sensors")
    return sensor


def test_both_see_who_moves_in_an_area_and_neither_takes_one_that_is_off_for_an_empty_room(
    home: Home, assistant: HomeAssistant
) -> None:
    presence = assistant.entity("binary_sensor", "Living Presence")
    switch = assistant.entity("switch", "Living MotionAware")
    assistant.shows(switch, state="on")
    home.bridge.control("/sensors/Presence/motion", {"motion": True})
    assistant.shows(presence, state="on", device_class="motion")
    until(lambda: area(home).get("motion", {}).get("value") is True, "lightd sees who moves")

    assistant.act("switch.turn_off", switch)
    assistant.shows(switch, state="off")
    assistant.shows(presence, state="unknown")
    until(lambda: not area(home)["enabled"] and "motion" not in area(home), "lightd sees that the area is off")

    assistant.act("switch.turn_on", switch)
    assistant.shows(switch, state="on")
    until(lambda: area(home)["enabled"], "lightd sees that the area is on")
    home.bridge.control("/sensors/Presence/health", {"health": "not_running"})
    assistant.shows(presence, state="unknown")
    until(lambda: "motion" not in area(home), "lightd does not know whether somebody moves")
    home.bridge.control("/sensors/Presence/health", {"health": "healthy"})
    home.bridge.control("/sensors/Presence/motion", {"motion": False})
    assistant.shows(presence, state="off")
    until(lambda: area(home).get("motion", {}).get("value") is False, "lightd sees that nobody moves")
