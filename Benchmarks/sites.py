"""Measures lightctl at many sites; called by Benchmarks/sites.

usage: sites.py [SITES...]     LIGHTD, LIGHTSIM and LIGHTCTL name the programs.
"""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
import sys
import tempfile
import time

import mqtt
from frugality import house
from programs import bridge_of, daemon_at

LAMPS = 50
LIGHTCTL = os.environ["LIGHTCTL"]
TURN_OFF = '{"command":"turn","target":"all","to":"off"}'


def number(value: int) -> bytes:
    """A length, as MQTT writes it."""
    out = bytearray()
    while True:
        value, low = divmod(value, 128)
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)


def text(value: bytes) -> bytes:
    return len(value).to_bytes(2) + value


def packet(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + number(len(body)) + body


def published(topic: bytes, payload: bytes, properties: bytes = b"", retained: bool = False) -> bytes:
    return packet(0x31 if retained else 0x30, text(topic) + number(len(properties)) + properties + payload)


class Site:
    """A site as the broker sees it, in MQTT 5: it says that it is there, shows its lamps, and answers requests."""

    def __init__(self, name: str, lamp: bytes, answer: bytes) -> None:
        self.name, self.lamp, self.answer = name.encode(), lamp, answer
        self.asked = 0

    async def begin(self) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", 1883)
        base = b"lightd/" + self.name
        self.writer.write(packet(0x10, text(b"MQTT") + b"\x05\x02\x00\x00\x00" + text(b"site-" + self.name)))
        await self.read()
        info = {"version": "1.0.0", "site": self.name.decode(), "started": "2026-11-28T06:12:00.000Z", "tags": ["bench"],
                "bridges": ["b"], "lights": LAMPS}  # fmt: skip
        for lamp in range(LAMPS):
            self.writer.write(published(base + b"/light/%d" % lamp, self.lamp, retained=True))
        self.writer.write(published(base + b"/info", json.dumps(info).encode(), retained=True))
        self.writer.write(published(base + b"/status", b"online", retained=True))
        self.writer.write(packet(0x82, b"\x00\x01\x00" + text(base + b"/request") + b"\x00"))
        while (await self.read())[0] != 0x90:
            pass
        self.task = asyncio.create_task(self.serve())

    async def read(self) -> tuple[int, bytes]:
        kind = (await self.reader.readexactly(1))[0]
        length, shift = 0, 0
        while True:
            byte = (await self.reader.readexactly(1))[0]
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return kind, await self.reader.readexactly(length)

    async def serve(self) -> None:
        while True:
            kind, body = await self.read()
            if kind & 0xF0 != 0x30:
                continue
            place = 2 + int.from_bytes(body[:2])
            length, properties = body[place], body[place + 1 :]
            if length >= 0x80:
                length = (length & 0x7F) | body[place + 1] << 7
                properties = body[place + 2 :]
            topic, correlation = b"", b""
            properties = properties[:length]
            while properties:
                what, properties = properties[0], properties[1:]
                if what == 0x26:
                    for _ in range(2):
                        properties = properties[2 + int.from_bytes(properties[:2]) :]
                    continue
                value, properties = properties[2 : 2 + int.from_bytes(properties[:2])], properties[2 + int.from_bytes(properties[:2]) :]
                if what == 0x08:
                    topic = value
                elif what == 0x09:
                    correlation = value
            self.asked += 1
            answered = b"\x09" + text(correlation) + b"\x26" + text(b"status") + text(b"200")
            self.writer.write(published(topic, self.answer, answered))

    async def end(self) -> None:
        self.task.cancel()
        self.writer.write(packet(0xE0, b""))
        self.writer.close()


async def run(*words: str, **more: str) -> tuple[float, bytes]:
    """How long a program takes, and what it prints."""
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *words, stdout=asyncio.subprocess.PIPE, env={**os.environ, "LIGHTCTL_BROKER": "mqtt://127.0.0.1", **more})  # fmt: skip
    out, _ = await process.communicate()
    if process.returncode:
        sys.exit(f"{' '.join(words)[:200]} has ended with {process.returncode}")
    return time.perf_counter() - began, out


def resident(name: str) -> int:
    """Of the process with this name, in kB."""
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        words = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        if words["Name"].strip() == name:
            return int(words["VmRSS"].split()[0])
    return 0


async def measure(count: int, lamp: bytes, answer: bytes) -> None:
    sites = [Site(f"hotel-{n}", lamp, answer) for n in range(count)]
    for start in range(0, count, 100):
        await asyncio.gather(*(site.begin() for site in sites[start : start + 100]))
    await asyncio.sleep(0.5)
    listed, out = await run(LIGHTCTL, "sites")
    assert len(out.splitlines()) == count, out[:200]
    one = min([(await run(LIGHTCTL, "--site", "hotel-0", "turn", "off", "all"))[0] for _ in range(10)])
    times = []
    for _ in range(3):
        before = sum(site.asked for site in sites)
        times.append((await run(LIGHTCTL, "--site", "*", "turn", "off", "all"))[0])
        assert sum(site.asked for site in sites) == before + count
    script = f"seq 0 {count - 1} | xargs -P 32 -I N mosquitto_rr -V 5 -t lightd/hotel-N/request -e lightd/hotel-N/response/N-$$ -m '{TURN_OFF}' > /dev/null"
    others, _ = await run("sh", "-c", script)
    print(f"{count:5} sites: listed {listed:.3f} s, one asked {one:.3f} s, all asked "
          f"{' '.join(f'{t:.2f}' for t in times)} s (mosquitto_rr by xargs {others:.2f} s), broker {resident('mosquitto') // 1024} MB")  # fmt: skip
    for site in sites:
        await site.end()
    await asyncio.sleep(0.5)


async def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        # What a real lightd answers, and what it shows of a lamp.
        async with bridge_of(house(place, LAMPS), "unlimited") as bridge, daemon_at(place, mqtt.LIMITS) as daemon:
            await mqtt.paired(bridge, daemon)
            while len(await daemon.lights()) < LAMPS:
                await asyncio.sleep(0.1)
            answer = json.dumps(await daemon.post(command="turn", to="off", target="all")).encode()
        lamp = b'{"brightness":128,"color_mode":"color_temp","color_temp":2703,"effect":"off","state":"ON"}'
        print(f"an answer has {len(answer)} bytes")
        async with mqtt.broker(place):
            for count in [int(word) for word in sys.argv[1:]] or [10, 100, 1000]:
                await measure(count, lamp, answer)


if __name__ == "__main__":
    asyncio.run(main())
