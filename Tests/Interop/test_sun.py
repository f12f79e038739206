"""astral: another implementation says when the sun rises and sets, and lightd must agree."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from astral import Observer, SunDirection
from astral.sun import noon, sunrise, sunset, time_of_transit
from lightd import Lightd

# 40 places and days and more: both hemispheres, the tropics, and beyond the polar circles.
PLACES = [
    ("Berlin", 52.52, 13.405, "Europe/Berlin"),
    ("Reykjavik", 64.147, -21.942, "Atlantic/Reykjavik"),
    ("Tromso", 69.649, 18.956, "Europe/Oslo"),
    ("Longyearbyen", 78.223, 15.647, "Arctic/Longyearbyen"),
    ("Murmansk", 68.97, 33.07, "Europe/Moscow"),
    ("New York", 40.713, -74.006, "America/New_York"),
    ("Quito", -0.18, -78.468, "America/Guayaquil"),
    ("Sao Paulo", -23.55, -46.633, "America/Sao_Paulo"),
    ("Ushuaia", -54.80, -68.30, "America/Argentina/Ushuaia"),
    # Not Kathmandu itself: there dawn is at midnight UTC, where astral takes one day for another.
    ("Pokhara", 28.21, 83.99, "Asia/Kathmandu"),
    ("Sydney", -33.87, 151.21, "Australia/Sydney"),
    ("Chatham", -43.95, -176.55, "Pacific/Chatham"),
    ("Kiritimati", 1.87, -157.40, "Pacific/Kiritimati"),
    ("McMurdo", -77.85, 166.67, "Antarctica/McMurdo"),
]
# None is one on which the sun only grazes the horizon somewhere: there astral's two steps do not find it.
DAYS = [date(2026, 1, 25), date(2026, 3, 20), date(2026, 6, 21), date(2026, 9, 23), date(2026, 12, 21)]

Oracle = Callable[[Observer, date], datetime]


def passing(zenith: float, direction: SunDirection) -> Oracle:
    """When the sun's centre is so far from the zenith. What astral itself calls dawn has some refraction in it, which an
    almanac's does not have, and its sunrise another one: minutes, where the sun rises slowly."""
    return lambda observer, day: time_of_transit(observer, day, zenith, direction, with_refraction=False)


EVENTS: dict[str, Oracle] = {
    "dawn": passing(96, SunDirection.RISING),
    "sunrise": passing(90.833, SunDirection.RISING),
    "noon": lambda observer, day: noon(observer, day),
    "sunset": passing(90.833, SunDirection.SETTING),
    "dusk": passing(96, SunDirection.SETTING),
}
# As astral calls them, where that makes no difference.
THEIRS: dict[str, Oracle] = {
    "sunrise": lambda observer, day: sunrise(observer, day),
    "sunset": lambda observer, day: sunset(observer, day),
}


def nearest(oracle: Oracle, observer: Observer, near: datetime) -> datetime | None:
    """The oracle's event next to this time; it asks for a day of UTC, in which the event may be another day's."""
    found = []
    for days in (-1, 0, 1):
        try:
            found.append(oracle(observer, near.date() + timedelta(days=days)))
        except ValueError:  # The sun does not reach that on this day.
            continue
    return min(found, key=lambda time: abs(time - near), default=None)


@pytest.mark.parametrize("name,latitude,longitude,zone", PLACES, ids=[place[0] for place in PLACES])
def test_the_sun_is_where_astral_says(
    name: str, latitude: float, longitude: float, zone: str, tmp_path: Path
) -> None:
    home = f"home: {{latitude: {latitude}, longitude: {longitude}, time_zone: {zone}}}\n"
    daemon = Lightd(tmp_path, "discovery: {mdns: false}\n" + home)
    observer = Observer(latitude, longitude)
    try:
        for day in DAYS:
            sun = daemon.ask("GET", f"/v1/sun?date={day}")
            ours = {event["name"]: datetime.fromisoformat(event["time"]) for event in sun["events"]}
            middle = ours["noon"]
            for event, oracle in EVENTS.items():
                expected = nearest(oracle, observer, ours.get(event, middle))
                if event not in ours:
                    # Neither has it around this noon.
                    assert expected is None or abs(expected - middle) > timedelta(hours=12), f"{day}: {event} {expected}"
                    continue
                found = [expected]
                if event in THEIRS and abs(latitude) < 60:
                    found.append(nearest(THEIRS[event], observer, ours[event]))
                for time in found:
                    assert time is not None, f"{day}: astral knows no {event}"
                    apart = abs((ours[event] - time).total_seconds())
                    assert apart <= 60, f"{day}: {event} is {apart} s apart: {ours[event]}, {time}"
    finally:
        daemon.stop()
