"""What lightd does when it, its machine or its surroundings break. After each fault it holds what it has kept, and
switches lights."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from home import STATE, STOP, UNIT, Home
from host import DISK, until

WATCHDOG = "[Service]\nWatchdogSec=3\n"


def test_after_a_kill_systemd_starts_lightd_again(home: Home) -> None:
    kept, pid, restarts = home.kept(), home.pid, home.restarts
    with home.measured("from kill -KILL to the next lightd with its bridge"):
        home.controller.run(f"kill -KILL {pid}")
        home.await_replacement(pid)
    assert home.restarts == restarts + 1
    assert home.kept() == kept
    home.switches()


def test_after_a_kill_of_every_process_of_the_unit_systemd_starts_it_again(home: Home) -> None:
    kept, pid = home.kept(), home.pid
    home.controller.run(f"systemctl kill --kill-whom=all --signal=KILL {UNIT}")
    home.await_replacement(pid)
    assert home.kept() == kept
    home.switches()


@contextmanager
def stopped(pid: int, name: str, number: int) -> Iterator[subprocess.Popen[str]]:
    """One thread of a process hangs."""
    program = [sys.executable, str(Path(__file__).parent / "stop_thread.py"), str(pid), name, str(number)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as stopper:
        try:
            assert stopper.stdout and stopper.stderr
            assert stopper.stdout.readline(), stopper.stderr.read()
            yield stopper
        finally:
            stopper.kill()


@pytest.mark.parametrize(("name", "number"), [("lightd-tasks", 0), ("lightd-http", 0), ("lightd-http", 1)])
def test_a_thread_that_hangs_ends_in_a_restart_by_the_watchdog(home: Home, name: str, number: int) -> None:
    """The thread of the domain, and those of libcurl for a bridge's requests and its event stream; each alone."""
    with home.drop_in("watchdog", WATCHDOG):
        kept, pid = home.kept(), home.pid
        what = f"from the hang of a thread '{name}' to the next lightd with its bridge (WatchdogSec=3)"
        with stopped(home.pid_outside(), name, number), home.measured(what):
            home.await_replacement(pid)
        report = home.journal(f"--unit={UNIT} --output=cat _PID=1")
        assert "Watchdog timeout" in report
        assert home.kept() == kept
        home.switches()


def test_a_process_that_is_stopped_as_a_whole_ends_in_a_restart_by_the_watchdog(home: Home) -> None:
    with home.drop_in("watchdog", WATCHDOG):
        pid = home.pid
        home.controller.run(f"kill -STOP {pid}")
        home.await_replacement(pid)
        home.switches()


@contextmanager
def state_on(home: Home, mounting: str) -> Iterator[None]:
    """lightd's state is on a file system of its own."""
    controller, aside = home.controller, "/mnt/aside"
    controller.run(f"{STOP} && cp -a {STATE} {aside} && {mounting} {STATE}")
    controller.run(f"cp -a {aside}/. {STATE} && rm -r {aside} && systemctl start {UNIT}")
    try:
        home.settle()
        yield
    finally:
        controller.run(f"{STOP}; rm -f {STATE}/filler; cp -a {STATE} {aside} && umount {STATE}")
        controller.run(f"cp -a {aside}/. {STATE} && rm -r {aside} && systemctl start {UNIT}")
        home.settle()


SMALL_DISK = "mount -t tmpfs -o size=3m,mode=700 state"


def test_a_full_disk_stops_no_command_and_what_cannot_be_saved_is_refused(home: Home) -> None:
    with state_on(home, SMALL_DISK):
        controller, kept, pid = home.controller, home.kept(), home.pid
        controller.attempt(f"cat /dev/zero >{STATE}/filler")
        assert controller.run(f"df --output=avail {STATE}").split()[-1] == "0"
        home.switches()
        refused = controller.attempt("lightctl token create late")
        assert refused.code != 0, refused
        assert "disk" in refused.errors or "space" in refused.errors, refused
        assert home.pid == pid, "lightd was restarted"
        # Space that comes back is used without a restart.
        controller.run(f"rm {STATE}/filler")
        home.make_token("late")
        home.lightctl("token revoke late")
        assert home.pid == pid, "lightd was restarted"
        assert home.kept() == kept


def test_lightd_starts_on_a_full_disk(home: Home) -> None:
    with state_on(home, SMALL_DISK):
        kept = home.kept()
        home.controller.attempt(f"cat /dev/zero >{STATE}/filler")
        home.controller.run(f"systemctl restart {UNIT}")
        home.settle()
        home.switches()
        assert home.kept() == kept


def test_a_state_that_became_read_only_stops_no_command(home: Home) -> None:
    """As a card does that is worn out: the kernel has found an error, and lets nobody write any more."""
    with state_on(home, f"mount --bind {DISK}"):
        controller, kept, pid = home.controller, home.kept(), home.pid
        controller.break_disk()
        home.switches()
        refused = controller.attempt("lightctl token create late")
        assert refused.code != 0 and "read-only" in refused.errors, refused
        assert home.pid == pid, "lightd was restarted"
        assert home.kept() == kept
        # Nor does it keep lightd from starting, with what was saved before.
        controller.run(f"systemctl restart {UNIT}")
        home.settle()
        home.switches()
        assert home.kept() == kept


def test_a_damaged_database_is_set_aside_and_a_backup_brings_everything_back(home: Home) -> None:
    controller, kept, backup = home.controller, home.kept(), "/root/lightd.backup"
    home.lightctl(f"backup --with-keys {backup}")
    assert controller.run(f"stat --format=%a {backup}").strip() == "600"
    noise = f"dd if=/dev/urandom of={STATE}/lightd.sqlite bs=4096 count=4 conv=notrunc status=none"
    controller.run(f"{STOP}; {noise} && rm -f {STATE}/lightd.sqlite-wal && systemctl start {UNIT}")
    assert home.is_active()
    assert controller.run(f"ls {STATE}/lightd.sqlite.damaged-*")
    assert "damaged" in home.journal()
    home.lightctl(f"restore {backup}")
    home.settle()
    assert home.kept() == kept
    home.switches()
    controller.run(f"rm {backup}")


def test_a_clock_that_jumps_changes_nothing_but_the_time(home: Home) -> None:
    """The kernel has one clock for all hosts, so lightd gets a false one (libfaketime), which shows the jump but does
    not wake those who wait for a time of day."""
    controller = home.controller
    controller.run("apt-get install --yes faketime")
    library = controller.run("find /usr/lib -name libfaketime.so.1").strip()
    clock = "/etc/false-clock"
    controller.write(clock, "+0\n")
    false_clock = (
        f"[Service]\nEnvironment=LD_PRELOAD={library} FAKETIME_TIMESTAMP_FILE={clock} FAKETIME_NO_CACHE=1"
        " FAKETIME_DONT_FAKE_MONOTONIC=1 FAKETIME_DISABLE_SHM=1\n")
    with home.drop_in("clock", false_clock):
        pid, connections = home.pid, home.connections()
        for offset, jump in (("+2d", timedelta(days=2)), ("-3d", timedelta(days=-3)), ("+0", timedelta())):
            controller.write(clock, f"{offset}\n")
            home.switches()
            # That lightd has seen the jump.
            shown = datetime.fromisoformat(home.lightctl_json("log --limit 1")[0]["time"])
            assert abs(shown - datetime.now(UTC) - jump) < timedelta(hours=1)
            assert home.pid == pid, "lightd was restarted"
            assert connections <= home.connections(), "lightd has made other connections to the bridge"
        home.processes_with_a_false_clock.add(str(pid))


def test_a_bridge_that_gets_another_address_is_followed(home: Home) -> None:
    bridge, old, new = home.bridge, home.bridge.address, "192.168.68.77"
    kept = home.kept()
    bridge.address = new

    def address() -> str | None:
        return home.lightctl_json("status")["bridges"][0].get("address")

    with home.measured("from a bridge's new address to the connection there"):
        bridge.ip("address", "delete", f"{old}/24", "dev", "eth0")
        bridge.ip("address", "add", f"{new}/24", "dev", "eth0")
        until(lambda: address() == f"{new}:443", "lightd knows the address", 60)
        home.settle()
    home.switches()
    assert home.kept() == kept


def test_a_bridge_that_is_away_for_a_while_is_found_again(home: Home) -> None:
    home.bridge.run("systemctl stop bridge")
    until(lambda: not home.is_connected(), "lightd misses the bridge", 60)
    assert home.controller.attempt("lightctl turn on Desk --wait").code != 0
    with home.measured("from the start of a bridge that was away to the connection"):
        home.bridge.run("systemctl start bridge")
        home.settle()
    home.switches()


def test_an_avahi_that_stops_and_restarts_is_used_again(home: Home) -> None:
    def is_heard() -> bool:
        attempts = [attempt for entry in home.lightctl_json("discover --explain") for attempt in entry["attempts"]]
        return not any("avahi-daemon is not running" in attempt["result"] for attempt in attempts)

    controller, connections = home.controller, home.connections()
    controller.run("systemctl restart avahi-daemon")
    until(is_heard, "lightd browses by mDNS")
    # Masked, because whoever looks for avahi-daemon on the bus would start it.
    controller.run("systemctl mask --runtime --now avahi-daemon.socket avahi-daemon.service")
    assert not is_heard()
    home.switches()
    controller.run("systemctl unmask --runtime avahi-daemon.socket avahi-daemon.service")
    controller.run("systemctl start avahi-daemon.socket avahi-daemon.service")
    until(is_heard, "lightd browses by mDNS")
    assert connections <= home.connections(), "lightd has made other connections to the bridge"
