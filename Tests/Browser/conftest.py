import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from home import Home
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}
# A name that leads here although it is none of lightd's, as one that an attacker's DNS server gives.
REBOUND = "rebound.example"

# A limit that only a defect reaches.
expect.set_options(timeout=30_000)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """What draws pages in the browser, without the browser around it, which would take twice the processor time."""
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(
            executable_path=os.environ["HEADLESS_SHELL"],
            args=["--no-sandbox", f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1"],
        )


@pytest.fixture(scope="module")
def home(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """As the module's `HOME` and `MORE` describe it, or a small flat."""
    module = request.module
    home = Home(
        tmp_path_factory.mktemp("home"),
        file=getattr(module, "HOME", None),
        more=getattr(module, "MORE", ""),
    )
    yield home
    home.stop()


def come_in(page: Page) -> None:
    """Whoever signs in is asked what the device is called."""
    page.add_locator_handler(page.locator("form.welcome .link"), lambda button: button.click())


@pytest.fixture
def visit(chromium: Browser, home: Home) -> Iterator[Callable[..., Page]]:
    """Opens the page in a browser of its own. Without an address: signed in already, as by a link. Any error on the
    console, and so any violation of the Content-Security-Policy, fails the test, unless `expected` matches it. Who signs
    in comes in without a name, unless the test does it (`is_welcome`)."""
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def visit(
        url: str | None = None,
        access: str = "full",
        expected: str | None = None,
        is_welcome: bool = False,
        **options: Any,
    ) -> Page:
        # A service worker would answer in place of the daemon.
        context = chromium.new_context(**{"viewport": DESKTOP, "service_workers": "block", **options})
        contexts.append(context)
        if not is_welcome:
            context.on("page", come_in)
            if url is None:
                context.add_cookies(home.session(access))
        page = context.new_page()

        def hear(message: ConsoleMessage) -> None:
            words = f"{message.text} {message.location['url']}"
            if message.type == "error" and not (expected and re.search(expected, words)):
                problems.append(words)

        page.on("console", hear)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(url or (home.link(access) if is_welcome else home.url))
        if url is None:
            expect(page.locator(".tile").first).to_be_visible()
        return page

    yield visit
    for context in contexts:
        context.close()
    assert not problems
