"""The steps of the Containerfile, without a container engine. What a step of the last stage does, scripts/check-chroot tests."""

import glob
import json
import os
import re
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import REPOSITORY, run, succeeded

TEXT = (REPOSITORY / "Containerfile").read_text()


@dataclass
class Stage:
    """What is built on one image: its name if it has one, and its instructions in order."""

    image: str
    name: str
    steps: list[tuple[str, str]] = field(default_factory=list)

    def all(self, instruction: str) -> list[str]:
        return [value for name, value in self.steps if name == instruction]


def stages(text: str) -> list[Stage]:
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    found: list[Stage] = []
    for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        if not line.strip():
            continue
        instruction, _, value = line.strip().partition(" ")
        if instruction == "FROM":
            image, name = re.fullmatch(r"(\S+)(?: AS (\S+))?", value).groups()
            found.append(Stage(image, name or ""))
        else:
            found[-1].steps.append((instruction, value.strip()))
    return found


BUILD, FINAL = stages(TEXT)


def shell_commands(stage: Stage) -> list[str]:
    return [command.strip() for step in stage.all("RUN") for command in step.split("&&")]


def test_only_known_instructions_are_used() -> None:
    known = {"RUN", "COPY", "WORKDIR", "ENV", "VOLUME", "USER", "HEALTHCHECK", "ENTRYPOINT"}
    assert {name for stage in (BUILD, FINAL) for name, _ in stage.steps} <= known


def test_it_is_built_and_runs_on_the_same_debian() -> None:
    assert re.search(r"/swift:6\.3\.\d+-bookworm$", BUILD.image) and BUILD.name == "build"
    assert re.search(r"/debian:12\.\d+-slim$", FINAL.image)
    assert "bookworm" in (REPOSITORY / "debian/changelog").read_text().splitlines()[0]


def test_each_image_is_named_by_its_registry_and_exact_version() -> None:
    for stage in (BUILD, FINAL):
        assert re.fullmatch(r"docker\.io/library/[a-z]+:\d+\.\d+(\.\d+)?-[a-z]+", stage.image), stage.image


def health() -> str:
    """The command of the HEALTHCHECK, which a shell of the image runs."""
    (value,) = FINAL.all("HEALTHCHECK")
    options, command = re.fullmatch(r"((?:--\S+ +)+)CMD (.*)", value).groups()
    limits = {name: int(seconds) for name, seconds in re.findall(r"--([a-z-]+)=(\d+)s", options)}
    # It ends by itself before it is killed.
    assert int(re.search(r"--timeout (\d+)s", command)[1]) < limits["timeout"] < limits["interval"]
    return command


def test_the_health_is_whether_lightd_answers(stage: Path, tmp_path: Path) -> None:
    assert "debian/tmp/bin/lightctl usr/bin\n" in (REPOSITORY / "debian/lightd.install").read_text()
    # With no other program than the shell and lightctl.
    environment = {"PATH": str(stage / "bin"), "LIGHTCTL_SOCKET": str(tmp_path / "socket")}

    def check() -> subprocess.CompletedProcess[str]:
        return subprocess.run(["/bin/sh", "-c", health()], env=environment, capture_output=True, text=True)

    done = check()
    assert done.returncode == 1 and "lightd" in done.stderr, done
    command = [stage / "bin/lightd", "--socket", tmp_path / "socket", "--state-dir", tmp_path / "state"]
    lightd = subprocess.Popen(command, env={**os.environ, "LIGHTD_DISCOVERY_MDNS": "false"}, stderr=subprocess.PIPE)
    try:
        until = time.monotonic() + 60
        while not (tmp_path / "socket").exists() and lightd.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        done = check()
        assert done.returncode == 0 and done.stdout == done.stderr == "", done
    finally:
        lightd.terminate()
        lightd.communicate()
    assert check().returncode == 1


@pytest.mark.parametrize("step", [step for stage in (BUILD, FINAL) for step in stage.all("RUN")])
def test_each_step_is_shell(step: str) -> None:
    succeeded(run("sh", "-n", "-c", step))


def test_what_is_copied_exists() -> None:
    for source in BUILD.all("COPY"):
        *sources, target = source.split()
        assert target and all((REPOSITORY / path).exists() for path in sources)
    (step,) = FINAL.all("COPY")
    source = re.fullmatch(r"--from=build (\S+) /tmp/", step)[1]
    # The directory that 'make deb' fills in the working directory of the build.
    assert BUILD.all("WORKDIR") == ["/source"] and 'packages=$PWD/.build/packages' in (REPOSITORY / "scripts/packages").read_text()
    assert re.fullmatch(r"/source/\.build/packages/lightd_\*\.deb", source)


def test_the_context_has_all_that_the_build_needs_and_no_build_of_the_host() -> None:
    ignored = [line for line in (REPOSITORY / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    tracked = succeeded(run("git", "ls-files")).splitlines()
    assert ".build" in ignored
    for path in tracked:
        assert not any(path == name or path.startswith(f"{name}/") for name in ignored), path


def test_the_targets_of_make_exist() -> None:
    targets = [word for command in shell_commands(BUILD) if command.startswith("make") for word in command.split()[1:]]
    assert targets == ["deb"]
    assert re.search(r"^deb:", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.skipif(not glob.glob("/var/lib/apt/lists/*Packages*"), reason="needs apt's lists")
def test_the_packages_exist_in_debian() -> None:
    for stage in (BUILD, FINAL):
        for command in shell_commands(stage):
            if command.startswith("apt-get install"):
                names = [word for word in command.split()[2:] if not word.startswith("-") and "/" not in word]
                for name in names:
                    assert f"Package: {name}\n" in run("apt-cache", "show", name).stdout, name


def test_each_list_of_packages_is_fetched_before_it_is_used_and_does_not_stay_in_the_image() -> None:
    for stage in (BUILD, FINAL):
        for step in stage.all("RUN"):
            assert ("apt-get install" in step) == ("apt-get update" in step)
    assert all("rm -rf" in step and "/var/lib/apt/lists/*" in step for step in FINAL.all("RUN"))


def test_lightd_runs_without_root_on_what_the_package_installs() -> None:
    users = (REPOSITORY / "systemd/lightd.sysusers").read_text()
    (user,) = FINAL.all("USER")
    assert re.search(rf"^u {user} ", users, re.MULTILINE)
    (program,) = json.loads(FINAL.all("ENTRYPOINT")[0])
    assert program == "/usr/bin/lightd"
    assert "debian/tmp/bin/lightd usr/bin\n" in (REPOSITORY / "debian/lightd.install").read_text()
    assert FINAL.steps.index(("USER", user)) > max(
        number for number, (name, _) in enumerate(FINAL.steps) if name in ("RUN", "COPY")
    )


def test_the_directories_are_the_services_and_the_state_is_a_volume() -> None:
    unit = (REPOSITORY / "systemd/lightd.service").read_text()
    (values,) = FINAL.all("ENV")
    variables = dict(word.split("=") for word in values.split())
    for name, key, place in [
        ("STATE_DIRECTORY", "StateDirectory", "/var/lib"),
        ("CONFIGURATION_DIRECTORY", "ConfigurationDirectory", "/etc"),
    ]:
        directory = re.search(rf"^{key}=(.*)$", unit, re.MULTILINE)[1]
        assert variables[name] == f"{place}/{directory}"
    # Where lightctl looks for the service's socket.
    assert f"#socket: {variables['RUNTIME_DIRECTORY']}/lightd.sock" in (REPOSITORY / "Config/lightd.yaml").read_text()
    assert FINAL.all("VOLUME") == [variables["STATE_DIRECTORY"]]
    made = " ".join(FINAL.all("RUN"))
    for name in ["STATE_DIRECTORY", "RUNTIME_DIRECTORY"]:
        assert re.search(rf"install -d -o lightd -g lightd -m 0\d+ {variables[name]}\b", made)


def test_the_documentation_says_how_to_run_it() -> None:
    text = (REPOSITORY / "docs/install.md").read_text()
    for option in ["--network host", "--volume lightd:/var/lib/lightd"]:
        assert option in text
