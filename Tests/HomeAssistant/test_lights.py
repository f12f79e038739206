"""What Home Assistant sets, lightd shows and attributes, and the other way round."""

from __future__ import annotations

import pytest
from home import Home
from home_assistant import HomeAssistant
from lightsim import until

EFFECTS = ["candle", "fire", "prism", "sparkle", "opal", "glisten", "underwater", "cosmos", "sunbeam", "enchant"]
TIMED_EFFECTS = ["sunrise", "sunset"]


@pytest.fixture
def desk(assistant: HomeAssistant, home: Home) -> str:
    return assistant.entity("light", "Desk")


@pytest.fixture
def strip(assistant: HomeAssistant, home: Home) -> str:
    return assistant.entity("light", "Strip")


@pytest.fixture(autouse=True)
def evening(home: Home, assistant: HomeAssistant, desk: str, strip: str) -> None:
    """Every test begins with the same lights, as Home Assistant has set them."""
    for entity, name in ((desk, "Desk"), (strip, "Strip")):
        assistant.act("light.turn_on", entity, color_temp_kelvin=4000, brightness_pct=60)
        home.shows(name, power="on", mode="temperature", temperature=250, effect=None)


def test_each_effect_of_home_assistants_list_is_shown(home: Home, assistant: HomeAssistant, desk: str) -> None:
    assert assistant.state(desk)["effect_list"] == ["off", *EFFECTS, *TIMED_EFFECTS]
    assert assistant.state(assistant.entity("light", "Shelf"))["effect_list"] == ["off", "candle", *TIMED_EFFECTS]
    for effect in EFFECTS + TIMED_EFFECTS:
        assistant.act("light.turn_on", desk, effect=effect)
        home.shows("Desk", effect=effect, power="on")
        assistant.shows(desk, effect=effect)
    assistant.act("light.turn_on", desk, effect="off")
    home.shows("Desk", effect=None, power="on")
    assistant.shows(desk, effect="off")


def test_how_long_a_sunrise_of_home_assistant_takes_is_shown(home: Home, assistant: HomeAssistant, desk: str) -> None:
    assistant.act("light.turn_on", desk, effect="sunrise", transition=3600)
    home.shows("Desk", effect="sunrise", effect_duration=3_600_000)
    # What it asks for if nobody says how long: ten minutes.
    assistant.act("light.turn_on", desk, effect="sunset")
    home.shows("Desk", effect="sunset", effect_duration=600_000)


def test_a_colour_of_home_assistant_is_shown_and_ends_the_effect(
    home: Home, assistant: HomeAssistant, desk: str
) -> None:
    assistant.act("light.turn_on", desk, effect="candle", brightness_pct=100)
    home.shows("Desk", effect="candle", brightness=100)
    assistant.act("light.turn_on", desk, xy_color=[0.1532, 0.0475])
    home.shows("Desk", effect=None, mode="color")
    assert home.light("Desk")["hue"] == pytest.approx(240, abs=20)
    assistant.act("light.turn_on", desk, effect="fire")
    home.shows("Desk", effect="fire")
    assistant.act("light.turn_on", desk, color_temp_kelvin=2500)
    home.shows("Desk", effect=None, mode="temperature", temperature=400)
    assistant.shows(desk, effect="off", color_mode="color_temp", color_temp_kelvin=2500)


def test_what_home_assistant_switches_off_is_shown_off(home: Home, assistant: HomeAssistant, desk: str) -> None:
    assistant.act("light.turn_on", desk, effect="sparkle")
    home.shows("Desk", effect="sparkle")
    assistant.act("light.turn_off", desk)
    home.shows("Desk", power="off")
    # All lights of the room, by its grouped light.
    assistant.act("light.turn_off", assistant.entity("light", "Living"))
    for name in ("Strip", "Desk", "Shelf"):
        home.shows(name, power="off")


def test_the_effects_that_lightd_sets_are_home_assistants_state(
    home: Home, assistant: HomeAssistant, desk: str
) -> None:
    for effect in EFFECTS:
        home.command("set", target="Desk", effect=effect)
        assistant.shows(desk, effect=effect)
    home.command("set", target="Desk", effect="sunrise", effect_duration=3_600_000)
    assistant.shows(desk, effect="sunrise")
    home.command("set", target="Desk", temperature=250, brightness=40)
    assistant.shows(desk, effect="off", color_mode="color_temp", color_temp_kelvin=4000, brightness=102)
    home.command("turn", target="Desk", to="off")
    assistant.shows(desk, state="off")


def test_home_assistant_shows_a_gradient_as_its_first_colour_and_ends_it_by_another(
    home: Home, assistant: HomeAssistant, strip: str
) -> None:
    # It has no word for gradients.
    home.command("set", target="Strip", gradient=["#0000ff", "#00ff00", "#ff0000"], gradient_mode="linear")
    assistant.shows(strip, color_mode="xy", xy_color=[0.1532, 0.0475], effect="off")
    assistant.act("light.turn_on", strip, effect="prism")
    home.shows("Strip", effect="prism", gradient_mode="linear")
    assistant.act("light.turn_on", strip, xy_color=[0.5, 0.4])
    home.shows("Strip", effect=None, gradient=None)


def test_a_gradient_in_a_scene_that_home_assistant_recalls_is_shown(home: Home, assistant: HomeAssistant) -> None:
    assistant.act("scene.turn_on", assistant.entity("scene", "Living Rainbow"))

    def is_recalled() -> bool:
        return len(home.light("Strip").get("gradient", [])) == 3 and home.light("Desk").get("effect") == "opal"

    until(is_recalled, "lightd shows what is in the scene")
    for name in ("Strip", "Desk"):
        cause = home.light(name)["cause"]
        assert cause["kind"] == "scene" and cause["what"] == "Living/Rainbow" and "by" not in cause, cause
    assistant.shows(assistant.entity("select", "Living Scene"), state="Rainbow")
