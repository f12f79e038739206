"""What people see who install lightd and use it from the same machine and from a phone."""

import json
import re
import statistics

from home import CONFIGURATION, UNIT, Home
from host import until


def test_the_package_is_installed_and_its_service_is_started_and_enabled(home: Home) -> None:
    controller = home.controller
    assert controller.run("dpkg-query --show --showformat='${Status}' lightd") == "install ok installed"
    assert controller.run(f"systemctl is-enabled {UNIT}").strip() == "enabled"
    assert controller.run(f"systemctl is-active {UNIT}").strip() == "active"
    assert controller.run("systemctl list-units --failed --plain --no-legend") == ""
    # The configuration is a conffile; this home has changed it.
    assert CONFIGURATION in controller.run("dpkg-query --show --showformat='${Conffiles}' lightd")
    assert controller.attempt("dpkg --verify lightd").output.split() == ["??5??????", "c", CONFIGURATION]


def test_lightd_runs_as_its_own_user_and_keeps_its_state_to_itself(home: Home) -> None:
    controller = home.controller
    assert controller.run(f"stat --format=%U /proc/{home.pid}").strip() == "lightd"
    assert controller.run("stat --format='%U %a' /var/lib/private/lightd").split() == ["lightd", "700"]
    assert controller.run("stat --format='%a' /var/lib/private/lightd/lightd.sqlite").strip() == "600"


def test_the_kernel_says_who_asks_and_keys_leave_only_to_root(home: Home) -> None:
    controller = home.controller
    controller.run("useradd --groups lightd anna")
    try:
        home.lightctl("turn on Desk --wait")
        assert home.lightctl_json("why Desk")[0]["cause"]["by"] == "root (uid 0) with lightctl"
        uid = controller.run("id --user anna").strip()
        as_anna = "setpriv --reuid=anna --regid=anna --init-groups "
        controller.run(as_anna + "lightctl turn off Desk --wait")
        assert home.lightctl_json("why Desk")[0]["cause"]["by"] == f"anna (uid {uid}) with lightctl"
        assert controller.attempt(as_anna + "lightctl backup --with-keys -").code == 2
        refused = json.loads(controller.run(as_anna + "lightctl --json log --access --limit 1"))[-1]
        assert refused["event"] == "refused" and refused["by"] == f"anna (uid {uid})"
        controller.run("lightctl backup --with-keys /root/keys.backup && rm /root/keys.backup")
    finally:
        controller.run("userdel anna")


def test_a_bridge_on_another_host_is_found_by_multicast(home: Home) -> None:
    found = next(entry for entry in home.lightctl_json("discover --explain") if entry["name"] == "Flat")
    assert found["address"] == f"{home.bridge.address}:443"
    assert any(attempt["way"] == "mdns" and attempt["succeeded"] for attempt in found["attempts"])


def test_commands_reach_every_lamp(home: Home) -> None:
    for power in ("on", "off"):
        home.lightctl(f"turn {power} all --wait")
        for light in home.bridge.lights:
            home.lamp_shows(light, on=power == "on")


def test_what_a_wall_switch_does_is_seen(home: Home) -> None:
    home.lightctl("turn off Sofa --wait")
    home.bridge.control("/lights/Sofa/switch")
    until(lambda: home.lightctl_json("show Sofa")[0]["power"] == "on", "lightd sees that Sofa was switched on")


def test_a_phone_with_a_token_sees_and_switches(home: Home) -> None:
    lights = home.from_phone("/v1/lights")
    assert lights.output.splitlines()[-1] == "200"
    assert {light["name"] for light in json.loads(lights.output.rpartition("\n")[0])} == set(home.bridge.lights)
    home.from_phone("/v1/messages", body={"command": "turn", "to": "on", "target": "Desk"})
    home.lamp_shows("Desk", on=True)


def test_lightctl_on_the_phone_lists_and_switches(home: Home) -> None:
    lights = json.loads(home.lightctl_on_phone("--json list"))
    assert {light["name"] for light in lights} == set(home.bridge.lights)
    for power in ("off", "on"):
        home.lightctl_on_phone(f"turn {power} Desk --wait")
        home.lamp_shows("Desk", on=power == "on")


def test_a_phone_without_a_right_token_gets_nothing(home: Home) -> None:
    home.secrets["a wrong token"] = wrong = "lightd_" + "5ec7e7" * 10
    for token in ("", wrong):
        answer = home.from_phone("/v1/lights", token=token)
        assert answer.output.splitlines()[-1] == "401", answer
        assert "Desk" not in answer.output
    reader = home.make_token("reader", read_only=True)
    assert home.from_phone("/v1/lights", token=reader).output.endswith("200")
    command = {"command": "turn", "to": "off", "target": "all"}
    assert home.from_phone("/v1/messages", token=reader, body=command).output.endswith("403")


def test_a_phone_follows_what_happens(home: Home) -> None:
    home.lightctl("turn off Sofa --wait")
    stream = home.phone.launch(home.phone_command("/v1/events"))
    try:
        stream.wait_for("event: resync")
        home.lightctl("turn on Sofa --wait")
        stream.wait_for("event: light")
    finally:
        stream.end()


def test_only_members_of_the_group_may_use_the_socket(home: Home) -> None:
    controller = home.controller
    controller.run("useradd --create-home ann")
    assert controller.attempt("runuser --user ann -- lightctl list").code == 2
    controller.run("usermod --append --groups lightd ann")
    assert "Desk" in controller.run("runuser --user ann -- lightctl list")


def test_the_unit_is_hardened(home: Home) -> None:
    report = home.controller.run(f"systemd-analyze security {UNIT}")
    exposure = re.search(r"Overall exposure level.*: ([0-9.]+)", report)
    assert exposure, report
    home.figures.append(f"systemd-analyze security lightd: {exposure[1]}")
    # 0.4 of it is PrivateUsers= and ProtectProc=, with which lightd could not know who asks over the socket.
    assert float(exposure[1]) <= 1.5, report


def test_how_long_a_start_takes(home: Home) -> None:
    """From systemd's start of the process, with the making of its sandbox, to READY; no bound, as machines differ."""
    times = []
    for _ in range(5):
        home.controller.run(f"systemctl restart {UNIT}")
        start, ready = (int(home.setting(f"{name}TimestampMonotonic")) for name in ("ExecMainStart", "ActiveEnter"))
        times.append((ready - start) / 1000)
        home.controller.run(f"systemctl reset-failed {UNIT}")
    home.figures.append(
        f"start to READY, five starts: {statistics.median(times):.0f} ms ({min(times):.0f} to {max(times):.0f})")
