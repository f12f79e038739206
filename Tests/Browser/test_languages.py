"""The page in its reader's language, whole."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from home import Home, section, slider, switch, tile
from looks import overflow, violations
from playwright.sync_api import Page, expect

Visit = Callable[..., Page]

SOURCES = Path(__file__).parents[2] / "Sources"
GERMAN: dict[str, str] = json.loads((SOURCES / "ControlServer/Page/Files/de.json").read_text())
# English that stands in no German text: what a reader would stumble over.
ENGLISH = re.compile(
    r"\b(the|is|are|and|of|not|with|its|it|you|your|turn|turned|set|to|by|from|what|who|this|lights?|room|on|off)\b", re.I
)


@pytest.fixture
def german(visit: Visit) -> Callable[..., Page]:
    return lambda **options: visit(locale="de-DE", **options)


def shown(page: Page) -> list[str]:
    """Every text that is seen or said."""
    return page.evaluate("""() => {
        const root = document.querySelector('dialog[open]') ?? document.body
        const texts = []
        const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
        while (walker.nextNode()) if (walker.currentNode.parentElement.checkVisibility()) texts.push(walker.currentNode.data)
        for (const node of root.querySelectorAll('[aria-label], [aria-valuetext], [placeholder], [title]')) {
            if (!node.checkVisibility()) continue
            for (const name of ['aria-label', 'aria-valuetext', 'placeholder', 'title']) {
                if (node.hasAttribute(name)) texts.push(node.getAttribute(name))
            }
        }
        return texts.map((text) => text.trim()).filter(Boolean)
    }""")


def english(page: Page, names: set[str]) -> list[str]:
    return [text for text in shown(page) if ENGLISH.search(re.sub("|".join(map(re.escape, names)) or "$^", "", text))]


def places(page: Page, home: Home) -> Iterator[str]:
    sheet = page.get_by_role("dialog")
    yield "the home"
    switch(section(page, "Living"), "Fan").click()
    expect(page.locator("#toast")).to_be_visible()
    yield "with a toast"
    slider(section(page, "Living"), "Desk").click()
    yield "a light"
    page.keyboard.press("Escape")
    page.locator("#menu").click()
    expect(sheet).to_be_visible()
    yield "the menu"
    page.keyboard.press("Escape")


def test_a_german_reader_finds_no_english(home: Home, german: Callable[..., Page]) -> None:
    page = german(viewport={"width": 320, "height": 640}, reduced_motion="reduce")
    assert page.evaluate("document.documentElement.lang") == "de"
    names = {one["name"] for what in ("lights", "rooms", "scenes") for one in json.loads(home.lightctl("--json", "list", what))}
    for place in places(page, home):
        assert english(page, names) == [], place
        assert overflow(page) == 0 and violations(page) == [], place


def test_each_reader_has_a_language_of_their_own_at_the_same_time(home: Home, visit: Visit, german: Any) -> None:
    pages = {"Off": visit(locale="en-GB"), "Aus": german(), "Off ": visit(locale="fr-FR")}
    home.command("turn", to="off", target="Desk", wait=True)
    for words, page in pages.items():
        expect(tile(section(page, "Living"), "Desk").locator(".level b")).to_have_text(words.strip())
