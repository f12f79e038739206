"""schemathesis: makes requests from the API's own description, right and wrong ones, and holds every answer to it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from lightd import Lightd
from lightsim import LOOPBACK, Lightsim
from schemathesis import Case, GenerationMode
from schemathesis.checks import CheckContext
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi import checks as conformance

# The same requests in every run, so that a failure can be seen again.
SEED = 20261122
# Ten times as many requests, as the laws of the other tests are then tried ten times as often.
LONG = os.environ.get("LIGHTD_TEST_LONG") == "1"
# Of a bridge that is away, or that does not confirm; every other 5xx is a defect of lightd.
THE_BRIDGE = {"bridge_unreachable", "no_bridge_found", "unconfirmed", "partly"}
STREAMS = ["/v1/events", "/v1/page/events"]
# A backup is text, of a type of its own.
schemathesis.serializer.alias("application/vnd.lightd.backup", "text/plain")
# Open to strangers; and after some guesses over TCP their sender has to wait, with every token.
SIGN_IN = "^/v1/session$"
TARGETS = ["all", "@Kitchen", "Desk", "@Evening", "Nowhere"]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lightd]:
    bridge = Lightsim(LOOPBACK, "--time-scale", "20", "--quirk", "unlimited")
    daemon = Lightd(tmp_path_factory.mktemp("lightd"))
    try:
        bridge.press_button()
        daemon.ask("POST", "/v1/messages", {"command": "pair"})
        yield daemon
    finally:
        daemon.stop()
        bridge.stop()


# A new one for each test: it remembers which methods it has tried.
@pytest.fixture
def api(daemon: Lightd) -> schemathesis.BaseSchema:
    schema = schemathesis.openapi.from_dict(daemon.ask("GET", "/openapi.json"))
    schema.config.update(base_url=daemon.url)
    schema.hook(map_body)
    return schema


def map_body(context: Any, body: Any) -> Any:
    """Names that exist, and short searches: what is left to chance would hit no light, and search for minutes."""
    if not isinstance(body, dict):
        return body
    body = dict(body)
    if isinstance(target := body.get("target"), str) and len(target) % 3:
        body["target"] = TARGETS[len(target) % len(TARGETS)]
    if isinstance(scene := body.get("scene"), str) and len(scene) % 3:
        body["scene"] = "Bright"
    if body.get("command") in ("discover", "pair"):
        # Left out or null, it would be 30.
        seconds = 30 if body.get("seconds") is None else body["seconds"]
        body["seconds"] = min(seconds, 0.05) if isinstance(seconds, int | float) else seconds
    return body


def only_the_bridge_fails(context: CheckContext, response: schemathesis.Response, case: Case) -> None:
    if response.status_code >= 500:
        code = response.json()["error"]["code"]
        assert code in THE_BRIDGE, f"{response.status_code} {code}: {response.text}"


CHECKS = [
    only_the_bridge_fails,
    conformance.status_code_conformance,
    conformance.content_type_conformance,
    conformance.response_schema_conformance,
    conformance.response_headers_conformance,
]


def operations(api: schemathesis.BaseSchema) -> Iterator[APIOperation]:
    for result in api.get_all_operations():
        operation = result.ok()
        # A stream does not end: see below.
        if operation.path not in STREAMS:
            yield operation


def check_edges(api: schemathesis.BaseSchema, session: requests.Session, *, only_methods: bool = False) -> list[int]:
    """Sends every value at an edge of its schema, right and wrong ones, unless it is only to send what follows, and every
    method that a path does not take. Returns the statuses of the answers."""
    statuses: list[int] = []
    checks = [*CHECKS, conformance.unsupported_method]
    for operation in operations(api):
        generation = api.config.generation_for(operation=operation)
        modes = list(GenerationMode)
        for case in api.iter_coverage_cases(operation, generation_modes=modes, generation_config=generation):
            if only_methods and case.method.upper() == operation.method.upper():
                continue
            case.body = map_body(None, case.body)
            statuses.append(case.call_and_validate(session=session, checks=checks, timeout=60).status_code)
    return statuses


def check(api: schemathesis.BaseSchema, session: requests.Session, examples: int) -> list[int]:
    """Sends so many right and as many wrong requests for each operation. Returns the statuses of the answers."""
    statuses: list[int] = []

    def hold(case: Case) -> None:
        statuses.append(case.call_and_validate(session=session, checks=CHECKS, timeout=60).status_code)

    for operation in operations(api):
        for mode in GenerationMode:
            bounded = settings(
                max_examples=examples * (10 if LONG else 1), deadline=None, database=None, phases=[Phase.generate],
                suppress_health_check=list(HealthCheck))  # fmt: skip
            try:
                seed(SEED)(bounded(given(case=operation.as_strategy(mode))(hold)))()
            except Unsatisfiable:
                # Where nothing is asked for, nothing can be wrong.
                assert mode is GenerationMode.NEGATIVE
    return statuses


# It ends what hangs, and measures nothing: the other lanes leave it little of a slow machine.
@pytest.mark.timeout(900)
def test_every_answer_over_the_socket_is_described(daemon: Lightd, api: schemathesis.BaseSchema) -> None:
    with daemon.local() as session:
        statuses = check_edges(api, session) + check(api, session, 6)
    # Else the requests would test little.
    assert {200, 201, 400, 404, 405, 409} <= set(statuses)
    assert "lightd made a mistake" not in daemon.log.read_text()


@pytest.mark.timeout(450)
def test_every_answer_to_a_stranger_over_tcp_is_described(daemon: Lightd, api: schemathesis.BaseSchema) -> None:
    with requests.Session() as session:
        statuses = check(api.exclude(path_regex=f"^/health/|{SIGN_IN}"), session, 2)
    assert set(statuses) <= {401, 403, 429}


@pytest.mark.timeout(450)
@pytest.mark.parametrize("access", ["read_only", "full"])
def test_every_answer_to_a_token_over_tcp_is_described(
    daemon: Lightd, api: schemathesis.BaseSchema, access: str
) -> None:
    token = daemon.ask("POST", "/v1/tokens", {"name": f"everything {access}", "access": access})["token"]
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {token}"
        # Values at the edges were sent over the socket. What a token changes is who may, which is asked before anything else.
        api = api.exclude(path_regex=SIGN_IN)
        statuses = check_edges(api, session, only_methods=True) + check(api, session, 2)
    assert {200, 400, 403, 405} <= set(statuses)


@pytest.mark.parametrize("path", STREAMS)
@pytest.mark.parametrize("access", ["read_only", "full"])
def test_streams_and_their_errors_are_described(
    daemon: Lightd, api: schemathesis.BaseSchema, access: str, path: str
) -> None:
    operation = api[path]["GET"]
    token = daemon.ask("POST", "/v1/tokens", {"name": f"{path} {access}", "access": access})["token"]
    known = {"Authorization": f"Bearer {token}"}
    for query, headers, status in [("", known, 200), ("?x=1", known, 400), ("", {}, 401)]:
        with requests.get(f"{daemon.url}{path}{query}", headers=headers, stream=True, timeout=60) as answer:
            assert answer.status_code == status
            if status == 200:
                assert answer.headers["Content-Type"] == "text/event-stream"
                assert next(answer.iter_lines(chunk_size=1)).startswith(b"id:")
            else:
                operation.validate_response(schemathesis.Response.from_any(answer))
