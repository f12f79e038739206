"""Starts, controls and stops a lightsim."""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("LIGHTSIM", str(REPOSITORY / ".build/debug/lightsim"))

# Most clients always use ports 80 and 443. On Linux any loopback address can be used.
LOOPBACK = "127.0.0.80"


class Lightsim:
    """A running lightsim, on the ports of a real bridge unless they are given."""

    def __init__(self, host: str, *arguments: str, http: int = 80, https: int = 443) -> None:
        ports = ["--http-port", str(http), "--https-port", str(https)]
        command = [PROGRAM, "--ready-json", "--host", host, *ports, *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{' '.join(command)} ended with status {self.process.wait()}; its output is above")
        self.ready: dict[str, Any] = json.loads(line)
        self.host = host
        self.time_scale = int(arguments[arguments.index("--time-scale") + 1]) if "--time-scale" in arguments else 1

    @property
    def bridge_id(self) -> str:
        return self.ready["bridge_id"]

    def control(self, path: str, body: dict[str, Any] | None = None, method: str = "POST") -> Any:
        """Sends a request to the control port, which acts as wall switches and mains."""
        request = urllib.request.Request(
            f"http://{self.host}:{self.ready['control_port']}{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def press_button(self) -> None:
        """For half a minute of ours, however fast the bridge's time runs: who is to pair may be slow."""
        self.control("/faults", {"name": "button-pressed", "value": 30 * self.time_scale})

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests of clients, oldest first."""
        return self.control("/requests", method="GET")

    def stop(self) -> None:
        self.process.terminate()
        try:
            status = self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.process.stdout.close()
        assert status == 0, f"lightsim ended with status {status}"


def until(holds: Callable[[], Any], what: str, seconds: float = 30) -> Any:
    """Waits for a condition, up to a deadline that only a defect reaches; returns the condition's value. Asks the less often
    the longer it has waited."""
    start = time.monotonic()
    while not (value := holds()):
        waited = time.monotonic() - start
        assert waited < seconds, f"not within {seconds} s: {what}"
        time.sleep(min(max(waited / 20, 0.005), 0.05))
    return value
