"""A paired home for the measurements that need no package of Python, and what they all ask of it.

LIGHTD and LIGHTSIM name the programs.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pathlib
import statistics
import sys
import time
from collections.abc import AsyncIterator
from typing import Any

BRIDGE = "127.0.0.80"
LIMITS = "limits: {lights_per_second: 1000, groups_per_second: 1000}\n"


def resident(process: asyncio.subprocess.Process) -> float:
    """MB."""
    return int(pathlib.Path(f"/proc/{process.pid}/status").read_text().split("VmRSS:")[1].split()[0]) / 1024


async def ask(socket: str, method: str, path: str, body: Any = None, headers: str = "") -> tuple[int, bytes]:
    """One request over a connection of its own: the answer's status and body."""
    reader, writer = await asyncio.open_unix_connection(socket)
    text = b"" if body is None else json.dumps(body).encode()
    writer.write(f"{method} {path} HTTP/1.1\r\nHost: lightd\r\nConnection: close\r\n{headers}Content-Length: {len(text)}\r\n\r\n".encode())
    writer.write(text)
    answer = await reader.read()
    writer.close()
    head, _, rest = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), rest


async def expect(wanted: int, socket: str, method: str, path: str, body: Any = None) -> bytes:
    status, answer = await ask(socket, method, path, body)
    if status != wanted:
        raise RuntimeError(f"{method} {path}: {status} {answer.decode()}")
    return answer


async def turn(socket: str, step: int) -> float:
    """Seconds."""
    began = time.perf_counter()
    await expect(200, socket, "POST", "/v1/messages", {"command": "turn", "to": "on" if step % 2 else "off", "target": "Desk"})
    return time.perf_counter() - began


def spread(times: list[float]) -> tuple[float, float]:
    """The median, and what 99 of 100 are within."""
    ordered = sorted(times)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, round(0.99 * len(ordered)))]


def shown(times: list[float]) -> str:
    median, slow = spread(times)
    return f"p50 {1000 * median:.2f} ms, p99 {1000 * slow:.2f} ms of {len(times)}"


@contextlib.asynccontextmanager
async def home(
    place: pathlib.Path, configuration: str = "", rooms: pathlib.Path | None = None
) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """The socket and the process of a daemon that is paired with a bridge that answers to any number of commands: of the
    small flat, or of a home file."""
    sim = await asyncio.create_subprocess_exec(
        os.environ["LIGHTSIM"], "--ready-json", "--host", BRIDGE, "--https-port", "0", "--http-port", "0",
        "--quirk", "unlimited", *(["--home", str(rooms)] if rooms else []), stdout=asyncio.subprocess.PIPE)  # fmt: skip
    ready = json.loads(await sim.stdout.readline())
    socket, file, log = place / "lightd.sock", place / "lightd.yaml", place / "lightd.log"
    file.write_text(f"discovery: {{mdns: false, hosts: ['{BRIDGE}:{ready['https_port']}']}}\n{LIMITS}{configuration}")
    lightd = await asyncio.create_subprocess_exec(
        os.environ["LIGHTD"], "--config", str(file), "--socket", str(socket), "--state-dir", str(place / "state"),
        stderr=log.open("wb"))  # fmt: skip
    try:
        while not socket.exists():
            await asyncio.sleep(0.01)
        _, button = await asyncio.open_connection(BRIDGE, ready["control_port"])
        button.write(b"POST /button HTTP/1.1\r\nHost: bridge\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await asyncio.sleep(0.3)
        await expect(200, str(socket), "POST", "/v1/messages", {"command": "pair"})
        yield str(socket), lightd
    except Exception:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(lightd.wait(), 1)
        print(f"lightd: {lightd.returncode}\n{log.read_text()[-6000:]}", file=sys.stderr)
        raise
    finally:
        for process in (lightd, sim):
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


@contextlib.asynccontextmanager
async def others(script: str, *arguments: str) -> AsyncIterator[list[str]]:
    """The clients that a script starts as a process of its own: it writes a line once they work, and ends with its standard
    input. What it writes then is given when the block ends.

    Raises if it ended before, or failed: what was measured meanwhile would be peace.
    """
    told: list[str] = []
    process = await asyncio.create_subprocess_exec(
        sys.executable, script, *arguments, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)  # fmt: skip
    try:
        if not await process.stdout.readline():
            raise RuntimeError(f"{script} {arguments[0]} ended before it began")
        yield told
        if process.returncode is not None:
            raise RuntimeError(f"{script} {arguments[0]} ended early, with {process.returncode}")
    finally:
        process.stdin.close()
        output, _ = await process.communicate()
        told += output.decode().strip().splitlines()
    if process.returncode != 0:
        raise RuntimeError(f"{script} {arguments[0]} failed with {process.returncode}")
