"""The page's modules by themselves: their types, and what they compute."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from home import Home
from playwright.sync_api import Page

Visit = Callable[..., Page]


def test_the_types_of_the_files_fit() -> None:
    tsc = shutil.which("tsc")
    assert tsc, "tsc is missing (apt install node-typescript)"
    checked = subprocess.run(
        [tsc, "-p", Path(__file__).parent / "tsconfig.json"], capture_output=True, text=True, check=False
    )
    assert (checked.stdout, checked.returncode) == ("", 0)


@pytest.fixture
def run(home: Home, visit: Visit) -> Callable[..., Any]:
    """Runs an expression with the exports of one of the page's files, as `it`."""

    def run(file: str, expression: str, **options: Any) -> Any:
        page = visit(**options)
        return page.evaluate(
            f"""async () => {{
                const assets = new URL('.', document.querySelector('script[src$="app.js"]').src)
                const it = await import(new URL('{file}', assets))
                return await ({expression})
            }}"""
        )

    return run


def test_moments_are_worded_in_the_readers_time_zone_and_language(run: Callable[..., Any]) -> None:
    expression = """(() => {
        const now = Date.parse('2026-11-27T12:00:00Z')
        return [0, 59, 61, 599, 600, 86_400, 5 * 86_400, 7 * 86_400].map((ago) => it.ago(now - 1000 * ago, now))
    })()"""
    assert run("times.js", expression, timezone_id="Europe/Berlin", locale="en-GB") == [
        "just now", "just now", "1 min ago", "9 min ago", "12:50", "Thu 13:00", "Sun 13:00", "20 Nov 13:00",
    ]  # fmt: skip
    assert run("times.js", expression, timezone_id="Asia/Tokyo", locale="de-DE") == [
        "gerade eben", "gerade eben", "vor 1 Min.", "vor 9 Min.", "20:50", "Do 21:00", "So 21:00", "20. Nov. 21:00",
    ]  # fmt: skip


def test_a_name_with_a_mark_in_it_is_not_taken_for_one(run: Callable[..., Any]) -> None:
    assert run("text.js", "it.text`${'{2}'} ${'$&'}: ${3}`") == "{2} $&: 3"
    assert run("times.js", "it.withTime('{\\u2060at}, {clock}', '2020-01-01T00:00:00Z').startsWith('{\\u2060at}, ')")


def test_of_the_values_of_a_drag_the_newest_is_sent_and_the_last_always(run: Callable[..., Any]) -> None:
    expression = """new Promise((done) => {
        const sent = []
        let answer
        const sender = new it.Sender(
            (value) => { sent.push(value); return new Promise((resume) => { answer = resume }) },
            (failure, count) => done([sent, failure, count]))
        sender.pace = 0
        for (const value of [1, 2, 3]) sender.push('level', value)
        sender.push('tone', 'red')
        const next = () => { answer(); if (sent.length < 3) setTimeout(next, 1) }
        setTimeout(next, 1)
    })"""
    assert run("sender.js", expression) == [[1, 3, "red"], None, 3]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_events_are_read_wherever_they_are_cut(run: Callable[..., Any], end: str) -> None:
    text = end.join(["id: 7", "event: tile", "data: {", "data: ä}", "", ": nothing", "", "data: x", "", ": end"])
    expression = """(async () => {
        const bytes = new TextEncoder().encode(%r)
        const found = new Set()
        for (let cut = 0; cut <= bytes.length; cut++) {
            const body = new ReadableStream({ start(out) {
                for (const part of [bytes.slice(0, cut), bytes.slice(cut)]) out.enqueue(part)
                out.close()
            } })
            const events = []
            await it.readEvents(new Response(body), (...event) => events.push(event))
            found.add(JSON.stringify(events))
        }
        return [...found]
    })()""" % text
    assert run("stream.js", expression) == ['[["tile","{\\nä}","7"],["message","x",null]]']
