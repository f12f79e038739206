import os
from collections.abc import Callable, Iterator

import pytest
from lightsim import Lightsim


@pytest.fixture
def start() -> Iterator[Callable[..., Lightsim]]:
    """Starts bridges of the small flat, and ends them with the test."""
    running: list[Lightsim] = []

    def start(*arguments: str, **options: str) -> Lightsim:
        bridge = Lightsim(*arguments, **options)
        running.append(bridge)
        return bridge

    yield start
    for bridge in running:
        bridge.stop()


@pytest.fixture
def bridge(start: Callable[..., Lightsim]) -> Lightsim:
    """A bridge as it comes from the shop: BSB002, its limits in force, nobody paired."""
    return start()


needs_mdns = pytest.mark.skipif(
    "LIGHTD_TEST_AVAHI" not in os.environ, reason="needs the network of Tests/Support/with-avahi"
)
