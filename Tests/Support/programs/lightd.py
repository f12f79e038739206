"""Starts and stops a lightd."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from socket import AF_UNIX, SOCK_STREAM, socket
from typing import Any

import requests
from lightsim import LOOPBACK, REPOSITORY, until
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection as PooledConnection
from urllib3.connectionpool import HTTPConnectionPool

PROGRAM = os.environ.get("LIGHTD", str(REPOSITORY / ".build/debug/lightd"))

# A bridge answers to more in a second than the defaults send.
CONFIGURATION = f"""
discovery: {{mdns: false, hosts: ['{LOOPBACK}:443']}}
limits: {{lights_per_second: 1000, groups_per_second: 1000}}
tcp: {{enabled: true, port: 8377}}
"""


class Lightd:
    """A running lightd with its control API on a unix socket and on TCP."""

    url = "http://127.0.0.1:8377"

    def __init__(self, place: Path, configuration: str = CONFIGURATION) -> None:
        self.place, self.socket, self.log = place, place / "lightd.sock", place / "lightd.log"
        (place / "lightd.yaml").write_text(configuration)
        self.start()

    def start(self) -> None:
        """Also again, after `stop` or `kill`, with the state that was left."""
        place = self.place
        command = [PROGRAM, "--config", place / "lightd.yaml", "--socket", self.socket, "--state-dir", place / "state"]
        # One that was killed has left its own.
        self.socket.unlink(missing_ok=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stderr=log)
        until(lambda: self.socket.exists() or self.process.poll() is not None, "lightd listens")
        assert self.process.poll() is None, self.log.read_text()

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Over the unix socket; the answer must be a success."""
        with self.local() as session:
            answer = session.request(method, f"{self.url}{path}", json=body, timeout=60)
            assert answer.ok, answer.text
            return answer.json()

    def local(self) -> requests.Session:
        """A session that reaches the unix socket by the daemon's URL."""
        session = requests.Session()
        session.mount(self.url, UnixAdapter(self.socket))
        return session

    def kill(self) -> None:
        """As a power failure does."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        self.process.terminate()
        status = self.process.wait(timeout=60)
        assert status == 0, f"lightd ended with status {status}:\n{self.log.read_text()}"


class UnixAdapter(HTTPAdapter):
    """Sends every request to one unix socket."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__()

    def get_connection_with_tls_context(self, *_: Any, **__: Any) -> HTTPConnectionPool:
        path = str(self.path)

        class Connection(PooledConnection):
            def connect(self) -> None:
                self.sock = socket(AF_UNIX, SOCK_STREAM)
                self.sock.settimeout(self.timeout)
                self.sock.connect(path)

        class Pool(HTTPConnectionPool):
            ConnectionCls = Connection

        return Pool("127.0.0.1", port=8377)


__all__ = ["Lightd"]
