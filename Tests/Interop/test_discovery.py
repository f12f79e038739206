"""Discovery by mDNS with python-zeroconf, which Home Assistant and most Python clients use."""

import asyncio
import json
import socket
from collections.abc import Callable

import pytest
from aiohue.discovery import discover_bridge
from conftest import needs_mdns
from huesdk import Discover
from lightsim import Lightsim, until
from python_hue_v2 import BridgeFinder
from zeroconf import AddressResolverIPv4, ServiceInfo, Zeroconf

pytestmark = needs_mdns

# A bridge is announced at all addresses of its machine, so it listens at all of them.
EVERYWHERE = "0.0.0.0"


def test_a_bridge_is_announced_with_its_name_its_id_and_its_model(start: Callable[..., Lightsim]) -> None:
    bridge = start("--advertise", host=EVERYWHERE)
    finder = BridgeFinder()
    try:
        found: ServiceInfo = until(lambda: next(iter(finder.listener.devices.values()), None), "a bridge is announced")
        addresses = until(finder.get_bridge_addresses, "its address is known")
    finally:
        finder.close()
    assert found.properties == {b"bridgeid": bridge.bridge_id.encode(), b"modelid": b"BSB002"}
    assert found.port == 443
    assert found.name == f"Hue Bridge - {bridge.bridge_id[-6:].upper()}._hue._tcp.local."
    for address in addresses:
        assert asyncio.run(discover_bridge(address)).supports_v2


def test_a_bridge_is_found_by_its_host_name(start: Callable[..., Lightsim], monkeypatch: pytest.MonkeyPatch) -> None:
    bridge = start("--advertise", host=EVERYWHERE)
    resolver = Zeroconf()

    def resolve(name: str) -> str:
        host = AddressResolverIPv4(name if name.endswith(".") else f"{name}.")
        if not host.request(resolver, 5000):
            raise socket.gaierror(name)
        return host.parsed_addresses()[0]

    # huesdk lets the system resolve host names, which uses mDNS only if nss-mdns is installed.
    monkeypatch.setattr(socket, "gethostbyname", resolve)
    try:
        # It browses for one second, which may be too short on a busy machine.
        [found] = next(filter(None, (json.loads(Discover().find_hue_bridge_mdns(timeout=1)) for _ in range(20))))
    finally:
        resolver.close()
    assert found["name"] == f"Hue Bridge - {bridge.bridge_id[-6:].upper()}"
    assert asyncio.run(discover_bridge(found["internalipaddress"])).supports_v2
