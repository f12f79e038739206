"""The examples of docs/lightsim.md are the files in recipes/: pytest runs test_lights.py, swift test runs LightTests.swift."""

import subprocess
from pathlib import Path

import pytest
from lightsim import REPOSITORY

RECIPES = Path(__file__).parent / "recipes"


@pytest.mark.parametrize("name", ["test_lights.py", "lights.sh", "LightTests.swift"])
def test_the_document_has_the_recipe_word_for_word(name: str) -> None:
    assert (RECIPES / name).read_text() in (REPOSITORY / "docs/lightsim.md").read_text()


def test_the_shell_script_succeeds() -> None:
    done = subprocess.run(["bash", RECIPES / "lights.sh"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"link button not pressed"' in done.stdout
