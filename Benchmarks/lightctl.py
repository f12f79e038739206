"""Measures lightctl as a whole process, beside what else people write into scripts; called by Benchmarks/lightctl.

usage: lightctl.py [RUNS]     LIGHTD, LIGHTSIM and LIGHTCTL name the programs.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import pathlib
import socket
import ssl
import statistics
import sys
import tempfile
import time
from collections.abc import Callable

from aiohue import create_app_key

from programs import BRIDGE, PAUSE, Bridge, Daemon, home

LIGHTCTL = os.environ["LIGHTCTL"]
# Between two commands: a bridge takes ten a second, and what is measured is not its queue.
REST = 0.12

PHUE = """
import sys, phue
bridge = phue.Bridge(sys.argv[1], username=sys.argv[2])
bridge.set_light(int(sys.argv[3]), "on", sys.argv[4] == "on")
"""
AIOHUE = """
import asyncio, sys
from aiohue import HueBridgeV2
async def main():
    async with HueBridgeV2(sys.argv[1], sys.argv[2]) as hue:
        await hue.lights.set_state(sys.argv[3], on=sys.argv[4] == "on")
asyncio.run(main())
"""

NOWHERE = os.open(os.devnull, os.O_RDWR)


def run(argv: list[str], code: int = 0) -> float:
    """Seconds from the start of a process to its end, with this exit code."""
    began = time.perf_counter()
    child = os.posix_spawn(argv[0], argv, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, NOWHERE, 1), (os.POSIX_SPAWN_DUP2, NOWHERE, 2)])
    _, status = os.waitpid(child, 0)
    took = time.perf_counter() - began
    if os.waitstatus_to_exitcode(status) != code:
        raise RuntimeError(f"{argv}: {os.waitstatus_to_exitcode(status)}")
    return took


def beside(runs: int, rest: float, **ways: Callable[[bool], float]) -> dict[str, list[float]]:
    """Measures several ways by turns, so that all meet the same machine."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(runs):
        for name, way in ways.items():
            times[name].append(way(number % 2 == 0))
            time.sleep(rest)
    return times


def tell(what: str, times: dict[str, list[float]], against: str | None = None) -> None:
    base = statistics.median(times[against]) if against else None
    for name, took in times.items():
        middle = statistics.median(took)
        ratio = f"   {middle / base:5.2f} x {against}" if base and name != against else ""
        print(f"{what:<24} {name.replace('_', ' '):<26} {1000 * middle:7.2f} ms{ratio}", flush=True)
        what = ""


class UnixHTTP(http.client.HTTPConnection):
    """A warm connection to a unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("lightd")
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


def ask(connection: http.client.HTTPConnection, method: str, path: str, body: dict, headers: dict) -> float:
    text = json.dumps(body)
    began = time.perf_counter()
    connection.request(method, path, text, headers | {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    took = time.perf_counter() - began
    if answer.status >= 300:
        raise RuntimeError(f"{method} {path}: {answer.status}")
    return took


async def heard(tell: Callable[[bool], float], ours: list[str], raw: list[str], runs: int) -> dict[str, list[float]]:
    """From another app's command to the bridge until a line comes out: of `lightctl watch`, and of curl on the bridge's
    own stream."""
    times: dict[str, list[float]] = {"curl_-N_at_the_bridge": [], "lightctl_watch": []}
    marks = {"curl_-N_at_the_bridge": b"data:", "lightctl_watch": b"Sofa lamp"}
    readers = {
        name: await asyncio.create_subprocess_exec(*argv, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL)
        for name, argv in (("curl_-N_at_the_bridge", raw), ("lightctl_watch", ours))
    }
    began, counted = 0.0, 0

    async def follow(name: str) -> None:
        while line := await readers[name].stdout.readline():
            if marks[name] in line and len(times[name]) < counted:
                times[name].append(time.perf_counter() - began)

    following = [asyncio.create_task(follow(name)) for name in readers]
    await asyncio.sleep(2)
    for number in range(runs):
        counted += 1
        began = time.perf_counter()
        await asyncio.to_thread(tell, number % 2 == 0)
        await asyncio.sleep(PAUSE)
    for reader in readers.values():
        reader.terminate()
        await reader.wait()
    await asyncio.gather(*following)
    return times


async def measure(bridge: Bridge, daemon: Daemon, runs: int) -> None:
    await bridge.control("POST", "/button")
    key = await create_app_key(BRIDGE, "bench#scripts")
    ids = {light["name"]: light["id"].split("/")[-1] for light in await daemon.lights()}
    desk = ids["Desk"]
    base = f"https://{BRIDGE}/clip/v2/resource"
    curl, python, at = "/usr/bin/curl", sys.executable, str(daemon.socket)
    os.environ["LIGHTCTL_SOCKET"] = at
    number = next(
        number for number, light in (await bridge.v1(key, "lights")).items() if light["name"] == "Desk")

    def word(on: bool) -> str:
        return "on" if on else "off"

    def put(on: bool) -> float:
        body = json.dumps({"on": {"on": on}})
        headers = [part for one in (f"hue-application-key: {key}", "Content-Type: application/json") for part in ("-H", one)]
        return run([curl, "-sSfk", "-X", "PUT", *headers, "-d", body, f"{base}/light/{desk}"])

    tell("the start alone", beside(
        runs, 0, curl=lambda _: run([curl, "--version"]), lightctl=lambda _: run([LIGHTCTL, "--version"]),
        true=lambda _: run(["/bin/true"])), "curl")  # fmt: skip
    tell("and the arguments read", beside(
        runs, 0, turn=lambda _: run([LIGHTCTL, "turn", "on", "Desk", "--socket", "/nonexistent"], 3),
        list=lambda _: run([LIGHTCTL, "list", "--json", "--socket", "/nonexistent"], 3)))  # fmt: skip
    turns = beside(
        runs, REST, curl_PUT_at_the_bridge=put,
        lightctl=lambda on: run([LIGHTCTL, "turn", word(on), "Desk"]))
    # Apart, because they leave nothing of the others in the processor's caches.
    turns |= beside(
        runs, REST,
        phue=lambda on: run([python, "-c", PHUE, BRIDGE, key, number, word(on)]),
        aiohue=lambda on: run([python, "-c", AIOHUE, BRIDGE, key, desk, word(on)]))
    tell("turn on Desk", turns, "curl_PUT_at_the_bridge")
    tell("list as JSON", beside(
        runs, 0.01, curl=lambda _: run([curl, "-sSf", "--unix-socket", at, "http://lightd/v1/lights"]),
        lightctl=lambda _: run([LIGHTCTL, "list", "--json"])), "curl")  # fmt: skip
    # As the completion scripts call it when Tab is pressed after "De"; it must answer within 20 ms.
    typed = "lightctl turn on De"
    tell("Tab for a name", beside(
        runs, 0.01, list_as_JSON=lambda _: run([LIGHTCTL, "list", "--json"]),
        bash=lambda _: run([LIGHTCTL, "complete", "bash", str(len(typed)), typed, " \t\n\"'><=;|&(:"]),
        zsh_and_fish=lambda _: run([LIGHTCTL, "complete", "words", *typed.split()[1:]])), "list_as_JSON")  # fmt: skip

    warm, secure = UnixHTTP(at), ssl._create_unverified_context()
    direct = http.client.HTTPSConnection(BRIDGE, context=secure)
    tell("warm connection", beside(
        runs, REST,
        PUT_at_the_bridge=lambda on: ask(
            direct, "PUT", f"/clip/v2/resource/light/{desk}", {"on": {"on": on}}, {"hue-application-key": key}),
        POST_at_lightd=lambda on: ask(
            warm, "POST", "/v1/messages", {"command": "turn", "to": word(on), "target": "Desk"}, {})),
        "PUT_at_the_bridge")  # fmt: skip

    stream = [curl, "-sSNk", "-H", f"hue-application-key: {key}", "-H", "Accept: text/event-stream",
              f"https://{BRIDGE}/eventstream/clip/v2"]  # fmt: skip

    def from_elsewhere(on: bool) -> float:
        return ask(direct, "PUT", f"/clip/v2/resource/light/{ids['Sofa lamp']}", {"on": {"on": on}}, {"hue-application-key": key})

    tell("another app to a line", await heard(from_elsewhere, [LIGHTCTL, "watch"], stream, runs // 2),
         "curl_-N_at_the_bridge")  # fmt: skip


async def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with tempfile.TemporaryDirectory() as place:
        async with home(pathlib.Path(place)) as (bridge, daemon):
            await measure(bridge, daemon, runs)


asyncio.run(main())
