import os
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def run(*command: str | Path, **environment: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a program of the repository to its end, with these variables in addition to the environment."""
    variables = {**os.environ, **{name: str(value) for name, value in environment.items()}}
    return subprocess.run([str(word) for word in command], env=variables, capture_output=True, text=True, cwd=REPOSITORY)


def succeeded(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files(directory: Path) -> set[str]:
    """The paths of all files below a directory, as in /usr/bin/lightd."""
    return {f"/{path.relative_to(directory)}" for path in directory.rglob("*") if not path.is_dir()}


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What scripts/stage lays out, with the programs of the debug build."""
    tree = tmp_path_factory.mktemp("stage") / "tree"
    succeeded(run("scripts/stage", os.environ["BUILD"], tree))
    return tree
