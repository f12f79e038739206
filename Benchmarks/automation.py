"""Measures how fast automations react; called by Benchmarks/automation.

usage: automation.py [RUNS]     LIGHTD, LIGHTSIM and LIGHTCTL name the programs.
"""

from __future__ import annotations

import asyncio
import datetime
import os
import pathlib
import statistics
import sys
import tempfile
import time

from aiohue import HueBridgeV2, create_app_key

from programs import BRIDGE, PAUSE, Bridge, Daemon, home

LIGHTCTL = os.environ["LIGHTCTL"]


def house(place: pathlib.Path, sensors: int) -> pathlib.Path:
    """A home with a lamp in each of two rooms, and so many motion sensors."""
    listed = "".join(f"      - {{ name: Sensor {number}, kind: motion }}\n" for number in range(sensors))
    file = place / "house.yaml"
    file.write_text(
        "bridge: { name: Measured }\nrooms:\n"
        "  - name: Hall\n    lights:\n      - { name: Hall lamp, kind: color }\n      - { name: Other lamp, kind: color }\n"
        f"    accessories:\n      - {{ name: Switch, kind: switch }}\n{listed}")  # fmt: skip
    return file


def automations(place: pathlib.Path, count: int, sensors: int) -> pathlib.Path:
    """So many automations. One names the first sensor; the others share the other sensors."""
    rules = ["  - name: Measured\n    when: motion \"Sensor 0\"\n    do: toggle \"Hall lamp\"\n"]
    for number in range(1, count):
        sensor = 1 + number % (sensors - 1)
        rules.append(f"  - name: Other {number}\n    when: motion \"Sensor {sensor}\"\n    do: toggle \"Other lamp\"\n")
    file = place / "automations.yaml"
    file.write_text("automations:\n" + "".join(rules))
    return file


async def lightctl(daemon: Daemon, *words: str) -> None:
    child = await asyncio.create_subprocess_exec(
        LIGHTCTL, "--socket", str(daemon.socket), *words, stdout=asyncio.subprocess.DEVNULL)
    if await child.wait() != 0:
        raise RuntimeError(f"lightctl {' '.join(words)}: {child.returncode}")


async def after(bridge: Bridge, path: str, body: dict[str, object]) -> float:
    """From the moment before the bridge is told that somebody did something, to the first PUT in its log."""
    await bridge.control("DELETE", "/requests")
    began = time.time()
    await bridge.control("POST", path, body)
    await asyncio.sleep(PAUSE)
    put = (await bridge.puts())[0]
    return datetime.datetime.fromisoformat(put["time"]).timestamp() - began


async def reactions(bridge: Bridge, runs: int) -> list[float]:
    """What it takes from motion to the PUT."""
    times: list[float] = []
    for _ in range(runs):
        times.append(await after(bridge, "/sensors/Sensor 0/motion", {"motion": True}))
        await bridge.control("POST", "/sensors/Sensor 0/motion", {"motion": False})
        # What starts an automation more than twenty times a minute chatters, and starts nothing for a while.
        await asyncio.sleep(3.2 - PAUSE)
    return times


def tell(what: str, times: list[float]) -> None:
    times = sorted(1000 * one for one in times)
    print(
        f"{what:<54} {statistics.median(times):7.2f} ms   99 of 100 within {times[int(0.99 * (len(times) - 1))]:7.2f} ms",
        flush=True)


async def ours(count: int, sensors: int, runs: int) -> None:
    with tempfile.TemporaryDirectory() as text:
        place = pathlib.Path(text)
        async with home(place, "unlimited", house=house(place, sensors)) as (bridge, daemon):
            await lightctl(daemon, "automation", "apply", str(automations(place, count, sensors)))
            tell(f"lightd, {count} automations, {sensors} sensors", await reactions(bridge, runs))


async def wall_and_switch(runs: int) -> None:
    """A lamp that follows a curve and is turned on at the wall, and a switch that is bound."""
    with tempfile.TemporaryDirectory() as text:
        place = pathlib.Path(text)
        async with home(place, "unlimited", house=house(place, 2)) as (bridge, daemon):
            await lightctl(daemon, "curve", "set", "even", "00:00 50% 3000K")
            await lightctl(daemon, "follow", "Hall lamp", "even")
            times: list[float] = []
            for _ in range(runs):
                await bridge.control("POST", "/lights/Hall lamp/switch", {"on": False})
                await asyncio.sleep(PAUSE)
                times.append(await after(bridge, "/lights/Hall lamp/switch", {"on": True}))
            tell("a lamp that follows a curve, turned on at the wall", times)
            await lightctl(daemon, "unfollow", "all")
            await lightctl(daemon, "bind", "Switch", "Other lamp")
            times = []
            for number in range(runs):
                button = 1 if number % 2 == 0 else 4
                times.append(
                    await after(bridge, "/sensors/Switch/button", {"button": button, "event": "initial_press"}))
                await bridge.control(
                    "POST", "/sensors/Switch/button", {"button": button, "event": "short_release"})
                await asyncio.sleep(PAUSE)
            tell("a bound switch is pressed", times)


async def theirs(runs: int) -> None:
    """A script on aiohue that does the same."""
    with tempfile.TemporaryDirectory() as text:
        place = pathlib.Path(text)
        async with home(place, "unlimited", house=house(place, 2)) as (bridge, _):
            await bridge.control("POST", "/button")
            key = await create_app_key(BRIDGE, "bench#script")
            async with HueBridgeV2(BRIDGE, key) as hue:
                lamp = next(light for light in hue.lights if hue.lights.get_device(light.id).metadata.name == "Hall lamp")
                tasks: set[asyncio.Task[None]] = set()

                def react(_: object, sensor: object) -> None:
                    if sensor.motion.value:
                        task = asyncio.create_task(hue.lights.set_state(lamp.id, on=not lamp.on.on))
                        tasks.add(task)
                        task.add_done_callback(tasks.discard)

                hue.sensors.motion.subscribe(react)
                tell("a script on aiohue", await reactions(bridge, runs))


async def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    print("motion at the bridge to the PUT at the bridge")
    await theirs(runs)
    await ours(1, 2, runs)
    await ours(1000, 500, runs)
    await wall_and_switch(runs)


asyncio.run(main())
