import json
import subprocess
import urllib.request

import pytest
from aiohue import HueBridgeV2, create_app_key


@pytest.fixture
def bridge():
    lightsim = subprocess.Popen(["lightsim", "--ready-json"], stdout=subprocess.PIPE, text=True)
    yield json.loads(lightsim.stdout.readline())  # one line, as soon as the bridge is there
    lightsim.terminate()
    lightsim.wait()


def control(bridge, path):
    """The control port: POST /button is the finger on the link button, `lightsim --help` shows the rest."""
    url = f"http://{bridge['host']}:{bridge['control_port']}{path}"
    urllib.request.urlopen(urllib.request.Request(url, method="POST"))


@pytest.mark.asyncio
async def test_a_lamp_is_switched_on(bridge):
    host = f"{bridge['host']}:{bridge['https_port']}"
    control(bridge, "/button")
    key = await create_app_key(host, "my_app#test")
    async with HueBridgeV2(host, key) as hue:
        desk = next(light for light in hue.lights if light.metadata.name == "Desk")
        await hue.lights.set_state(desk.id, on=True, brightness=40)
        [now] = await hue.request("get", f"clip/v2/resource/light/{desk.id}")
        assert now["on"]["on"]
