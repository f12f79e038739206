"""scripts/install, which is also the tarball's install.sh, with what scripts/stage lays out."""

import re
import shutil
import stat
from pathlib import Path

import pytest
from conftest import REPOSITORY, files, run, succeeded


@pytest.fixture
def tree(stage: Path, tmp_path: Path) -> Path:
    """A tarball's content, to which a test may add files."""
    tree = tmp_path / "tree"
    shutil.copytree(stage, tree)
    shutil.copy(REPOSITORY / "scripts/install", tree / "install.sh")
    return tree


def install(tree: Path, root: Path, prefix: str = "/usr/local") -> None:
    succeeded(run(tree / "install.sh", DESTDIR=root, PREFIX=prefix))


def remove(tree: Path, root: Path, prefix: str = "/usr/local") -> None:
    succeeded(run(tree / "install.sh", "--remove", DESTDIR=root, PREFIX=prefix))


def test_the_programs_and_all_that_belongs_to_them_are_installed(tree: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    install(tree, root)
    installed = files(root)
    for path in [
        "/usr/local/bin/lightd", "/usr/local/bin/lightctl", "/usr/local/bin/lightsim",
        "/usr/local/share/man/man1/lightctl.1", "/usr/local/share/man/man1/lightsim.1",
        "/usr/local/share/man/man5/lightd.yaml.5", "/usr/local/share/man/man8/lightd.8",
        "/usr/local/share/bash-completion/completions/lightctl", "/usr/local/share/zsh/site-functions/_lightctl",
        "/usr/local/share/fish/vendor_completions.d/lightctl.fish", "/usr/local/share/lightsim/homes/flat.yaml",
        "/usr/lib/sysusers.d/lightd.conf", "/etc/systemd/system/lightd.service", "/etc/lightd/lightd.yaml",
    ]:  # fmt: skip
        assert path in installed
    assert stat.S_IMODE((root / "usr/local/bin/lightd").stat().st_mode) == 0o755
    assert stat.S_IMODE((root / "etc/systemd/system/lightd.service").stat().st_mode) == 0o644


def test_an_installed_program_runs(tree: Path, tmp_path: Path) -> None:
    install(tree, tmp_path / "root")
    version = succeeded(run("scripts/version")).strip()
    assert version in succeeded(run(tmp_path / "root/usr/local/bin/lightctl", "--version"))


def test_every_unit_names_the_programs_where_they_are(tree: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    (tree / "systemd/lightd-other.socket").write_text("[Socket]\nExecStartPre=/usr/local/bin/lightctl status\n")
    install(tree, root, prefix="/opt/lights")
    units = sorted((root / "etc/systemd/system").iterdir())
    assert [unit.name for unit in units] == sorted(unit.name for unit in (tree / "systemd").iterdir())
    for unit in units:
        assert "/usr/local" not in unit.read_text()
        for program in re.findall(r"^Exec\w+=([^ \n]+)", unit.read_text(), re.MULTILINE):
            is_ours = "/light" in program
            assert (root / program.lstrip("/") if is_ours else Path(program)).exists(), f"{unit.name} starts {program}"


def test_what_the_programs_and_the_documents_refer_to_is_installed(tree: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    install(tree, root, prefix="/opt/lights")
    share = root / "opt/lights/share"
    documents = [*share.glob("doc/*/*.md")]
    assert {path.name for path in documents} >= {"install.md", "operations.md", "lightctl.md", "automation.md"}
    for path in documents:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text()):
            assert (path.parent / link).exists(), f"{path.name} links to {link}"
    texts = [*share.glob("man/*/*"), root / "etc/lightd/lightd.yaml", *(root / "etc/systemd/system").iterdir()]
    named = [name for path in texts for name in re.findall(r"/[\w/]+/doc/[\w./]*\w", path.read_text())]
    assert len(named) > 3
    for name in named:
        assert (root / name.lstrip("/")).exists(), f"{name} is named"


def test_a_second_installation_keeps_the_configuration_and_removes_what_is_no_longer_a_part(
    tree: Path, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    (tree / "systemd/lightd-old.service").write_text("[Service]\nExecStart=/usr/local/bin/lightd\n")
    install(tree, root)
    (root / "etc/lightd/lightd.yaml").write_text("log_level: debug\n")
    (tree / "systemd/lightd-old.service").unlink()
    install(tree, root)
    assert (root / "etc/lightd/lightd.yaml").read_text() == "log_level: debug\n"
    assert "/etc/systemd/system/lightd-old.service" not in files(root)
    assert "/usr/local/bin/lightd" in files(root)


def test_the_removal_leaves_nothing_but_the_configuration_and_the_files_of_others(tree: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    theirs = root / "usr/local/bin/theirs"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("")
    install(tree, root)
    remove(tree, root)
    assert files(root) == {"/etc/lightd/lightd.yaml", "/usr/local/bin/theirs"}
    assert not [path for path in root.rglob("*light*") if path.is_dir() and path != root / "etc/lightd"]


def test_a_removal_of_what_is_not_there_says_so_and_removes_nothing(tree: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    install(tree, root)
    before = files(root)
    done = run(tree / "install.sh", "--remove", DESTDIR=root, PREFIX="/opt/elsewhere")
    assert done.returncode == 1 and "/opt/elsewhere" in done.stderr
    assert files(root) == before


def test_the_removal_does_not_believe_a_list_that_names_other_places(tree: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    install(tree, root)
    (root / "etc/shadow").write_text("")
    with (root / "usr/local/share/lightd/installed-files").open("a") as listed:
        listed.write("/etc/shadow\n/usr/local/bin/../../../etc/shadow\n")
    remove(tree, root)
    assert (root / "etc/shadow").exists()


def test_a_tree_without_programs_is_refused(tmp_path: Path) -> None:
    done = run("scripts/install", tmp_path, DESTDIR=tmp_path / "root")
    assert done.returncode == 1 and "make install" in done.stderr
    assert not (tmp_path / "root").exists()


def test_the_notices_of_all_packages_inside_the_programs_are_passed_on(stage: Path) -> None:
    notices = (stage / "share/doc/lightd/third-party").read_text()
    packages = re.findall(r'"location" : "[^"]*/([^/"]+?)(?:\.git)?"', (REPOSITORY / "Package.resolved").read_text())
    assert len(packages) > 10
    for package in packages:
        assert f"\n==== {package} " in notices
    for holder in ["Gwendal Roué", "JP Simard", "Fedor Indutny", "The SwiftNIO Project", "The SwiftCrypto Project"]:
        assert holder in notices
