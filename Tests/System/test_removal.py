"""Removing lightd; the last tests, because nothing is left after them."""

from home import CONFIGURATION, LIGHTD_DEB, STATE, UNIT, Home


def test_a_removed_package_leaves_configuration_and_state_and_finds_them_again(home: Home) -> None:
    controller, kept = home.controller, home.kept()
    controller.run("apt-get remove --yes lightd")
    assert controller.attempt(f"systemctl is-active {UNIT}").code != 0
    assert controller.attempt("pgrep -x lightd").output == ""
    assert controller.attempt("command -v lightd lightctl").output == ""
    assert controller.path(CONFIGURATION).exists()
    assert controller.path(f"{STATE}/lightd.sqlite").exists()
    controller.run(f"apt-get install --yes /root/{LIGHTD_DEB.name}")
    home.settle()
    assert home.kept() == kept
    home.switches()


def test_a_purged_package_leaves_nothing(home: Home) -> None:
    controller = home.controller
    controller.run("apt-get purge --yes lightd")
    assert controller.attempt("pgrep -x lightd").output == ""
    left = controller.run(
        "find / -xdev ( -path /root -o -path /proc -o -path /var/cache/apt ) -prune -o -iname '*lightd*' -print"
        .replace("(", "\\(").replace(")", "\\)"))  # fmt: skip
    assert not left, left
    assert controller.attempt("systemctl list-unit-files --plain --no-legend 'lightd*'").output == ""
    assert controller.run("systemctl list-units --failed --plain --no-legend") == ""
