"""Measures commands while hostile clients work; called by Benchmarks/hostile.

usage: hostile.py [SECONDS [CLIENTS]]     LIGHTD and LIGHTSIM name the programs.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pathlib
import random
import re
import sys
import tempfile
import time

from plain import ask, expect, home, others, resident, shown, spread, turn

MEGABYTES = 150
# Of all hostile clients together, a second: what they take of the processors must not be what is measured.
ATTACKS = 100
# Between two commands, so that each is measured by itself.
PAUSE = 0.1
HEADERS = ["X-Lightd-Client", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Cookie", "Authorization", "Host",
           "Origin", "If-None-Match", "Accept", "Last-Event-ID", "Sec-Fetch-Site", "Connection", "Expect", "User-Agent"]  # fmt: skip


async def commands(socket: str, seconds: float) -> list[float]:
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        times.append(await turn(socket, len(times)))
        await asyncio.sleep(PAUSE)
    return times


# MARK: The hostile clients, in a process of their own


class Pace:
    """Lets so many through in a second."""

    def __init__(self, rate: float) -> None:
        self.rate, self.next = rate, time.monotonic()

    async def turn(self) -> None:
        self.next = max(self.next + 1 / self.rate, time.monotonic() - 1)
        await asyncio.sleep(max(0, self.next - time.monotonic()))


async def hostile(kind: int, port: int, token: str, pace: Pace, counts: dict[str, int]) -> None:
    """One client, for ever: whatever becomes of one connection, another follows."""
    name, attack = list(KINDS.items())[kind % len(KINDS)]
    while True:
        await pace.turn()
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
            try:
                counts[name] = counts.get(name, 0) + 1
                await attack(reader, writer, f"Host: localhost\r\nAuthorization: Bearer {token}\r\n", pace)
            finally:
                writer.transport.abort()


async def wrong_host(reader, writer, good: str, pace: Pace) -> None:
    writer.write(b"GET /v1/lights HTTP/1.1\r\nHost: evil.example\r\nX-Lightd-Client: " + b"a " * 3000 + b"\r\n\r\n")
    await asyncio.wait_for(reader.read(1024), 5)


async def huge_header(reader, writer, good: str, pace: Pace) -> None:
    name = random.choice(HEADERS)
    writer.write(f"GET /v1/lights HTTP/1.1\r\n{name}: ".encode() + b"a, " * 33_000)
    await asyncio.wait_for(reader.read(1024), 5)


async def slow_body(reader, writer, good: str, pace: Pace) -> None:
    writer.write(f"POST /v1/messages HTTP/1.1\r\n{good}Content-Length: 2000000\r\n\r\n".encode())
    for _ in range(30):
        writer.write(b"x" * 100)
        await writer.drain()
        await asyncio.sleep(1)


async def abandoned_read(reader, writer, good: str, pace: Pace) -> None:
    path = random.choice(["/v1/log?limit=10000", "/v1/log?by=%F0%9F%92%A9", "/v1/log?by=e&limit=10000", "/v1/scene?scene=Kitchen/Relax"])
    writer.write(f"GET {path} HTTP/1.1\r\n{good}\r\n".encode())
    await writer.drain()
    await asyncio.sleep(0.02)


async def slow_read(reader, writer, good: str, pace: Pace) -> None:
    writer.write(f"GET /v1/log?limit=10000 HTTP/1.1\r\n{good}\r\n".encode())
    await reader.readexactly(100)
    await asyncio.sleep(30)


async def unread_stream(reader, writer, good: str, pace: Pace) -> None:
    path = random.choice(["/v1/events", "/v1/page/events", "/v1/log?limit=1000"])
    writer.write(f"GET {path} HTTP/1.1\r\n{good}Accept: text/event-stream\r\n\r\n".encode())
    await reader.readexactly(100)
    await asyncio.sleep(30)


async def pipelined(reader, writer, good: str, pace: Pace) -> None:
    request = random.choice([b"GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n", f"GET /v1/page HTTP/1.1\r\n{good}\r\n".encode()])
    writer.write(request * 400)
    while await asyncio.wait_for(reader.read(65536), 10):
        pass


KINDS = {
    "wrong hosts": wrong_host, "huge headers": huge_header, "slow bodies": slow_body, "abandoned reads": abandoned_read,
    "slow reads": slow_read, "unread streams": unread_stream, "400 requests at once": pipelined,
}  # fmt: skip


async def attack(port: int, token: str, count: int) -> None:
    """Until standard input ends. Fails unless every kind of attack was made, and as often as half its share."""
    os.nice(10)
    began, pace, counts = time.monotonic(), Pace(ATTACKS), {}
    clients = [asyncio.create_task(hostile(kind, port, token, pace, counts)) for kind in range(count)]
    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(", ".join(f"{counts.get(name, 0)} {name}" for name in KINDS), flush=True)
    failed = [client.exception() for client in clients if client.done()]
    if failed:
        print(f"{len(failed)} hostile clients gave up: {failed[0]!r}", flush=True)
    # Slow ones attack once in half a minute.
    few = [name for name in KINDS if counts.get(name, 0) < count // len(KINDS)]
    # With all its connections at once.
    os._exit(1 if failed or few or sum(counts.values()) < min(count, ATTACKS * (time.monotonic() - began) / 2) else 0)


# MARK: What is measured


async def headers(socket: str) -> None:
    """One request with much of each header, and what another takes that comes at the same time."""
    for size in (1_000, 10_000, 100_000):
        took, held, statuses = [], [], set()
        for name in HEADERS:
            if name == "Host":
                continue  # a second one; a long one is like any other
            for piece in ("a ", "a,", "a; ", "é,"):
                line = f"{name}: {(piece * size)[:size]}\r\n"
                began = time.perf_counter()

                async def other() -> float:
                    begun = time.perf_counter()
                    await ask(socket, "GET", "/v1/status")
                    return time.perf_counter() - begun

                beside = asyncio.create_task(other())
                with contextlib.suppress(OSError, IndexError):
                    statuses.add((await ask(socket, "GET", "/health/live", headers=line))[0])
                took.append(time.perf_counter() - began)
                held.append(await beside)
        print(f"{size // 1000:3} kB of each header: at most {1000 * max(took):.1f} ms, another at the same time at most "
              f"{1000 * max(held):.1f} ms; answers {sorted(statuses)}", flush=True)  # fmt: skip


async def sampled(process: asyncio.subprocess.Process, most: list[float]) -> None:
    while True:
        with contextlib.suppress(OSError, IndexError):  # it has ended
            most[0] = max(most[0], resident(process))
        await asyncio.sleep(0.1)


async def main() -> None:
    seconds, count = (int(word) for word in (sys.argv[1:] + ["120", "200"][len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as place:
        async with home(pathlib.Path(place), "tcp: {enabled: true, host: 127.0.0.1, port: 0}\n") as (socket, lightd):
            token = json.loads(await expect(201, socket, "POST", "/v1/tokens", {"name": "hostile", "access": "read_only"}))["token"]
            checks = json.loads(await expect(200, socket, "GET", "/v1/diagnosis"))["checks"]
            port = next(re.search(r"listens on 127\.0\.0\.1:(\d+)", json.dumps(check))[1] for check in checks if check["name"] == "TCP")
            await commands(socket, 2)
            # Something to read.
            for step in range(300):
                await turn(socket, step)
            peace = await commands(socket, max(5, seconds / 4))
            print(f"in peace      {shown(peace)}; resident {resident(lightd):.0f} MB", flush=True)
            most = [0.0]
            async with others(__file__, "--attack", port, token, str(count)) as told:
                sampling = asyncio.create_task(sampled(lightd, most))
                attacked = await commands(socket, seconds)
                sampling.cancel()
            print(f"under attack  {shown(attacked)}; resident at most {most[0]:.0f} MB", flush=True)
            print(f"{count} clients, {ATTACKS} attacks a second at most: {'; '.join(told)}", flush=True)
            await headers(socket)
    (p50, p99), (calm50, calm99) = spread(attacked), spread(peace)
    print(f"p50 {p50 / calm50:.2f} × (at most 1.5), p99 {p99 / calm99:.2f} × (at most 3), {most[0]:.0f} MB (under {MEGABYTES})")
    if p50 > 1.5 * calm50 or p99 > 3 * calm99 or most[0] >= MEGABYTES:
        sys.exit("hostile: more than is allowed")


if sys.argv[1:2] == ["--attack"]:
    asyncio.run(attack(int(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
else:
    asyncio.run(main())
