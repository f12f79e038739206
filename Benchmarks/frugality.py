"""Measures what lightd takes of a small machine; called by Benchmarks/frugality.

usage: frugality.py [EVENTS [SECONDS]]     LIGHTD and LIGHTSIM name the programs.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pathlib
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator

from aiohue import create_app_key

from programs import BRIDGE, Bridge, Daemon, Program, bridge_of, daemon_at

STARTS = 10
# On a disk: what is written to memory alone is no write.
DISK = os.environ.get("DISK", ".build")


def house(place: pathlib.Path, lights: int) -> pathlib.Path:
    """A home with so many lights, at most 25 in a room."""
    rooms = [range(first, min(first + 25, lights)) for first in range(0, lights, 25)]
    text = "bridge: { name: Measured }\nrooms:\n"
    for number, room in enumerate(rooms):
        text += f"  - name: Room {number}\n    lights:\n"
        text += "".join(f"      - {{ name: Lamp {lamp}, kind: color }}\n" for lamp in room)
    file = place / "house.yaml"
    file.write_text(text)
    return file


def processor(program: Program) -> float:
    """Milliseconds of processor time, also of threads that have ended: by the process's clock (clock_getcpuclockid(3))."""
    return 1000 * time.clock_gettime((~program.process.pid << 3) | 2)


def written(program: Program) -> int:
    """Bytes that it has caused to be written to disks."""
    lines = pathlib.Path(f"/proc/{program.process.pid}/io").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("write_bytes"))


def private(program: Program) -> float:
    """MB that no other process shares and no file backs."""
    lines = pathlib.Path(f"/proc/{program.process.pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty")) / 1024


async def events(bridge: Bridge, count: int) -> None:
    """Lamps are switched at the wall: each tells of it."""
    for number in range(count):
        await bridge.control("POST", "/lights/Lamp 0/switch", {"on": number % 2 == 1})
    # The bridge gathers events for up to a second.
    await asyncio.sleep(2.5)


async def connected(daemon: Daemon, lights: int) -> float:
    """How long until all lights are known and confirmed, from now."""
    began = time.monotonic()
    while True:
        known = await daemon.lights()
        if len(known) == lights and all(one["freshness"] == "confirmed" for one in known):
            return time.monotonic() - began
        await asyncio.sleep(0.01)


async def starts(place: pathlib.Path) -> list[float]:
    """From the start of the process to READY=1, in milliseconds."""
    path, times = place / "notify", []
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.bind(str(path))
        notify.setblocking(False)
        for _ in range(STARTS):
            began = time.monotonic()
            async with daemon_at(place, NOTIFY_SOCKET=str(path)):
                loop = asyncio.get_running_loop()
                while b"READY=1" not in await loop.sock_recv(notify, 4096):
                    pass
                times.append(1000 * (time.monotonic() - began))
            with contextlib.suppress(BlockingIOError):
                while notify.recv(4096):
                    pass
    return times


async def ours(lights: int, count: int, seconds: float) -> None:
    with tempfile.TemporaryDirectory(dir=DISK) as text:
        place = pathlib.Path(text)
        async with bridge_of(house(place, lights), "unlimited") as bridge:
            async with daemon_at(place) as daemon:
                await bridge.control("POST", "/button")
                await daemon.post(command="pair")
                await connected(daemon, lights)
            ready = await starts(place)
            async with daemon_at(place, "journal: { enabled: false }\n") as daemon:
                program = daemon.program
                until_known = await connected(daemon, lights)
                await asyncio.sleep(5)
                before = processor(program)
                await asyncio.sleep(seconds)
                idle = (processor(program) - before) / seconds
                resident, own = program.resident, private(program)
                before, disk = processor(program), written(program)
                await events(bridge, count)
                each, off = (processor(program) - before) / count, written(program) - disk
            async with daemon_at(place) as daemon:
                await connected(daemon, lights)
                await asyncio.sleep(5)
                disk = written(daemon.program)
                await events(bridge, count)
                on = written(daemon.program) - disk
        print(
            f"lightd, {lights} lights: ready after {statistics.median(ready):.0f} ms (most {max(ready):.0f}), all lights"
            f" {1000 * until_known:.0f} ms later; {resident:.0f} MB resident, {own:.0f} MB its own; at rest {idle:.2f} ms of"
            f" processor a second; {1000 * each:.0f} µs an event; {count} events: {off} bytes written without the journal,"
            f" {on / 1e6:.1f} MB with it", flush=True)


@contextlib.asynccontextmanager
async def script(key: str) -> AsyncIterator[Program]:
    """A program on aiohue that follows all events and does nothing else; ready with its first line."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SCRIPT, BRIDGE, key, stdout=asyncio.subprocess.PIPE)
    try:
        await child.stdout.readline()
        yield Program(child)
    finally:
        child.terminate()
        await child.wait()


SCRIPT = """
import asyncio, sys
from aiohue import HueBridgeV2
async def main():
    async with HueBridgeV2(sys.argv[1], sys.argv[2]) as hue:
        hue.subscribe(lambda *_: None)
        print("ready", flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""


async def theirs(lights: int, count: int, seconds: float) -> None:
    with tempfile.TemporaryDirectory(dir=DISK) as text:
        async with bridge_of(house(pathlib.Path(text), lights), "unlimited") as bridge:
            await bridge.control("POST", "/button")
            key = await create_app_key(BRIDGE, "bench#script")
            ready = []
            for _ in range(STARTS // 3):
                began = time.monotonic()
                async with script(key):
                    ready.append(1000 * (time.monotonic() - began))
            async with script(key) as program:
                await asyncio.sleep(5)
                before = processor(program)
                await asyncio.sleep(seconds)
                idle = (processor(program) - before) / seconds
                resident, own = program.resident, private(program)
                before = processor(program)
                await events(bridge, count)
                each = (processor(program) - before) / count
        print(
            f"a script on aiohue, {lights} lights: all lights {statistics.median(ready):.0f} ms after its start;"
            f" {resident:.0f} MB resident, {own:.0f} MB its own; at rest {idle:.2f} ms of processor a second;"
            f" {1000 * each:.0f} µs an event", flush=True)


async def main() -> None:
    count, seconds = (int(word) for word in (sys.argv[1:] + ["10000", "50"][len(sys.argv) - 1 :]))
    for lights in 5, 50, 5000:
        await ours(lights, count, seconds)
        await theirs(lights, min(count, 1000), seconds)


if __name__ == "__main__":
    asyncio.run(main())
