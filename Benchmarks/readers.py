"""Measures commands while a thousand clients follow lightd's events, half of them without reading, and scrapes of its
metrics; called by Benchmarks/readers.

usage: readers.py [READERS [COMMANDS]]     LIGHTD and LIGHTSIM name the programs.
"""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
import resource
import sys
import tempfile
import time

from plain import expect, home, others, resident, shown, turn

HOUSE = pathlib.Path(__file__).resolve().parent.parent / "Config/homes/house.yaml"
# Between two commands, so that each is measured by itself.
PAUSE = 0.2


async def open_events(socket: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A stream that lightd has opened: only its head is read, and the first byte of the first event."""
    reader, writer = await asyncio.open_unix_connection(socket, limit=1024)
    writer.write(b"GET /v1/events HTTP/1.1\r\nHost: lightd\r\nAccept: text/event-stream\r\n\r\n")
    head = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " not in head:
        raise RuntimeError(head.decode())
    return reader, writer


async def take(reader: asyncio.StreamReader) -> None:
    """Reads every event until lightd ends the stream."""
    while await reader.read(65536):
        pass


async def readers(socket: str, count: int) -> None:
    """All readers, in a process of their own, until its standard input ends."""
    streams = [await open_events(socket) for _ in range(count)]
    following = [asyncio.create_task(take(reader)) for reader, _ in streams[::2]]
    for _, writer in streams[1::2]:
        writer.transport.pause_reading()
    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    ended = sum(task.done() for task in following)
    print(f"{ended} of {len(following)} who read and {sum(writer.transport.is_closing() for _, writer in streams[1::2])} "
          "of the others have ended")  # fmt: skip
    sys.stdout.flush()
    os._exit(0)  # with all its connections at once


async def commands(socket: str, count: int) -> list[float]:
    times = []
    for step in range(count):
        times.append(await turn(socket, step))
        await asyncio.sleep(PAUSE)
    return times


async def scrapes(count: int) -> None:
    """How long a scrape takes in a house of 50 lights, each over a connection of its own, and what it costs lightd; beside
    the list of lights, anew each time, as curl asks for it."""
    with tempfile.TemporaryDirectory() as place:
        async with home(pathlib.Path(place), rooms=HOUSE) as (socket, lightd):
            lights = len(json.loads(await expect(200, socket, "GET", "/v1/lights")))
            for path in ["/metrics", "/v1/lights", "/v1/lights?target=all"]:
                for _ in range(20):
                    size = len(await expect(200, socket, "GET", path))
                times, before = [], processor(lightd)
                for _ in range(count):
                    began = time.perf_counter()
                    await expect(200, socket, "GET", path)
                    times.append(time.perf_counter() - began)
                used = (processor(lightd) - before) / count
                print(f"{lights} lights, {path:22} {shown(times)}; {size / 1000:.0f} kB, {1000 * used:.2f} ms of processor", flush=True)


def processor(process: asyncio.subprocess.Process) -> float:
    """Seconds."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def main() -> None:
    count, steps = (int(word) for word in (sys.argv[1:] + ["1000", "100"][len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as place:
        async with home(pathlib.Path(place)) as (socket, lightd):
            await commands(socket, 20)
            print(f"{0:5} readers   {shown(await commands(socket, steps))}; resident {resident(lightd):.0f} MB", flush=True)
            async with others(__file__, "--readers", socket, str(count)) as told:
                await asyncio.sleep(1)
                before = resident(lightd)
                print(f"{count:5} readers   {shown(await commands(socket, steps))}; resident {before:.0f} MB at first, "
                      f"{resident(lightd):.0f} MB then", flush=True)  # fmt: skip
                # As fast as they go, so that nobody who does not read has room left.
                began = time.monotonic()
                for step in range(5 * steps):
                    await turn(socket, step)
                took = time.monotonic() - began
                print(f"{5 * steps} commands at full speed: {5 * steps / took:.0f} a second; resident {resident(lightd):.0f} MB", flush=True)
            await asyncio.sleep(2)
            print(f"{told[-1]}\n"
                  f"all gone        {shown(await commands(socket, steps))}; resident {resident(lightd):.0f} MB")  # fmt: skip
    await scrapes(10 * steps)


_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
if sys.argv[1:2] == ["--readers"]:
    asyncio.run(readers(sys.argv[2], int(sys.argv[3])))
else:
    asyncio.run(main())
