import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lightsim import LOOPBACK, PROGRAM, Lightsim

# For the recipes, which expect an installed lightsim.
os.environ["PATH"] = f"{Path(PROGRAM).parent}:{os.environ['PATH']}"


@pytest.fixture
def start() -> Iterator[Callable[..., Lightsim]]:
    """Starts bridges with the small flat, and stops them at the end of the test."""
    running: list[Lightsim] = []

    def start(*arguments: str, host: str = LOOPBACK) -> Lightsim:
        bridge = Lightsim(host, *arguments)
        running.append(bridge)
        return bridge

    yield start
    for bridge in running:
        bridge.stop()


@pytest.fixture
def bridge(start: Callable[..., Lightsim]) -> Lightsim:
    """A new BSB002 with its usual limits and no paired client; its time runs ten times as fast as ours."""
    return start("--time-scale", "10")


needs_mdns = pytest.mark.skipif(
    "LIGHTD_TEST_AVAHI" not in os.environ, reason="needs the network of Tests/Support/with-avahi"
)
