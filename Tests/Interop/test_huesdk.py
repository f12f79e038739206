"""huesdk: reads over HTTPS, writes over HTTP, and sends `null` for what a lamp does not have."""

import pytest
from huesdk import Hue
from lightsim import Lightsim


@pytest.fixture
def hue(bridge: Lightsim) -> Hue:
    bridge.press_button()
    return Hue(bridge_ip=bridge.host, username=Hue.connect(bridge_ip=bridge.host))


def test_pairing_is_refused_without_the_button(bridge: Lightsim) -> None:
    with pytest.raises(Exception, match="link button not pressed"):
        Hue.connect(bridge_ip=bridge.host)


def test_a_light_is_turned_dimmed_coloured_and_renamed(hue: Hue) -> None:
    desk = hue.get_light(name="Desk")
    desk.on(transition=0)
    desk.set_brightness(100, transition=0)
    desk.set_saturation(200, transition=0)
    desk.set_color(hue=25500, transition=0)
    again = hue.get_light(id_=desk.id_)
    assert (again.is_on, again.bri, again.hue, again.sat) == (True, 100, 25500, 200)
    desk.set_color(hexa="#ff8800", transition=0)
    desk.set_name("Table")
    desk.off(transition=0)
    again = hue.get_light(name="Table")
    assert not again.is_on


def test_a_plug_takes_on_beside_a_brightness_of_null(hue: Hue) -> None:
    hue.get_light(name="Fan").on()
    assert hue.get_light(name="Fan").is_on


def test_a_room_takes_one_command(hue: Hue) -> None:
    living = hue.get_group(name="Living")
    assert {light.name for light in living.get_lights()} == {"Desk", "Sofa", "Fan"}
    living.on(transition=0)
    assert all(light.is_on for light in hue.get_group(name="Living").get_lights())
    living.set_name("Parlour")
    assert hue.get_group(name="Parlour").id_ == living.id_
    assert hue.get_schedules() == []
