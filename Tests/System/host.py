"""A computer of the home: a Debian in systemd-nspawn, with a network interface on the home's ethernet."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import termios
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

PLACE = Path(os.environ["LIGHTD_TEST_SYSTEM"])
CGROUPS = [Path(group) for group in os.environ["LIGHTD_TEST_CGROUPS"].split()]
BASE, LOGS = PLACE / "base", PLACE / "logs"
# Where a host has a disk of its own.
DISK = "/srv/disk"

# What root's shell has; nothing of this machine's environment gets in.
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "DEBIAN_FRONTEND": "noninteractive",
    "SYSTEMD_PAGER": "",
}

Value = TypeVar("Value")


def until(condition: Callable[[], Value], what: str, seconds: float = 30) -> Value:
    """Waits until a condition is true, and returns its value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.1)


@dataclass(frozen=True)
class Outcome:
    """What became of a command."""

    command: str
    code: int
    output: str
    errors: str = ""

    @property
    def text(self) -> str:
        return self.output + self.errors

    def __str__(self) -> str:
        return f"'{self.command}' ended with status {self.code}:\n{self.text}"


class Running:
    """A command that is running, with what it has printed so far."""

    def __init__(self, command: str, arguments: list[str], terminal: bool) -> None:
        self.command = command
        self._bytes = b""
        if terminal:
            self._reader, writer = pty.openpty()
            termios.tcsetwinsize(writer, (40, 120))
        else:
            self._reader, writer = os.pipe()
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=writer, stderr=writer, start_new_session=True
        )
        os.close(writer)
        self._collector = threading.Thread(target=self._collect, daemon=True)
        self._collector.start()

    def _collect(self) -> None:
        while True:
            try:
                new = os.read(self._reader, 65536)
            except OSError:  # a terminal's end
                new = b""
            if not new:
                os.close(self._reader)
                return
            self._bytes += new

    @property
    def output(self) -> str:
        return self._bytes.decode(errors="replace").replace("\r\n", "\n")

    @property
    def runs(self) -> bool:
        return self.process.poll() is None

    def wait_for(self, text: str, seconds: float = 30) -> None:
        until(lambda: text in self.output or not self.runs, f"'{self.command}' prints {text!r}", seconds)
        assert text in self.output, f"'{self.command}' ended without {text!r}:\n{self.output}"

    def finish(self, timeout: float = 60) -> Outcome:
        code = self.process.wait(timeout)
        self._collector.join(5)
        return Outcome(self.command, code, self.output)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


class Host:
    """One host. Its files are the base's, and its changes are kept in memory."""

    def __init__(self, name: str, address: str, machine_id: str) -> None:
        self.name, self.address, self.machine_id = name, address, machine_id
        self.network = Path("/run/netns") / name
        place = PLACE / "hosts" / name
        self._upper, self._work, self._merged = place / "upper", place / "work", place / "root"
        self.leader = 0

    def start(self) -> None:
        """Boots, and returns when systemd has started everything."""
        for folder in (self._upper, self._work, self._merged):
            folder.mkdir(parents=True)
        layers = f"lowerdir={BASE},upperdir={self._upper},workdir={self._work}"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", layers, self._merged], check=True)
        # Without it, systemd would take this for the first boot, and ask for a language and a password.
        (self._merged / "etc/machine-id").write_text(f"{self.machine_id}\n")
        self._add_disk()
        groups = [group / self.name for group in CGROUPS]
        for group in groups:
            group.mkdir()
        joining = "".join(f"echo $$ >{group}/cgroup.procs && " for group in groups)
        nspawn = [
            "systemd-nspawn", "--boot", "--quiet", "--register=no", "--keep-unit", "--console=pipe",
            f"--directory={self._merged}", f"--machine={self.name}", f"--hostname={self.name}",
            f"--network-namespace-path={self.network}", "--link-journal=no", "--resolv-conf=off",
            # As on a real machine, where systemd may raise the limits of services.
            "--capability=CAP_SYS_RESOURCE",
        ]  # fmt: skip
        with (LOGS / f"{self.name}.console").open("wb") as console:
            self.process = subprocess.Popen(
                ["sh", "-c", f'{joining}exec "$@"', "sh", *nspawn],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console,
            )  # fmt: skip
        self.leader = until(self._init, f"{self.name} has an init")
        until(self._is_up, f"{self.name} has booted")

    def _init(self) -> int:
        """The process that is the host's first: of systemd-nspawn's children the one with processes of its own."""
        assert self.process.poll() is None, (LOGS / f"{self.name}.console").read_text()
        for child in Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split():
            try:
                numbers = re.search(r"^NSpid:(.*)$", Path(f"/proc/{child}/status").read_text(), re.MULTILINE)
            except OSError:  # it has ended
                continue
            if numbers and numbers[1].split()[-1] == "1":
                return int(child)
        return 0

    def _add_disk(self) -> None:
        """A small one with ext4, in memory, which becomes read-only at its first error."""
        image, place = self._upper.parent / "disk", self._merged / DISK.lstrip("/")
        place.mkdir()
        with image.open("wb") as file:
            file.truncate(16 << 20)
        subprocess.run(["mkfs.ext4", "-q", "-e", "remount-ro", image], check=True)
        # The loop device goes with the mount.
        subprocess.run(["mount", "-o", "loop", image, place], check=True)

    def break_disk(self) -> None:
        """The kernel finds an error on the host's disk."""
        source = ["findmnt", "--noheadings", "--output=SOURCE", self._merged / DISK.lstrip("/")]
        device = Path(subprocess.run(source, check=True, capture_output=True, text=True).stdout.strip()).name
        Path(f"/sys/fs/ext4/{device}/trigger_fs_error").write_text("broken by a test\n")

    def _is_up(self) -> bool:
        assert self.process.poll() is None, (LOGS / f"{self.name}.console").read_text()
        return self.attempt("systemctl is-system-running").output.strip() in ("running", "degraded")

    def _entering(self, command: str) -> list[str]:
        environment = [f"{name}={value}" for name, value in ENVIRONMENT.items()]
        return [
            "nsenter", "--all", f"--target={self.leader}", "--",
            "env", "-i", *environment, "/bin/sh", "-c", f"cd /root && {command}",
        ]  # fmt: skip

    def attempt(self, command: str, timeout: float = 60, input: str | None = None) -> Outcome:
        """Runs a command in root's shell, whatever becomes of it."""
        done = subprocess.run(
            self._entering(command), capture_output=True, text=True, timeout=timeout,
            **({"stdin": subprocess.DEVNULL} if input is None else {"input": input}),
        )  # fmt: skip
        return Outcome(command, done.returncode, done.stdout, done.stderr)

    def run(self, command: str, timeout: float = 60, input: str | None = None) -> str:
        """Runs a command that must succeed; its standard output."""
        outcome = self.attempt(command, timeout, input)
        assert outcome.code == 0, f"{self.name}: {outcome}"
        return outcome.output

    def launch(self, command: str, terminal: bool = False) -> Running:
        return Running(command, self._entering(command), terminal)

    def path(self, path: str) -> Path:
        """A file of the host, seen from outside."""
        return Path(f"/proc/{self.leader}/root") / path.lstrip("/")

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        place = self.path(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        place.chmod(mode)

    def ip(self, *arguments: str) -> str:
        """Changes the host's network, as its cable and its router would."""
        return subprocess.run(
            ["ip", "-netns", self.name, *arguments], check=True, capture_output=True, text=True
        ).stdout  # fmt: skip

    def properties(self, unit: str, *names: str) -> dict[str, str]:
        lines = self.run(f"systemctl show {unit} --property={','.join(names)}").splitlines()
        return dict(line.split("=", 1) for line in lines)

    def keep_journal(self) -> None:
        """For those who look for the cause of a failure."""
        if self.leader:
            (LOGS / f"{self.name}.journal").write_text(self.attempt("journalctl --output=short-precise").text)


class Bridge(Host):
    """The host of the simulated bridge, on the ports of a real one."""

    CONTROL = 9000
    UNIT = f"""
[Unit]
Description=A simulated Hue bridge
After=avahi-daemon.service

[Service]
ExecStart=/usr/bin/lightsim --host 0.0.0.0 --https-port 443 --http-port 80 --control-port {CONTROL} --advertise \
    --state-dir /var/lib/bridge

[Install]
WantedBy=multi-user.target
"""

    def control(self, path: str, body: Any = None, method: str = "POST") -> Any:
        """Acts on the bridge as a hand, a wall switch or a fault would."""
        command = ["nsenter", f"--net={self.network}", "curl", "--silent", "--fail-with-body", "--max-time", "10"]
        command += ["--request", method, f"http://127.0.0.1:{self.CONTROL}{path}"]
        if body is not None:
            command += ["--header", "Content-Type: application/json", "--data", json.dumps(body)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, f"{method} {path}: status {done.returncode}: {done.stdout}{done.stderr}"
        return json.loads(done.stdout) if done.stdout.strip() else None

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests that the bridge got, oldest first."""
        return self.control("/requests", method="GET")

    @property
    def lights(self) -> list[str]:
        home = self.control("/home", method="GET")["data"]
        return [entry["metadata"]["name"] for entry in home if entry["type"] == "light"]

    def shows(self, light: str) -> dict[str, Any]:
        """What a lamp really shows, whatever the bridge believes."""
        return self.control(f"/lights/{light}", method="GET")["shows"]


class Transcript:
    """What a person would have on the screen: commands, and what they print."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.write_text("")

    def note(self, text: str) -> None:
        with self._path.open("a") as file:
            file.write(f"# {text}\n")

    def run(self, host: Host, command: str, during: Callable[[Running], None] | None = None) -> str:
        """Runs a command that must succeed, as it would on a terminal. `during` acts while it runs."""
        running, start = host.launch(command, terminal=True), time.monotonic()
        if during:
            during(running)
        outcome = running.finish()
        print(f"{time.monotonic() - start:5.1f} s  {host.name}: {command}")
        # Without the progress that was overwritten on the screen.
        overwritten = re.compile(r"^.*(\r|\x1b\[[0-9;]*[A-Za-z])")
        lines = [overwritten.sub("", line.strip("\r")).rstrip() for line in outcome.output.split("\n")]
        with self._path.open("a") as file:
            file.write("\n".join([f"root@{host.name}:~# {command}", *lines]).rstrip() + "\n\n")
        assert outcome.code == 0, f"{host.name}: {outcome}"
        return outcome.output
