"""Programs of ours as children, for the measurements: a simulated bridge, and a lightd that is paired with it.

LIGHTD and LIGHTSIM name the programs.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pathlib
from collections.abc import AsyncIterator
from typing import Any

import aiohttp

HOUSE = pathlib.Path(__file__).resolve().parent.parent / "Config/homes/house.yaml"
BRIDGE = "127.0.0.80"
# Longer than a bridge gathers what happens before it tells: every change is told at once.
PAUSE = 1.3


class Program:
    """A child of ours."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @property
    def resident(self) -> float:
        """MB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    async def end(self) -> None:
        self.process.terminate()
        await self.process.wait()


class Bridge:
    """A running lightsim."""

    def __init__(self, session: aiohttp.ClientSession, program: Program, ready: dict[str, Any]) -> None:
        self.session, self.program, self.ready = session, program, ready

    async def control(self, method: str, path: str, body: Any = None) -> Any:
        url = f"http://{BRIDGE}:{self.ready['control_port']}{path}"
        async with self.session.request(method, url, json=body) as answer:
            answer.raise_for_status()
            return await answer.json(content_type=None)

    async def v1(self, key: str, path: str) -> Any:
        async with self.session.get(f"http://{BRIDGE}/api/{key}/{path}") as answer:
            return await answer.json(content_type=None)

    async def puts(self) -> list[dict[str, Any]]:
        return [one for one in await self.control("GET", "/requests") if one["method"] == "PUT" and "/light/" in one["path"]]


class Daemon:
    """A running lightd, by its socket."""

    def __init__(self, session: aiohttp.ClientSession, program: Program, socket: pathlib.Path) -> None:
        self.session, self.program, self.socket = session, program, socket

    async def post(self, **command: Any) -> Any:
        async with self.session.post("http://lightd/v1/messages", json=command) as answer:
            if answer.status >= 300:
                raise RuntimeError(f"{command}: {await answer.text()}")
            return await answer.json()

    async def lights(self) -> list[dict[str, Any]]:
        async with self.session.get("http://lightd/v1/lights") as answer:
            return await answer.json()


@contextlib.asynccontextmanager
async def bridge_of(house: pathlib.Path, *quirks: str) -> AsyncIterator[Bridge]:
    """A bridge."""
    arguments = [part for quirk in quirks for part in ("--quirk", quirk)]
    sim = await asyncio.create_subprocess_exec(
        os.environ["LIGHTSIM"], "--ready-json", "--home", str(house), "--host", BRIDGE,
        "--https-port", "443", "--http-port", "80", *arguments, stdout=asyncio.subprocess.PIPE)  # fmt: skip
    ready = json.loads(await sim.stdout.readline())
    async with aiohttp.ClientSession() as session:
        bridge = Bridge(session, Program(sim), ready)
        try:
            yield bridge
        finally:
            await bridge.program.end()


@contextlib.asynccontextmanager
async def daemon_at(place: pathlib.Path, configuration: str = "", **environment: str) -> AsyncIterator[Daemon]:
    """A daemon that looks for the bridge only at its address; its state is in the place."""
    socket, file = place / "lightd.sock", place / "lightd.yaml"
    file.write_text(f"discovery:\n  mdns: false\n  hosts: ['{BRIDGE}:443']\n{configuration}")
    lightd = await asyncio.create_subprocess_exec(
        os.environ["LIGHTD"], "--config", str(file), "--socket", str(socket), "--state-dir", str(place / "state"),
        stderr=(place / "lightd.log").open("wb"), env=os.environ | environment)  # fmt: skip
    async with aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(socket))) as session:
        daemon = Daemon(session, Program(lightd), socket)
        try:
            while not socket.exists():
                await asyncio.sleep(0.01)
            yield daemon
        finally:
            await daemon.program.end()


@contextlib.asynccontextmanager
async def home(
    place: pathlib.Path, *quirks: str, limits: str = "", house: pathlib.Path = HOUSE
) -> AsyncIterator[tuple[Bridge, Daemon]]:
    """A bridge and a daemon that is paired with it."""
    async with bridge_of(house, *quirks) as bridge, daemon_at(place, limits) as daemon:
        await bridge.control("POST", "/button")
        await daemon.post(command="pair")
        yield bridge, daemon
