"""Measures commands while a thousand clients follow lightd's events, half of them without reading; called by
Benchmarks/readers.

usage: readers.py [READERS [COMMANDS]]     LIGHTD and LIGHTSIM name the programs.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pathlib
import resource
import statistics
import sys
import tempfile
import time

BRIDGE, PORT = "127.0.0.80", 18443
LIMITS = "limits: {lights_per_second: 1000, groups_per_second: 1000}\n"
# Between two commands: as long as a person needs to press a switch twice.
PAUSE = 0.05


def resident(process: asyncio.subprocess.Process) -> float:
    """MB."""
    return int(pathlib.Path(f"/proc/{process.pid}/status").read_text().split("VmRSS:")[1].split()[0]) / 1024


async def ask(socket: str, method: str, path: str, body: object = None) -> tuple[int, bytes]:
    """One request over a connection of its own."""
    reader, writer = await asyncio.open_unix_connection(socket)
    text = b"" if body is None else json.dumps(body).encode()
    writer.write(f"{method} {path} HTTP/1.1\r\nHost: lightd\r\nConnection: close\r\nContent-Length: {len(text)}\r\n\r\n".encode())
    writer.write(text)
    answer = await reader.read()
    writer.close()
    head, _, rest = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), rest


async def turn(socket: str, step: int) -> float:
    began = time.perf_counter()
    status, answer = await ask(
        socket, "POST", "/v1/messages", {"command": "turn", "to": "on" if step % 2 else "off", "target": "Desk"})  # fmt: skip
    if status != 200:
        raise RuntimeError(answer.decode())
    return time.perf_counter() - began


async def follow(socket: str, counts: dict[str, int]) -> None:
    """A reader who takes every event."""
    reader, writer = await asyncio.open_unix_connection(socket)
    writer.write(b"GET /v1/events HTTP/1.1\r\nHost: lightd\r\nAccept: text/event-stream\r\n\r\n")
    try:
        while piece := await reader.read(65536):
            counts["events"] += piece.count(b"\nevent: light") + piece.startswith(b"event: light")
    finally:
        writer.close()
        counts["ended"] += 1


async def ignore(socket: str) -> asyncio.StreamWriter:
    """A reader who asks for events and never reads one."""
    _, writer = await asyncio.open_unix_connection(socket, limit=1)
    writer.transport.pause_reading()
    writer.write(b"GET /v1/events HTTP/1.1\r\nHost: lightd\r\nAccept: text/event-stream\r\n\r\n")
    return writer


def spread(times: list[float]) -> str:
    ordered = sorted(times)
    slow = ordered[min(len(ordered) - 1, round(0.99 * len(ordered)))]
    return f"p50 {1000 * statistics.median(ordered):.2f} ms, p99 {1000 * slow:.2f} ms of {len(ordered)}"


async def commands(socket: str, count: int) -> list[float]:
    times = []
    for step in range(count):
        times.append(await turn(socket, step))
        await asyncio.sleep(PAUSE)
    return times


@contextlib.asynccontextmanager
async def home(place: pathlib.Path):
    """A daemon that is paired with a bridge that answers to any number of commands."""
    sim = await asyncio.create_subprocess_exec(
        os.environ["LIGHTSIM"], "--ready-json", "--host", BRIDGE, "--https-port", str(PORT), "--http-port", "0",
        "--quirk", "unlimited", stdout=asyncio.subprocess.PIPE)  # fmt: skip
    ready = json.loads(await sim.stdout.readline())
    socket, configuration = place / "lightd.sock", place / "lightd.yaml"
    configuration.write_text(f"discovery: {{mdns: false, hosts: ['{BRIDGE}:{PORT}']}}\n{LIMITS}")
    lightd = await asyncio.create_subprocess_exec(
        os.environ["LIGHTD"], "--config", str(configuration), "--socket", str(socket), "--state-dir",
        str(place / "state"), stderr=(place / "lightd.log").open("wb"))  # fmt: skip
    try:
        while not socket.exists():
            await asyncio.sleep(0.01)
        _, button = await asyncio.open_connection(BRIDGE, ready["control_port"])
        button.write(b"POST /button HTTP/1.1\r\nHost: bridge\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await asyncio.sleep(0.3)
        status, answer = await ask(str(socket), "POST", "/v1/messages", {"command": "pair"})
        if status != 200:
            raise RuntimeError(answer.decode())
        yield str(socket), lightd
    finally:
        for process in (lightd, sim):
            process.terminate()
            await process.wait()


async def main() -> None:
    readers, count = (int(word) for word in (sys.argv[1:] + ["1000", "200"][len(sys.argv) - 1 :]))
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as place:
        async with home(pathlib.Path(place)) as (socket, lightd):
            await commands(socket, 20)
            print(f"{0:5} readers   {spread(await commands(socket, count))}; resident {resident(lightd):.0f} MB", flush=True)
            counts = {"events": 0, "ended": 0}
            following = [asyncio.create_task(follow(socket, counts)) for _ in range(readers // 2)]
            ignoring = [await ignore(socket) for _ in range(readers - readers // 2)]
            await asyncio.sleep(2)
            before = resident(lightd)
            print(f"{readers:5} readers   {spread(await commands(socket, count))}; resident {resident(lightd):.0f} MB", flush=True)
            print(f"               {before:.0f} MB before the first event; {counts['events'] / max(1, readers // 2):.0f} events of the "
                  f"light for each who reads")  # fmt: skip
            # As fast as they go, so that nobody who does not read has room left.
            began = time.monotonic()
            for step in range(20 * count):
                await turn(socket, step)
            took = time.monotonic() - began
            print(f"then {20 * count} commands at full speed: {20 * count / took:.0f} a second; resident {resident(lightd):.0f} MB; "
                  f"{counts['ended']} readers ended")  # fmt: skip
            for task in following:
                task.cancel()
            for writer in ignoring:
                writer.close()
            await asyncio.gather(*following, return_exceptions=True)
            await asyncio.sleep(2)
            print(f"all gone: {spread(await commands(socket, count))}; resident {resident(lightd):.0f} MB")


asyncio.run(main())
