"""What is wrong with how the page looks, to everybody and to programs that read it out."""

from __future__ import annotations

from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Page


def violations(page: Page, rules: list[str] | None = None) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    return [
        f"{one['id']}: {one['help']}: {node['html'][:200]}"
        for one in page.evaluate("options => axe.run(options)", options)["violations"]
        for node in one["nodes"]
    ]


def overflow(page: Page) -> int:
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
