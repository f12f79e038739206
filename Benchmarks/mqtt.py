"""Measures lightd on an MQTT broker; called by Benchmarks/mqtt.

usage: mqtt.py [LAMPS [SECONDS]]     LIGHTD and LIGHTSIM name the programs.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator

import aiohttp
import paho.mqtt.client as mqtt

from frugality import house, private
from gateway import spread, to_the_bridge
from programs import PAUSE, Bridge, Daemon, Program, bridge_of, daemon_at

COMMANDS = 200
CHANGES = 60


def certificates(place: pathlib.Path) -> None:
    """An authority, and what it has signed for localhost."""

    def run(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=place, check=True, capture_output=True)

    run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=bench",
        "-keyout", "ca.key", "-out", "ca.pem")  # fmt: skip
    run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost", "-addext",
        "subjectAltName=DNS:localhost", "-keyout", "broker.key", "-out", "broker.csr")  # fmt: skip
    run("x509", "-req", "-in", "broker.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
        "-copy_extensions", "copy", "-out", "broker.pem")  # fmt: skip


@contextlib.asynccontextmanager
async def broker(place: pathlib.Path) -> AsyncIterator[None]:
    """At 1883, and with TLS at 8883."""
    certificates(place)
    (place / "mosquitto.conf").write_text(f"""
listener 1883 127.0.0.1
listener 8883 127.0.0.1
certfile {place}/broker.pem
keyfile {place}/broker.key
allow_anonymous true
user root
""")
    process = await asyncio.create_subprocess_exec(
        "/usr/sbin/mosquitto", "-c", str(place / "mosquitto.conf"), stderr=asyncio.subprocess.DEVNULL)  # fmt: skip
    try:
        await asyncio.sleep(0.5)
        yield
    finally:
        process.terminate()
        await process.wait()


class Client:
    """Another program on the broker: when it heard of each topic last, and what."""

    def __init__(self, *filters: str) -> None:
        self.heard: dict[str, tuple[float, bytes]] = {}
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        self.client.on_message = lambda _, __, message: self.heard.update(
            {message.topic: (time.perf_counter(), message.payload)})  # fmt: skip
        self.client.connect("127.0.0.1")
        self.client.loop_start()
        for one in filters:
            self.client.subscribe(one)

    def end(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


PLAIN = "mqtt: {broker: 'mqtt://127.0.0.1'}\n"
LIMITS = "limits: {lights_per_second: 1000, groups_per_second: 1000}\n"


def wakeups(program: Program) -> int:
    """How often its threads have waited for something."""
    threads = pathlib.Path(f"/proc/{program.process.pid}/task").iterdir()
    words = (line.split() for thread in threads for line in (thread / "status").read_text().splitlines())
    return sum(int(word[1]) for word in words if word[0] == "voluntary_ctxt_switches:")


async def paired(bridge: Bridge, daemon: Daemon) -> None:
    await bridge.control("POST", "/button")
    await daemon.post(command="pair")


async def latency(place: pathlib.Path) -> None:
    async with bridge_of(house(place, 50), "unlimited") as bridge, daemon_at(place, PLAIN + LIMITS) as daemon:
        await paired(bridge, daemon)
        lamp = next(light for light in await daemon.lights() if light["name"] == "Lamp 0")
        topic = f"lightd/home/light/{lamp['id'].replace('/', '-')}"
        other = Client("lightd/home/light/+")
        await asyncio.sleep(2)

        async def publish(on: bool) -> None:
            other.client.publish(f"{topic}/set", "ON" if on else "OFF")

        for name, ask in (
            ("the socket", lambda on: daemon.post(command="turn", to="on" if on else "off", target="Lamp 0")),
            ("MQTT", publish),
        ):
            print(f"command to the bridge over {name:10}  {spread(await to_the_bridge(bridge, ask, COMMANDS))}")
        ours, theirs = [], []

        async def watch() -> None:
            headers, timeout = {"Accept": "text/event-stream"}, aiohttp.ClientTimeout(total=None)
            async with daemon.session.get("http://lightd/v1/events", headers=headers, timeout=timeout) as stream:
                async for line in stream.content:
                    if line.startswith(b"data:") and b'"name":"Lamp 0"' in line and b'"power"' in line:
                        theirs.append(time.perf_counter())

        watching = asyncio.create_task(watch())
        await asyncio.sleep(PAUSE)
        delays = []
        for _ in range(CHANGES):
            theirs.clear()
            await bridge.control("POST", "/lights/Lamp 0/switch")
            await asyncio.sleep(PAUSE)
            if theirs:
                delays.append(other.heard[topic][0] - theirs[0])
        watching.cancel()
        print(f"a change on the broker, after the event stream tells it  {spread(delays)}")
        other.end()


async def many(place: pathlib.Path, lamps: int) -> None:
    """From the broker's side: how long until all that a start publishes is there."""
    async with bridge_of(house(place, lamps), "unlimited") as bridge:
        async with daemon_at(place, LIMITS) as daemon:
            await paired(bridge, daemon)
            while len(await daemon.lights()) < lamps:
                await asyncio.sleep(0.1)
        other = Client("#")
        began = time.perf_counter()
        async with daemon_at(place, PLAIN + LIMITS) as daemon:
            while sum(topic.count("/") == 3 and topic.startswith("lightd/home/light/") for topic in list(other.heard)) < lamps:
                await asyncio.sleep(0.01)
            last = max(heard[0] for heard in other.heard.values())
            print(f"{lamps} lamps: {len(other.heard)} topics are on the broker {last - began:.2f} s after lightd's start")
        other.end()


async def frugal(place: pathlib.Path, seconds: float) -> None:
    tls = f"mqtt: {{broker: 'mqtts://localhost', tls: {{authority: '{place}/ca.pem'}}}}\n"
    async with bridge_of(house(place, 50), "unlimited") as bridge:
        for name, configuration in (("without a broker", ""), ("on a broker with TLS", tls)):
            folder = place / name
            folder.mkdir()
            async with daemon_at(folder, configuration + LIMITS) as daemon:
                await paired(bridge, daemon)
                await asyncio.sleep(10)
                before = wakeups(daemon.program)
                await asyncio.sleep(seconds)
                rate = (wakeups(daemon.program) - before) / seconds
                print(f"{name}: {private(daemon.program):.2f} MB its own, {rate:.2f} wake-ups a second at rest")


async def main() -> None:
    lamps = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        async with broker(place):
            for measure in (latency(place / "a"), many(place / "b", lamps)):
                (place / "a").mkdir(exist_ok=True)
                (place / "b").mkdir(exist_ok=True)
                await measure
            await frugal(place, seconds)


if __name__ == "__main__":
    asyncio.run(main())
