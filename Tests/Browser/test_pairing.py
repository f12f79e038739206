"""The first minutes in a home: no bridge is paired."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from home import Home, said, section, slider
from looks import violations
from playwright.sync_api import Page, expect


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    home = Home(tmp_path_factory.mktemp("home"), paired=False)
    yield home
    home.stop()


def test_a_bridge_is_paired_on_the_page(home: Home, visit: Callable[..., Page]) -> None:
    page = visit(home.link())
    pair = page.get_by_role("main").get_by_role("button", name="Pair a bridge")
    expect(pair).to_be_visible()
    assert violations(page) == []
    pair.click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="Flat").click()
    expect(sheet.get_by_role("heading", name="Press the button on the bridge")).to_be_visible()
    # It counts down.
    expect(sheet.locator(".seconds")).to_have_text(said("^2[0-9]$"))
    home.bridge.press_button()
    expect(sheet.get_by_role("heading", name="Paired")).to_be_visible()
    expect(sheet).to_contain_text("Flat\u2069: 5 lights")
    sheet.get_by_role("button", name="Done").click()
    expect(slider(section(page, "Living"), "Desk")).to_be_visible()
    expect(page.get_by_role("main").get_by_role("button", name="Pair a bridge")).to_have_count(0)

    page.get_by_role("button", name="Menu").click()
    sheet.get_by_role("button", name="Forget").click()
    sheet.get_by_role("button", name="Forget").click()
    expect(page.get_by_role("main").get_by_role("button", name="Pair a bridge", include_hidden=True)).to_have_count(1)
    expect(page.locator(".tile")).to_have_count(0)
