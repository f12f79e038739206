"""From the version before to this one, with what it has kept."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from home import CONFIGURATION, LIGHTD_DEB, UNITS, Home

BEFORE = "0.0.1"


def version_before(home: Home) -> str:
    """The same programs in a package with a lower version, on the controller."""
    with tempfile.TemporaryDirectory() as place:
        tree, package = Path(place, "tree"), Path(place, f"lightd_{BEFORE}.deb")
        subprocess.run(["dpkg-deb", "--raw-extract", LIGHTD_DEB, tree], check=True)
        control = tree / "DEBIAN/control"
        control.write_text(re.sub(r"^Version:.*$", f"Version: {BEFORE}", control.read_text(), flags=re.MULTILINE))
        subprocess.run(["dpkg-deb", "--build", "--root-owner-group", "-Zgzip", "-z1", tree, package],
                       check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        shutil.copy(package, home.controller.path("/root"))
        return f"/root/{package.name}"


def installed_version(home: Home) -> str:
    return home.controller.run("dpkg-query --show --showformat='${Version}' lightd")


def test_an_upgrade_keeps_the_state_and_restarts_the_service(home: Home) -> None:
    controller, wanted = home.controller, installed_version(home)
    controller.run(f"apt-get install --yes --allow-downgrades {version_before(home)}")
    assert installed_version(home) == BEFORE
    home.settle()
    kept, pid = home.kept(), home.pid
    configuration = controller.path(CONFIGURATION).read_text()
    controller.run(f"apt-get install --yes /root/{LIGHTD_DEB.name}")
    assert installed_version(home) == wanted
    home.await_replacement(pid)
    assert home.kept() == kept
    # What a person has written stays.
    assert controller.path(CONFIGURATION).read_text() == configuration
    home.switches()
    assert home.from_phone("/v1/lights").output.endswith("200")


def test_an_upgrade_leaves_a_service_off_that_was_switched_off(home: Home) -> None:
    controller = home.controller
    controller.run(f"systemctl disable --now {UNITS}")
    try:
        controller.run(f"apt-get install --yes --reinstall /root/{LIGHTD_DEB.name}")
        assert controller.attempt("systemctl is-enabled lightd").output.strip() == "disabled"
        assert not home.is_active()
    finally:
        controller.run(f"systemctl enable --now {UNITS}")
