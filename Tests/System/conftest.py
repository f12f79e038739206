import subprocess
from collections.abc import Iterator

import pytest
from home import Home

# The order of things in the life of an installation.
ORDER = ["install", "faults", "restarts", "reload", "upgrade", "journal", "removal"]
figures: list[str] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: ORDER.index(item.path.stem.removeprefix("test_")))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for figure in figures:
        terminalreporter.write_line(figure)


@pytest.fixture(scope="session")
def built() -> Iterator[Home]:
    home = Home()
    home.figures = figures
    try:
        try:
            home.boot()
        except (AssertionError, OSError, subprocess.CalledProcessError) as reason:
            pytest.exit(f"a home in a box cannot be run on this machine: {reason}", returncode=77)
        home.furnish()
        yield home
    finally:
        home.keep_journals()


@pytest.fixture
def home(built: Home) -> Home:
    """The home, with lightd installed and paired: one for all tests. Each finds lightd at work."""
    try:
        built.settle(30)
    except AssertionError as reason:
        # The tests that follow would all wait as long.
        pytest.exit(f"lightd did not recover from the test before: {reason}", returncode=1)
    return built
