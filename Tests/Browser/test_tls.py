"""TLS by lightd itself: what a phone requires before it installs the page."""

from __future__ import annotations

import base64
import hashlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import PHONE
from home import CONFIGURATION, Home
from lightsim import until
from playwright.sync_api import Browser, BrowserContext, Page, expect

# Not localhost, which browsers trust without TLS.
NAME = "lights.home"


def openssl(*arguments: str) -> bytes:
    return subprocess.run(["openssl", *arguments], check=True, capture_output=True).stdout


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Signed by itself; the browser is told its key."""
    place = tmp_path_factory.mktemp("certificate")
    openssl(
        *"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 30 -subj /CN=lightd".split(),
        *("-addext", f"subjectAltName=DNS:{NAME}", "-keyout", str(place / "key.pem"), "-out", str(place / "cert.pem")),
    )
    (place / "key.pem").chmod(0o600)
    return place


@pytest.fixture
def phone(certificate: Path, tmp_path: Path, chromium: Browser) -> Iterator[BrowserContext]:
    """All of the browser, with a profile of its own: a private one installs nothing."""
    key = openssl("x509", "-in", str(certificate / "cert.pem"), "-noout", "-pubkey")
    der = subprocess.run(
        ["openssl", "pkey", "-pubin", "-outform", "der"], input=key, check=True, capture_output=True
    ).stdout
    pin = base64.b64encode(hashlib.sha256(der).digest()).decode()
    context = chromium.browser_type.launch_persistent_context(
        str(tmp_path / "profile"),
        executable_path=os.environ["CHROMIUM"],
        viewport=PHONE,
        args=[
            "--no-sandbox",
            f"--host-resolver-rules=MAP {NAME} 127.0.0.1",
            f"--ignore-certificate-errors-spki-list={pin}",
        ],
    )
    yield context
    context.close()


def installability(page: Page) -> list[str]:
    """What keeps the browser from installing the page."""
    session = page.context.new_cdp_session(page)
    return [error["errorId"] for error in session.send("Page.getInstallabilityErrors")["installabilityErrors"]]


def test_over_tls_the_page_is_one_that_phones_install(home: Home, certificate: Path, phone: BrowserContext) -> None:
    plain = "tcp: {enabled: true, port: 8377}"
    assert plain in CONFIGURATION

    def speak(tcp: str) -> None:
        (home.place / "lightd.yaml").write_text(CONFIGURATION.replace(plain, tcp))
        before = home.daemon.log.read_text().count("listens on TCP")
        home.daemon.process.send_signal(signal.SIGHUP)
        until(lambda: home.daemon.log.read_text().count("listens on TCP") > before, "TCP is opened again", 20)

    until(home.listens, "lightd listens on TCP", 20)
    page = phone.new_page()
    # Refused, because lightd does not know the name yet; the address is no secure one in any case.
    page.goto(f"http://{NAME}:8377/")
    assert not page.evaluate("isSecureContext") and not page.evaluate("'serviceWorker' in navigator")
    assert "not-from-secure-origin" in installability(page)

    files = f"certificate: '{certificate / 'cert.pem'}', key: '{certificate / 'key.pem'}'"
    speak(f"tcp: {{enabled: true, port: 8377, names: ['https://{NAME}:8377'], tls: {{{files}}}}}")
    link = home.link()
    assert link.startswith(f"https://{NAME}:8377/#join=")
    page.goto(link)
    page.get_by_role("button", name="Come in").click()
    expect(page.locator(".tile").first).to_be_visible()
    assert page.evaluate("isSecureContext")
    (cookie,) = phone.cookies()
    assert cookie["name"] == "__Host-lightd-8377" and cookie["secure"] and cookie["httpOnly"]
    assert page.evaluate("navigator.serviceWorker.ready.then(({active}) => active.scriptURL)").endswith("/sw.js")
    assert installability(page) == []
    # Events come over TLS, too.
    home.pin("Desk")
    expect(page.locator(".tile", has_text="Desk").first).to_be_visible()
    speak(plain)
