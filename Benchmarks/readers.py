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

BRIDGE = "127.0.0.80"
LIMITS = "limits: {lights_per_second: 1000, groups_per_second: 1000}\n"
# Between two commands, so that each is measured by itself.
PAUSE = 0.2


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
        os.environ["LIGHTSIM"], "--ready-json", "--host", BRIDGE, "--https-port", "0", "--http-port", "0",
        "--quirk", "unlimited", stdout=asyncio.subprocess.PIPE)  # fmt: skip
    ready = json.loads(await sim.stdout.readline())
    port, socket, configuration = ready["https_port"], place / "lightd.sock", place / "lightd.yaml"
    configuration.write_text(f"discovery: {{mdns: false, hosts: ['{BRIDGE}:{port}']}}\n{LIMITS}")
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
    count, steps = (int(word) for word in (sys.argv[1:] + ["1000", "100"][len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as place:
        async with home(pathlib.Path(place)) as (socket, lightd):
            await commands(socket, 20)
            print(f"{0:5} readers   {spread(await commands(socket, steps))}; resident {resident(lightd):.0f} MB", flush=True)
            others = await asyncio.create_subprocess_exec(
                sys.executable, __file__, "--readers", socket, str(count), stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE)  # fmt: skip
            await others.stdout.readline()
            await asyncio.sleep(1)
            before = resident(lightd)
            print(f"{count:5} readers   {spread(await commands(socket, steps))}; resident {before:.0f} MB at first, "
                  f"{resident(lightd):.0f} MB then", flush=True)  # fmt: skip
            # As fast as they go, so that nobody who does not read has room left.
            began = time.monotonic()
            for step in range(5 * steps):
                await turn(socket, step)
            took = time.monotonic() - began
            print(f"{5 * steps} commands at full speed: {5 * steps / took:.0f} a second; resident {resident(lightd):.0f} MB", flush=True)
            others.stdin.close()
            told, _ = await others.communicate()
            await asyncio.sleep(2)
            print(f"{told.decode().strip()}\n"
                  f"all gone        {spread(await commands(socket, steps))}; resident {resident(lightd):.0f} MB")  # fmt: skip


_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
if sys.argv[1:2] == ["--readers"]:
    asyncio.run(readers(sys.argv[2], int(sys.argv[3])))
else:
    asyncio.run(main())
