"""Measures lightd before lightsim, beside aiohue; called by Benchmarks/gateway.

usage: gateway.py [COMMANDS [EVENTS]]     LIGHTD and LIGHTSIM name the programs.
"""

from __future__ import annotations

import asyncio
import datetime
import json
import pathlib
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
from aiohue import HueBridgeV2, create_app_key

from programs import BRIDGE, PAUSE, Bridge, home

def spread(times: list[float]) -> str:
    ordered = sorted(times)
    slow = ordered[min(len(ordered) - 1, round(0.99 * len(ordered)))]
    return f"p50 {1000 * statistics.median(ordered):.1f} ms, p99 {1000 * slow:.1f} ms of {len(ordered)}"


async def to_the_bridge(bridge: Bridge, ask: Callable[[bool], Awaitable[Any]], count: int) -> list[float]:
    """From the asking until the bridge has the request, one at a time, the house idle."""
    times = []
    for number in range(count):
        await bridge.control("DELETE", "/requests")
        began = time.time()
        await ask(number % 2 == 0)
        while not (puts := await bridge.puts()):
            await asyncio.sleep(0.002)
        times.append(datetime.datetime.fromisoformat(puts[0]["time"]).timestamp() - began)
        await asyncio.sleep(0.25)
    return times


async def latency(place: pathlib.Path) -> None:
    async with home(place) as (bridge, daemon):
        await bridge.control("POST", "/button")
        async with HueBridgeV2(BRIDGE, await create_app_key(BRIDGE, "bench#aiohue")) as hue:
            desk = next(light for light in hue.lights if light.metadata.name == "Desk")
            await asyncio.sleep(2)
            ours = await to_the_bridge(
                bridge, lambda on: daemon.post(command="turn", to="on" if on else "off", target="Desk"), 100)
            await asyncio.sleep(2)
            theirs = await to_the_bridge(bridge, lambda on: hue.lights.set_state(desk.id, on=on), 100)
            print(f"command to the bridge   lightd  {spread(ours)}")
            print(f"                        aiohue  {spread(theirs)}")

            began, heard = 0.0, {"lightd": [], "aiohue": []}

            async def watch() -> None:
                timeout = aiohttp.ClientTimeout(total=None)
                headers = {"Accept": "text/event-stream"}
                async with daemon.session.get("http://lightd/v1/events", headers=headers, timeout=timeout) as stream:
                    name = ""
                    async for line in stream.content:
                        if line.startswith(b"event:"):
                            name = line[6:].strip().decode()
                        elif line.startswith(b"data:") and name == "light" and began:
                            if json.loads(line[5:])["name"] == "Gallery" and len(heard["lightd"]) < pressed:
                                heard["lightd"].append(time.perf_counter() - began)

            def told(_: Any, light: Any) -> None:
                if light.metadata.name == "Gallery" and len(heard["aiohue"]) < pressed:
                    heard["aiohue"].append(time.perf_counter() - began)

            pressed = 0
            hue.lights.subscribe(told)
            watching = asyncio.create_task(watch())
            await asyncio.sleep(PAUSE)
            for _ in range(60):
                pressed += 1
                began = time.perf_counter()
                await bridge.control("POST", "/lights/Gallery/switch")
                await asyncio.sleep(PAUSE)
            watching.cancel()
            print(f"wall switch to watcher  lightd  {spread(heard['lightd'])}")
            print(f"                        aiohue  {spread(heard['aiohue'])}")


async def memory(place: pathlib.Path, commands: int, events: int) -> None:
    limits = "limits:\n  lights_per_second: 1000\n  groups_per_second: 1000\n"
    async with home(place, "unlimited", limits=limits) as (bridge, daemon):
        names = [light["id"] for light in await daemon.lights()]
        samples = [daemon.program.resident]
        began = time.monotonic()
        for tenth in range(10):

            async def caller(number: int) -> None:
                for step in range(commands // 10 // 32):
                    name = names[(step * 7 + number) % len(names)]
                    await daemon.post(command="turn", to="on" if step % 2 else "off", target=name)

            await asyncio.gather(*(caller(number) for number in range(32)))
            samples.append(daemon.program.resident)
        took = time.monotonic() - began
        print(f"{commands} commands: {commands / took:.0f} a second; resident MB {' '.join(f'{one:.0f}' for one in samples)}", flush=True)

        # Every frame tells of fifty lights: the whole house, on and off, by another app.
        await bridge.control("POST", "/button")
        key = await create_app_key(BRIDGE, "bench#other")
        headers = {"hue-application-key": key}
        base = f"https://{BRIDGE}/clip/v2/resource"
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=False), headers=headers) as other:
            async with other.get(f"{base}/grouped_light") as answer:
                groups = (await answer.json())["data"]
            whole = next(group["id"] for group in groups if group["owner"]["rtype"] == "bridge_home")
            samples = [daemon.program.resident]
            began = time.monotonic()
            for tenth in range(10):
                for step in range(events // 10 // len(names)):
                    async with other.put(f"{base}/grouped_light/{whole}", json={"on": {"on": step % 2 == 0}}) as answer:
                        assert answer.status == 200, await answer.text()
                samples.append(daemon.program.resident)
            # Heard, too: the last of them is told.
            await bridge.control("POST", "/lights/Gallery/switch")
            wanted = (await bridge.control("GET", "/lights/Gallery"))["shows"]["on"]
            while next(one for one in await daemon.lights() if one["name"] == "Gallery")["power"] != ("on" if wanted else "off"):
                await asyncio.sleep(0.01)
            took = time.monotonic() - began
            await asyncio.sleep(3)
            samples.append(daemon.program.resident)
        print(f"{events} events: {events / took:.0f} a second; resident MB {' '.join(f'{one:.0f}' for one in samples)}")
        disk = sum(one.stat().st_size for one in (place / "state").iterdir()) / 1e6
        lines = (place / "lightd.log").read_text().count("\n")
        print(f"after all of it: {disk:.0f} MB on disk, {lines} lines of log")


async def main() -> None:
    commands, events = (int(word) for word in (sys.argv[1:] + ["100000", "1000000"][len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as one:
        await latency(pathlib.Path(one))
    with tempfile.TemporaryDirectory() as two:
        await memory(pathlib.Path(two), commands, events)


if __name__ == "__main__":
    asyncio.run(main())
