"""Restarts while somebody uses lightd."""

import json

from home import UNIT, Home
from host import until

RESTARTS = 20

# Commands one after the other, each with a brightness that no other has. Prints of each the lamp, the brightness, the
# exit status, and what lightctl said.
COMMANDS = """
level=10
while [ ! -e /run/enough ] && [ $level -lt 100 ]; do
    level=$((level + 1))
    case $((level % 3)) in 0) lamp=Desk ;; 1) lamp=Sofa ;; *) lamp=Counter ;; esac
    lightctl dim $lamp $level% >/run/said 2>&1
    echo "$lamp $level $?" $(cat /run/said)
    sleep 0.15
done
"""


def test_no_command_is_lost_in_twenty_restarts(home: Home) -> None:
    home.lightctl("turn on all --wait")
    home.bridge.control("/requests", method="DELETE")
    kept = home.kept()
    home.controller.write("/root/commands", COMMANDS)
    commands = home.controller.launch("rm -f /run/enough && exec sh /root/commands")
    try:
        until(lambda: commands.output.count("\n") > 2, "commands are sent")
        for _ in range(RESTARTS):
            home.controller.run(f"systemctl restart {UNIT}")
    finally:
        home.controller.write("/run/enough", "")
        given = [line.split(maxsplit=3) for line in commands.finish().output.splitlines()]
    home.settle()
    refused = [command for command in given if command[2] != "0"]
    accepted = {command[1]: command[0] for command in given if command[2] == "0"}
    # The last value of each lamp is what it shows; a lamp has 254 levels. The others were sent to the bridge.
    last = {lamp: level for level, lamp in accepted.items()}
    for lamp, level in last.items():
        until(lambda: abs(home.bridge.shows(lamp)["brightness"] - float(level)) < 0.5, f"{lamp} shows {level}%")
    bodies = [json.loads(request["body"]) for request in home.bridge.requests if request["method"] == "PUT"]
    sent = {body["dimming"]["brightness"] for body in bodies if "dimming" in body}
    lost = [
        command for command in given
        if command not in refused and float(command[1]) not in sent and last[command[0]] != command[1]
    ]
    outcome = f"{len(given)} commands, {len(refused)} refused, {len(lost)} accepted and lost"
    home.figures.append(f"{RESTARTS} restarts: {outcome}")
    assert not refused and not lost, (refused, lost)
    assert home.kept() == kept
