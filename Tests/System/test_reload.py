"""`systemctl reload lightd`."""

from home import CONFIGURATION, UNIT, Home
from host import until


def test_a_good_file_is_applied_and_connections_and_streams_stay(home: Home) -> None:
    pid = home.pid
    stream = home.phone.launch(home.phone_command("/v1/events"))
    try:
        stream.wait_for("event: resync")
        connections = home.connections()
        home.configure("log_level: info\n", "log_level: debug\n")
        home.controller.run(f"systemctl reload {UNIT}")
        until(lambda: "configuration reloaded: log_level" in home.journal(), "lightd says what it has changed")
        home.switches()
        assert home.pid == pid, "lightd was restarted"
        assert connections <= home.connections(), "a connection to the bridge was dropped"
        assert stream.runs and stream.output.count("event: resync") == 1, stream.output
        stream.wait_for("event: light")
    finally:
        stream.end()
        home.configure("log_level: debug\n", "log_level: info\n")
        home.controller.run(f"systemctl reload {UNIT}")


def test_a_bad_file_is_refused_and_the_old_one_stays_in_force(home: Home) -> None:
    pid, connections = home.pid, home.connections()
    good = home.controller.path(CONFIGURATION).read_text()
    home.controller.path(CONFIGURATION).write_text(good + "\nlights_per_second: 10\n")
    try:
        for attempt in range(20):
            assert home.controller.attempt(f"systemctl reload {UNIT}").code != 0
            # Whoever looks why finds the line, though the process that has said it has ended.
            reasons = home.journal(f"--unit={UNIT} --output=cat").count(f"lightd.yaml:{good.count(chr(10)) + 2}: unknown")
            assert reasons == attempt + 1, home.journal()
        assert home.is_active() and home.pid == pid
        home.switches()
        assert connections <= home.connections(), "a connection to the bridge was dropped"
    finally:
        home.controller.path(CONFIGURATION).write_text(good)
    home.controller.run(f"systemctl reload {UNIT}")
    assert home.pid == pid
