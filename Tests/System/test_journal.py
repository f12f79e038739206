"""What the controller's journal says after everything that has happened."""

import json

from home import UNIT, Home


def entries(home: Home, *matches: str) -> list[dict[str, str]]:
    lines = home.journal(f"--output=json --all {' '.join(matches)}").splitlines()
    return [json.loads(line) for line in lines]


def test_no_log_shows_a_secret(home: Home) -> None:
    home.secrets["a link"] = home.lightctl_json("open")["url"].partition("#join=")[2]
    controller = home.controller
    places = {
        "the journal": home.journal("--output=export --all"),
        "lightctl log": home.lightctl("--json log --limit 1000"),
        "lightctl doctor": home.lightctl("--json doctor"),
        "lightctl status": home.lightctl("--json status"),
        "the unit": controller.run(f"systemctl show {UNIT} && systemctl status {UNIT}"),
        "the arguments of processes": controller.run("cat /proc/[0-9]*/cmdline"),
    }
    assert all(len(secret) >= 16 for secret in home.secrets.values()), home.secrets.keys()
    for place, text in places.items():
        shown = [what for what, secret in home.secrets.items() if secret in text]
        assert not shown, f"{place} shows {shown}"


def test_the_journal_has_nothing_from_lightd_that_is_not_its_own(home: Home) -> None:
    """lightd speaks the journal's own protocol. By its standard error come an error that ends it, with that priority, and
    what a library prints, without one, which is information (6) then."""
    said = [
        entry for entry in entries(home, "SYSLOG_IDENTIFIER=lightd")
        if entry["_PID"] not in home.processes_with_a_false_clock]
    assert any(entry["_TRANSPORT"] == "journal" for entry in said)
    assert any(entry["_TRANSPORT"] == "stdout" for entry in said)
    others = {entry["MESSAGE"] for entry in said if entry["_TRANSPORT"] == "stdout" and entry["PRIORITY"] != "3"}
    assert not others


def test_lightd_reports_no_critical_fault_but_the_threads_that_were_hung(home: Home) -> None:
    reports = [entry["MESSAGE"] for entry in entries(home, f"--unit={UNIT}", "--priority=0..2")]
    assert [report for report in reports if "hangs: systemd is not notified" not in report] == []
