"""What debian/ says, without a build of the packages: scripts/check-packages looks at those."""

import re
import shutil
from pathlib import Path

import pytest
from conftest import REPOSITORY, files, run, succeeded

DEBIAN = REPOSITORY / "debian"
PACKAGES = ["lightd", "lightsim"]
# What debhelper adds by itself.
ADDED = re.compile(r"/usr/share/doc/\w+/(changelog(\.Debian)?\.gz|copyright)|/usr/share/lintian/overrides/\w+")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files from which scripts/version takes the version."""
    for name in ["scripts/version", "debian/changelog", "Sources/ControlProtocol/Release.swift"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, tmp_path / name)
    return tmp_path


def test_programs_and_packages_have_the_same_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", succeeded(run("scripts/version")))
    assert int(succeeded(run("scripts/version", "--date"))) > 1_700_000_000


@pytest.mark.parametrize("file", ["debian/changelog", "Sources/ControlProtocol/Release.swift"])
def test_different_versions_are_refused(checkout: Path, file: str) -> None:
    version = succeeded(run(checkout / "scripts/version")).strip()
    path = checkout / file
    path.write_text(path.read_text().replace(version, "98.7.6", 1))
    done = run(checkout / "scripts/version")
    assert done.returncode == 1 and done.stdout == ""
    assert version in done.stderr and "98.7.6" in done.stderr


def packed(stage: Path, package: str) -> dict[str, str]:
    """The staged files of a package, by their paths in it."""
    found = {}
    for line in (DEBIAN / f"{package}.install").read_text().splitlines():
        source, target = line.split(" ")
        for path in stage.glob(source.removeprefix("debian/tmp/")):
            for file in [path, *path.rglob("*")]:
                if not file.is_dir():
                    found[f"/{target}/{file.relative_to(path.parent)}"] = f"/{file.relative_to(stage)}"
    for line in (DEBIAN / f"{package}.manpages").read_text().split():
        page = Path(line).relative_to("debian/tmp")
        assert (stage / page).exists(), f"{line} is not there"
        found[f"/usr/{page}.gz"] = f"/{page}"
    return found


def test_nothing_is_taken_from_the_source_tree_in_the_place_of_what_is_staged() -> None:
    for package in PACKAGES:
        for name in ["install", "manpages"]:
            for line in (DEBIAN / f"{package}.{name}").read_text().splitlines():
                assert line.startswith("debian/tmp/"), line


def test_each_staged_file_is_in_exactly_one_package_but_for_the_notices_which_both_need(stage: Path) -> None:
    sources = [source for package in PACKAGES for source in packed(stage, package).values()]
    notices = "/share/doc/lightd/third-party"
    assert sorted(sources) == sorted([*files(stage), notices])


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_has_the_files_that_its_list_names(stage: Path, package: str) -> None:
    lines = (REPOSITORY / "Tests/Packaging" / f"{package}.files").read_text().splitlines()
    listed = {line.split(" ")[2].removeprefix(".") for line in lines if not line.startswith("d")}
    # dh_compress does that to what is large.
    paths = [path for path in packed(stage, package) if not path.startswith("/lib/systemd/")]
    expected = {f"{path}.gz" if path.endswith("third-party") else path for path in paths}
    assert {path for path in listed if not ADDED.fullmatch(path)} == expected


def test_everything_in_a_package_belongs_to_root_and_nobody_else_may_write_it() -> None:
    for package in PACKAGES:
        for line in (REPOSITORY / "Tests/Packaging" / f"{package}.files").read_text().splitlines():
            mode, owner, *_ = line.split(" ")
            assert owner == "root/root" and mode[5] == "-" and mode[8] == "-", line


def test_the_build_needs_the_packages_that_make_installs() -> None:
    control = (DEBIAN / "control").read_text()
    needed = re.findall(r"lib[\w-]+-dev|zlib1g-dev", control.split("\n\n")[0])
    made = re.search(r"^BUILD_PACKAGES := (.*)$", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    assert made and sorted(made[1].split()) == sorted(needed)


@pytest.mark.parametrize("script", sorted(path.name for path in DEBIAN.glob("*.p*") if path.suffix != ".pc"))
def test_the_scripts_are_shell(script: str) -> None:
    if re.search(r"\.(pre|post)(inst|rm)$", script):
        succeeded(run("sh", "-n", DEBIAN / script))
