"""Measures what a flooding bridge and a chattering sensor cost; called by Benchmarks/bounds.

usage: bounds.py [SECONDS]     LIGHTD and LIGHTSIM name the programs, DISK a directory on a disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pathlib
import shutil
import signal
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator

from programs import Bridge, Daemon, Program, home

# On a disk: what is written to memory alone is no write.
DISK = pathlib.Path(os.environ["DISK"])


def processor(program: Program) -> float:
    """Seconds of processor time, also of threads that have ended: by the process's clock (clock_getcpuclockid(3))."""
    return time.clock_gettime((~program.process.pid << 3) | 2)


def written(program: Program) -> int:
    """Bytes that it has caused to be written to disks."""
    lines = pathlib.Path(f"/proc/{program.process.pid}/io").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("write_bytes"))


@contextlib.asynccontextmanager
async def most_resident(program: Program) -> AsyncIterator[list[float]]:
    """The most memory that it had meanwhile, in MB."""
    most = [program.resident]

    async def look() -> None:
        while True:
            most[0] = max(most[0], program.resident)
            await asyncio.sleep(0.1)

    task = asyncio.create_task(look())
    try:
        yield most
    finally:
        task.cancel()


async def commands(daemon: Daemon, light: str, seconds: float) -> list[float]:
    """How long each command takes until the bridge has confirmed it, in milliseconds; one every 250 ms."""
    times, end, number = [], time.monotonic() + seconds, 0
    while time.monotonic() < end:
        number += 1
        began = time.monotonic()
        try:
            await daemon.post(command="turn", to="on" if number % 2 else "off", target=light, wait=True)
            times.append(1000 * (time.monotonic() - began))
        except RuntimeError as error:
            print("not confirmed:", error, flush=True)
            times.append(float("inf"))
        await asyncio.sleep(0.25)
    return times


def spread(times: list[float]) -> str:
    times = sorted(times)
    return f"median {statistics.median(times):.0f} ms, 95 of 100 within {times[int(0.95 * (len(times) - 1))]:.0f} ms, most {times[-1]:.0f} ms"


async def flood(frames: int, seconds: float) -> None:
    with tempfile.TemporaryDirectory(dir=DISK) as text:
        place = pathlib.Path(text)
        async with home(place, "unlimited") as (bridge, daemon):
            await asyncio.sleep(3)
            calm = await commands(daemon, "Desk", seconds / 4)
            before, began = processor(daemon.program), time.monotonic()
            async with most_resident(daemon.program) as most:
                await bridge.control("POST", "/faults", {"name": "event-flood", "value": frames, "for": seconds})
                times = await commands(daemon, "Desk", seconds)
            used = (processor(daemon.program) - before) / (time.monotonic() - began)
            await asyncio.sleep(5)
            lost = (place / "lightd.log").read_text().count("bridge lost")
            print(
                f"{frames} frames a second: a command is confirmed: {spread(times)} (in peace: {spread(calm)}); at most"
                f" {most[0]:.0f} MB resident, {daemon.program.resident:.0f} MB after it; {100 * used:.0f} % of a processor;"
                f" the stream was lost {lost} times", flush=True)


def house(place: pathlib.Path) -> pathlib.Path:
    file = place / "house.yaml"
    file.write_text(
        "bridge: { name: Measured }\nrooms:\n"
        "  - name: Hall\n    lights:\n      - { name: Hall lamp, kind: color }\n"
        "    accessories:\n      - { name: Sensor, kind: motion }\n")
    return file


@contextlib.asynccontextmanager
async def syncs(program: Program, place: pathlib.Path) -> AsyncIterator[list[int]]:
    """How often it waited for the disk meanwhile; -1 if nobody can look."""
    count, file = [-1], place / "syncs"
    if shutil.which("strace") is None:
        yield count
        return
    child = await asyncio.create_subprocess_exec(
        "strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", str(file), "-p", str(program.process.pid))
    await asyncio.sleep(1)
    try:
        yield count
    finally:
        child.send_signal(signal.SIGINT)
        await child.wait()
        if file.exists():
            count[0] = sum("sync(" in line for line in file.read_text().splitlines())


async def chatter(rate: float, seconds: float) -> None:
    with tempfile.TemporaryDirectory(dir=DISK) as text:
        place = pathlib.Path(text)
        async with home(place, "unlimited", house=house(place)) as (bridge, daemon):
            rule = place / "automations.yaml"
            rule.write_text("automations:\n  - name: Hall\n    when: motion Sensor\n    do: toggle \"Hall lamp\"\n")
            child = await asyncio.create_subprocess_exec(
                os.environ["LIGHTCTL"], "--socket", str(daemon.socket), "automation", "apply", str(rule),
                stdout=asyncio.subprocess.DEVNULL)
            if await child.wait() != 0:
                raise RuntimeError("the automation was not taken")
            await asyncio.sleep(5)
            async with syncs(daemon.program, place) as count:
                size = sum(file.stat().st_size for file in (place / "state").iterdir())
                disk, used, began, number = written(daemon.program), processor(daemon.program), time.monotonic(), 0
                while time.monotonic() < began + seconds:
                    await bridge.control("POST", "/sensors/Sensor/motion", {"motion": number % 2 == 0})
                    number += 1
                    await asyncio.sleep(max(0, began + number / rate - time.monotonic()))
                await asyncio.sleep(2.5)
                minutes = (time.monotonic() - began) / 60
                disk, used = written(daemon.program) - disk, processor(daemon.program) - used
                size = sum(file.stat().st_size for file in (place / "state").iterdir()) - size
            with contextlib.closing(sqlite3.connect(f"file:{place}/state/lightd.sqlite?mode=ro", uri=True)) as database:
                entries, text = database.execute(
                    "SELECT count(*), sum(length(message) + ifnull(length(names), 0)) FROM journal").fetchone()
            print(
                f"motion {rate:g} times a second, {number} in all: waited for the disk"
                f" {f'{count[0] / minutes:.0f} times a minute' if count[0] >= 0 else 'an unknown number of times'};"
                f" {disk / minutes / 1e6:.2f} MB written a minute, the files grew by {size / 1e6:.2f} MB; {entries} entries in"
                f" the journal, {text / 1e6:.2f} MB; {1000 * used / number:.1f} ms of processor each", flush=True)


async def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    for rate in 1, 20:
        await chatter(rate, seconds)
    for frames in 1_000, 10_000:
        await flood(frames, seconds)


asyncio.run(main())
