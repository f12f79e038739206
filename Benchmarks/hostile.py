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
import statistics
import sys
import tempfile
import time

BRIDGE = "127.0.0.80"
LIMITS = "limits: {lights_per_second: 1000, groups_per_second: 1000}\n"
MEGABYTES = 150
# Of all hostile clients together, a second: what they take of the processors must not be what is measured.
ATTACKS = 100
# Between two commands, so that each is measured by itself.
PAUSE = 0.1
HEADERS = ["X-Lightd-Client", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Cookie", "Authorization", "Host",
           "Origin", "If-None-Match", "Accept", "Last-Event-ID", "Sec-Fetch-Site", "Connection", "Expect", "User-Agent"]  # fmt: skip


def resident(process: asyncio.subprocess.Process) -> float:
    """MB."""
    return int(pathlib.Path(f"/proc/{process.pid}/status").read_text().split("VmRSS:")[1].split()[0]) / 1024


async def ask(socket: str, method: str, path: str, body: object = None, headers: str = "") -> tuple[int, bytes]:
    """One request over a connection of its own."""
    reader, writer = await asyncio.open_unix_connection(socket)
    text = b"" if body is None else json.dumps(body).encode()
    writer.write(f"{method} {path} HTTP/1.1\r\nHost: lightd\r\nConnection: close\r\n{headers}Content-Length: {len(text)}\r\n\r\n".encode())
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


async def commands(socket: str, seconds: float) -> list[float]:
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        times.append(await turn(socket, len(times)))
        await asyncio.sleep(PAUSE)
    return times


def spread(times: list[float]) -> tuple[float, float]:
    """The median, and what 99 of 100 are within."""
    ordered = sorted(times)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, round(0.99 * len(ordered)))]


def shown(times: list[float]) -> str:
    median, slow = spread(times)
    return f"p50 {1000 * median:.2f} ms, p99 {1000 * slow:.2f} ms of {len(times)}"


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


KINDS = {
    "wrong hosts": wrong_host, "huge headers": huge_header, "slow bodies": slow_body, "abandoned reads": abandoned_read,
    "slow reads": slow_read, "unread streams": unread_stream,
}  # fmt: skip


async def attack(port: int, token: str, count: int) -> None:
    """Until standard input ends."""
    os.nice(10)
    pace, counts = Pace(ATTACKS), {}
    clients = [asyncio.create_task(hostile(kind, port, token, pace, counts)) for kind in range(count)]
    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(", ".join(f"{number} {name}" for name, number in sorted(counts.items())), flush=True)
    failed = [client.exception() for client in clients if client.done() and client.exception()]
    if failed:
        print(f"{len(failed)} hostile clients gave up: {failed[0]!r}", flush=True)
    os._exit(0)  # with all its connections at once


# MARK: lightd


@contextlib.asynccontextmanager
async def home(place: pathlib.Path):
    """A daemon that is paired with a bridge that answers to any number of commands, and a read-only token for it."""
    sim = await asyncio.create_subprocess_exec(
        os.environ["LIGHTSIM"], "--ready-json", "--host", BRIDGE, "--https-port", "0", "--http-port", "0",
        "--quirk", "unlimited", stdout=asyncio.subprocess.PIPE)  # fmt: skip
    ready = json.loads(await sim.stdout.readline())
    socket, configuration = place / "lightd.sock", place / "lightd.yaml"
    configuration.write_text(
        f"discovery: {{mdns: false, hosts: ['{BRIDGE}:{ready['https_port']}']}}\n{LIMITS}tcp: {{enabled: true, host: 127.0.0.1, port: 0}}\n")
    log = place / "lightd.log"
    lightd = await asyncio.create_subprocess_exec(
        os.environ["LIGHTD"], "--config", str(configuration), "--socket", str(socket), "--state-dir",
        str(place / "state"), stderr=log.open("wb"))  # fmt: skip
    try:
        while not socket.exists():
            await asyncio.sleep(0.01)
        _, button = await asyncio.open_connection(BRIDGE, ready["control_port"])
        button.write(b"POST /button HTTP/1.1\r\nHost: bridge\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await asyncio.sleep(0.3)
        status, answer = await ask(str(socket), "POST", "/v1/messages", {"command": "pair"})
        if status != 200:
            raise RuntimeError(answer.decode())
        status, answer = await ask(str(socket), "POST", "/v1/tokens", {"name": "hostile", "access": "read_only"})
        if status != 201:
            raise RuntimeError(answer.decode())
        _, diagnosis = await ask(str(socket), "GET", "/v1/diagnosis")
        checks = {check["name"]: check for check in json.loads(diagnosis)["checks"]}
        port = int(str(checks["TCP"]).split("listens on 127.0.0.1:")[1].split("'")[0].split('"')[0].split(",")[0])
        yield str(socket), lightd, port, json.loads(answer)["token"]
    except (OSError, IndexError):
        await asyncio.sleep(1)  # for what it says at its end
        print(f"lightd: {lightd.returncode}\n{log.read_text()[-6000:]}", file=sys.stderr)
        raise
    finally:
        for process in (lightd, sim):
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


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
        async with home(pathlib.Path(place)) as (socket, lightd, port, token):
            await commands(socket, 2)
            # Something to read.
            for step in range(300):
                await turn(socket, step)
            peace = await commands(socket, max(5, seconds / 4))
            print(f"in peace      {shown(peace)}; resident {resident(lightd):.0f} MB", flush=True)
            most = [0.0]
            others = await asyncio.create_subprocess_exec(
                sys.executable, __file__, "--attack", str(port), token, str(count), stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE)  # fmt: skip
            try:
                await others.stdout.readline()
                sampling = asyncio.create_task(sampled(lightd, most))
                attacked = await commands(socket, seconds)
                sampling.cancel()
            finally:
                others.stdin.close()
            told = (await others.stdout.read()).decode().strip()
            await others.wait()
            print(f"under attack  {shown(attacked)}; resident at most {most[0]:.0f} MB", flush=True)
            print(f"{count} clients, {ATTACKS} attacks a second at most: {told}", flush=True)
            await headers(socket)
    (p50, p99), (calm50, calm99) = spread(attacked), spread(peace)
    print(f"p50 {p50 / calm50:.2f} × (at most 1.5), p99 {p99 / calm99:.2f} × (at most 3), {most[0]:.0f} MB (under {MEGABYTES})")
    if p50 > 1.5 * calm50 or p99 > 3 * calm99 or most[0] >= MEGABYTES:
        sys.exit("hostile: more than is allowed")


if sys.argv[1:2] == ["--attack"]:
    asyncio.run(attack(int(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
else:
    asyncio.run(main())
