"""mcp: the official client of the Model Context Protocol starts `lightctl mcp` as an assistant does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from lightd import Lightd
from lightsim import LOOPBACK, REPOSITORY, Lightsim
from mcp import MCPError, StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client

PROGRAM = os.environ.get("LIGHTCTL", str(REPOSITORY / ".build/debug/lightctl"))
# Of the protocol: what began with a handshake, and what has none.
MODES = ["legacy", "2026-07-28", "auto"]


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


def assistant(daemon: Lightd, mode: str, *arguments: str, env: dict[str, str] | None = None) -> Client:
    where = arguments or ("--socket", str(daemon.socket))
    server = StdioServerParameters(command=PROGRAM, args=["mcp", *where], env=env)
    return Client(stdio_client(server), mode=mode)


def described(daemon: Lightd, body: str, value: Any) -> None:
    """Holds a value to what lightd's own description says of a body of this name."""
    document = daemon.ask("GET", "/openapi.json")
    schema = {"$ref": f"#/components/schemas/{body}", "components": document["components"]}
    jsonschema_rs.validator_for(schema).validate(value)


def text(result: Any) -> str:
    return "\n".join(content.text for content in result.content)


@pytest.mark.parametrize("mode", MODES)
async def test_every_tool_is_listed_and_can_be_called(daemon: Lightd, mode: str) -> None:
    async with assistant(daemon, mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        calls: dict[str, dict[str, Any]] = {
            "list": {"what": "rooms"}, "show": {"target": "desk"}, "why": {"target": "@living"},
            "log": {"limit": 3, "since": "1h"}, "preview": {"date": "tomorrow"},
            "turn": {"target": "desk", "to": "on", "wait": True},
            "set": {"target": "desk", "brightness": 40, "color": "orange", "over": 100, "wait": True},
            "increase": {"target": "desk", "value": "brightness", "by": 10, "wait": True},
            "decrease": {"target": "desk", "value": "brightness", "wait": True},
            "recall": {"scene": "evening", "wait": True}, "undo": {"steps": 2, "wait": True},
        }  # fmt: skip
        assert list(tools) == list(calls)
        for name, arguments in calls.items():
            schema = tools[name].input_schema
            jsonschema_rs.meta.validate(schema)
            jsonschema_rs.validator_for(schema).validate(arguments)
            result = await client.call_tool(name, arguments)
            assert not result.is_error, text(result)
            assert text(result)
            if tools[name].annotations.read_only_hint:
                continue
            described(daemon, "CommandReply", result.structured_content)
            assert result.structured_content["ticket"] > 0
        # The client calls itself "mcp" unless it is told otherwise.
        holders = [entry["holder"] for entry in daemon.ask("GET", "/v1/log?by=mcp:&limit=1000")]
        assert any(holder.endswith('with lightctl as "mcp: mcp"') for holder in holders), holders


async def test_what_is_structured_is_what_the_api_says(daemon: Lightd) -> None:
    async with assistant(daemon, "auto") as client:
        light = (await client.call_tool("show", {"target": "desk"})).structured_content
        assert light == {"lights": daemon.ask("GET", "/v1/lights?target=desk")}
        described(daemon, "Light", light["lights"][0])
        day = (await client.call_tool("preview", {})).structured_content
        described(daemon, "AutomationPreview", day)
        refused = await client.call_tool("turn", {"target": "deks", "to": "on"})
        assert refused.is_error and "did you mean 'Desk'?" in text(refused)
        described(daemon, "Error", refused.structured_content)


async def test_a_dry_run_changes_nothing(daemon: Lightd) -> None:
    before = daemon.ask("GET", "/v1/lights")
    async with assistant(daemon, "auto") as client:
        for name, arguments in {
            "turn": {"target": "all", "to": "on"}, "set": {"target": "@living", "brightness": 12},
            "increase": {"target": "stove", "value": "brightness"}, "recall": {"scene": "evening"},
        }.items():  # fmt: skip
            result = await client.call_tool(name, {**arguments, "dry_run": True})
            assert "nothing was changed" in text(result) and result.structured_content["requests"], text(result)
            described(daemon, "CommandReply", result.structured_content)
    assert daemon.ask("GET", "/v1/lights") == before


@pytest.mark.parametrize("mode", MODES)
async def test_a_guest_looks_and_switches_nothing(daemon: Lightd, mode: str, tmp_path: Path) -> None:
    token = daemon.ask("POST", "/v1/tokens", {"name": f"guest {mode}", "access": "look"})["token"]
    file = tmp_path / "token"
    file.touch(mode=0o600)
    file.write_text(token)
    async with assistant(daemon, mode, "--url", daemon.url, "--token-file", str(file)) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["list", "show", "why", "preview"]
        assert "Desk" in text(await client.call_tool("list", {}))
        refused = await client.call_tool("turn", {"target": "all", "to": "off"})
        assert refused.is_error and "this token has 'look'" in text(refused)


@pytest.mark.parametrize("mode", MODES)
async def test_mistakes_in_the_protocol_are_the_protocols_errors(daemon: Lightd, mode: str) -> None:
    async with assistant(daemon, mode) as client:
        with pytest.raises(MCPError, match="unknown tool 'turnn'; did you mean 'turn'"):
            await client.call_tool("turnn", {})
        with pytest.raises(MCPError, match="unknown method"):
            await client.list_resources()
        assert not (await client.call_tool("list", {})).is_error
