from collections.abc import Iterator

import pytest
from home import Home
from home_assistant import HomeAssistant


@pytest.fixture(scope="session")
def assistant() -> Iterator[HomeAssistant]:
    """One for all tests: it takes seconds to start."""
    assistant = HomeAssistant()
    yield assistant
    assistant.stop()


@pytest.fixture(scope="session")
def home(assistant: HomeAssistant, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    home = Home(tmp_path_factory.mktemp("home"), assistant)
    yield home
    home.stop()


@pytest.fixture(autouse=True)
def quiet(assistant: HomeAssistant) -> Iterator[None]:
    """Whatever a test does, Home Assistant has nothing to complain of."""
    yield
    assert assistant.troubles() == []
