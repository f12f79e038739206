import ControlProtocol

/// The API's description for programs, OpenAPI 3.1. Written by hand beside the code it describes; a test holds its paths to
/// those that are served and its schemas to the bodies that are sent.
enum OpenAPI {
    static let document = #"""
        {
          "openapi": "3.1.0",
          "info": {
            "title": "lightd",
            "version": "\#(Release.version)",
            "description": "Philips Hue lights at home. Spoken over a unix socket, and over TCP with a bearer token where that is configured. Brightness and saturation are per cent, hue is degrees, temperature is mirek, times are ISO 8601 in UTC, durations of a change are milliseconds."
          },
          "security": [{}, {"token": []}],
          "paths": {
            "/v1/lights": {"get": {
              "summary": "Lights, by room and name",
              "parameters": [{"name": "target", "in": "query", "description": "Only these: a light's name, @room, all, or an id.", "schema": {"type": "string"}}],
              "responses": {"200": {"$ref": "#/components/responses/Lights"}, "default": {"$ref": "#/components/responses/Error"}}
            }},
            "/v1/rooms": {"get": {
              "summary": "Rooms, then zones",
              "responses": {"200": {"description": "Rooms and zones by name", "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Room"}}}}}, "default": {"$ref": "#/components/responses/Error"}}
            }},
            "/v1/scenes": {"get": {
              "summary": "Scenes, by room and name",
              "responses": {"200": {"description": "Scenes", "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Scene"}}}}}, "default": {"$ref": "#/components/responses/Error"}}
            }},
            "/v1/bridges": {"get": {
              "summary": "Paired bridges and how the lines to them are",
              "responses": {"200": {"description": "Bridges", "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Bridge"}}}}}, "default": {"$ref": "#/components/responses/Error"}}
            }},
            "/v1/dashboard": {"get": {
              "summary": "What is pinned, in its order",
              "responses": {"200": {"description": "Pins", "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pin"}}}}}, "default": {"$ref": "#/components/responses/Error"}}
            }},
            "/v1/status": {"get": {
              "summary": "How the daemon is",
              "responses": {"200": {"description": "Status", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}}}, "default": {"$ref": "#/components/responses/Error"}}
            }},
            "/v1/log": {"get": {
              "summary": "Who asked for what, and what came of it",
              "description": "The newest entries, oldest first. With 'Accept: text/event-stream' it follows: every new entry comes as a 'log' event; earlier ones come first where 'since', 'after' or 'limit' is given, and 'resync' where entries may have been passed over.",
              "parameters": [
                {"name": "since", "in": "query", "description": "Only from this moment on.", "schema": {"type": "string", "format": "date-time"}},
                {"name": "after", "in": "query", "description": "Only entries after this number.", "schema": {"type": "integer"}},
                {"name": "feature", "in": "query", "schema": {"type": "string", "enum": ["lighting", "bridges", "dashboard", "logging"]}},
                {"name": "limit", "in": "query", "description": "At most so many, the newest.", "schema": {"type": "integer", "minimum": 1, "maximum": 10000, "default": 100}}
              ],
              "responses": {"200": {"description": "Entries", "content": {
                "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/LogEntry"}}},
                "text/event-stream": {"schema": {"type": "string"}}
              }}, "default": {"$ref": "#/components/responses/Error"}}
            }},
            "/v1/messages": {"post": {
              "summary": "Give a command",
              "description": "Answers when the outcome is known; with 'wait' only when the bridges have confirmed what was asked for, or with 504 or 502 where some of it was not confirmed in time, 10 s later at most. After 'pair' it waits, at most 5 s, until the bridge's lights are known.",
              "parameters": [{"name": "X-Lightd-Client", "in": "header", "description": "Who asks, for the log.", "schema": {"type": "string", "maxLength": 64}}],
              "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Command"}}}},
              "responses": {"200": {"description": "It succeeded", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CommandReply"}}}}, "default": {"$ref": "#/components/responses/Error"}}
            }},
            "/v1/events": {"get": {
              "summary": "Follow what changes",
              "description": "Server-sent events: first 'resync' ({\"reason\":\"connected\"} or, where events after Last-Event-ID were lost, {\"reason\":\"missed\"}): fetch everything. Then 'light', 'room', 'scene', 'bridge' with the thing as it is now, 'dashboard' with all pins, 'removed' with {\"kind\",\"id\"}. Ids rise. A reader that is slow gets the newest state, not every step on the way. A comment comes every 15 s.",
              "parameters": [{"name": "Last-Event-ID", "in": "header", "schema": {"type": "string"}}],
              "responses": {"200": {"description": "A stream that ends with the daemon", "content": {"text/event-stream": {"schema": {"type": "string"}}}}, "default": {"$ref": "#/components/responses/Error"}}
            }},
            "/health/live": {"get": {
              "summary": "The process answers",
              "security": [],
              "responses": {"200": {"$ref": "#/components/responses/Health"}, "default": {"$ref": "#/components/responses/Error"}}
            }},
            "/health/ready": {"get": {
              "summary": "The home answers, whether or not a bridge does",
              "security": [],
              "responses": {"200": {"$ref": "#/components/responses/Health"}, "default": {"$ref": "#/components/responses/Error"}}
            }},
            "/openapi.json": {"get": {
              "summary": "This document",
              "responses": {"200": {"description": "OpenAPI 3.1", "content": {"application/json": {"schema": {"type": "object"}}}}, "default": {"$ref": "#/components/responses/Error"}}
            }}
          },
          "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "Over TCP only."}},
            "responses": {
              "Lights": {"description": "Lights", "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Light"}}}}},
              "Health": {"description": "Well", "content": {"application/json": {"schema": {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}}}},
              "Error": {"description": "What went wrong. 400 invalid; 401 no token; 403 not allowed; 404 no such target or path; 405 another method; 409 ambiguous; 413 body over 64 KiB; 422 the lamp or bridge refuses; 500 our fault; 502 some parts failed; 503 bridge or daemon out of reach; 504 sent but not confirmed.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
            },
            "schemas": {
              "Light": {
                "type": "object",
                "required": ["id", "name", "zones", "power", "freshness", "since", "bridge", "display", "limits", "cause"],
                "properties": {
                  "id": {"type": "string"}, "name": {"type": "string"}, "room": {"type": "string"},
                  "zones": {"type": "array", "items": {"type": "string"}},
                  "power": {"enum": ["on", "off"]},
                  "brightness": {"$ref": "#/components/schemas/Percent"},
                  "color": {"type": "string", "description": "#rrggbb at full brightness, for a swatch."},
                  "hue": {"type": "number", "minimum": 0, "maximum": 360},
                  "saturation": {"$ref": "#/components/schemas/Percent"},
                  "temperature": {"type": "integer", "description": "Mirek."},
                  "mode": {"enum": ["color", "temperature"]},
                  "freshness": {"enum": ["confirmed", "expected", "stale", "unreachable"]},
                  "since": {"type": "string", "format": "date-time"},
                  "bridge": {"type": "string"},
                  "display": {"enum": ["slider", "scrubbing"]},
                  "limits": {"type": "object", "properties": {"coolest": {"type": "integer"}, "warmest": {"type": "integer"}, "minimum_dim_level": {"type": "number"}}},
                  "powerup": {"enum": ["safety", "powerfail", "last_on_state", "custom"], "description": "What it does when its mains come back."},
                  "cause": {"$ref": "#/components/schemas/Cause"}
                }
              },
              "Cause": {
                "type": "object",
                "description": "Who or what set a light to what it shows: a command here, a scene, somebody at the wall, power that came back, another app, or nobody whom lightd has heard.",
                "required": ["kind", "at"],
                "properties": {
                  "kind": {"enum": ["command", "scene", "wall", "power", "elsewhere", "unseen"]},
                  "by": {"type": "string", "description": "Who gave the command, or what was pressed at the wall."},
                  "at": {"type": "string", "format": "date-time"},
                  "ticket": {"type": "integer"},
                  "what": {"type": "string", "description": "The command in words, or the scene's name."}
                }
              },
              "Room": {
                "type": "object",
                "required": ["id", "name", "kind", "lights", "on", "bridge"],
                "properties": {
                  "id": {"type": "string"}, "name": {"type": "string"}, "kind": {"enum": ["room", "zone"]},
                  "lights": {"type": "array", "items": {"type": "string"}},
                  "on": {"type": "integer"}, "brightness": {"$ref": "#/components/schemas/Percent"}, "bridge": {"type": "string"}
                }
              },
              "Scene": {
                "type": "object",
                "required": ["id", "name", "bridge"],
                "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "room": {"type": "string"}, "bridge": {"type": "string"}}
              },
              "Bridge": {
                "type": "object",
                "required": ["id", "name", "model", "address", "connected", "since", "lights"],
                "properties": {
                  "id": {"type": "string"}, "name": {"type": "string"}, "model": {"type": "string"}, "address": {"type": "string"},
                  "connected": {"type": "boolean"}, "since": {"type": "string", "format": "date-time"}, "reason": {"type": "string"},
                  "lights": {"type": "integer"},
                  "updates": {"enum": ["stream", "polling"], "description": "How changes are heard of; absent while it is not connected."},
                  "interval_seconds": {"type": "number", "description": "How often a bridge without a stream is asked."}
                }
              },
              "Pin": {
                "type": "object",
                "required": ["target", "display"],
                "properties": {"target": {"type": "string"}, "name": {"type": "string"}, "display": {"enum": ["slider", "scrubbing"]}}
              },
              "Status": {
                "type": "object",
                "required": ["version", "started", "uptime_seconds", "bridges", "lights", "lights_on", "lights_in_doubt", "journal"],
                "properties": {
                  "version": {"type": "string"}, "started": {"type": "string", "format": "date-time"}, "uptime_seconds": {"type": "number"},
                  "bridges": {"type": "array", "items": {"$ref": "#/components/schemas/Bridge"}},
                  "lights": {"type": "integer"}, "lights_on": {"type": "integer"}, "lights_in_doubt": {"type": "integer"}, "journal": {"type": "boolean"}
                }
              },
              "LogEntry": {
                "type": "object",
                "required": ["number", "time", "feature", "holder", "text"],
                "properties": {
                  "number": {"type": "integer"}, "time": {"type": "string", "format": "date-time"},
                  "feature": {"enum": ["lighting", "bridges", "dashboard", "logging"]},
                  "ticket": {"type": "integer"}, "holder": {"type": "string"}, "text": {"type": "string"}, "outcome": {"enum": ["succeeded", "failed"]}
                }
              },
              "Discovery": {
                "type": "object",
                "required": ["name", "model", "paired", "attempts"],
                "properties": {
                  "id": {"type": "string"}, "name": {"type": "string"}, "model": {"type": "string"}, "address": {"type": "string"}, "paired": {"type": "boolean"},
                  "attempts": {"type": "array", "items": {
                    "type": "object",
                    "required": ["way", "asked", "result", "succeeded"],
                    "properties": {"way": {"enum": ["mdns", "configured", "last_known", "cloud"]}, "asked": {"type": "string"}, "result": {"type": "string"}, "succeeded": {"type": "boolean"}}
                  }}
                }
              },
              "CommandReply": {
                "type": "object",
                "required": ["ticket"],
                "properties": {
                  "ticket": {"type": "integer"},
                  "lights": {"type": "array", "items": {"$ref": "#/components/schemas/Light"}},
                  "discovered": {"type": "array", "items": {"$ref": "#/components/schemas/Discovery"}},
                  "bridge": {"$ref": "#/components/schemas/Bridge"},
                  "dashboard": {"type": "array", "items": {"$ref": "#/components/schemas/Pin"}},
                  "commands": {"type": "array", "items": {"type": "string"}, "description": "After 'undo' and 'redo': what was taken back or done again, in words."},
                  "skipped": {"type": "array", "description": "After 'undo' and 'redo': lights that somebody else has changed since.", "items": {
                    "type": "object",
                    "required": ["target", "name", "reason", "cause"],
                    "properties": {"target": {"type": "string"}, "name": {"type": "string"}, "reason": {"type": "string"}, "cause": {"$ref": "#/components/schemas/Cause"}}
                  }}
                }
              },
              "Error": {
                "type": "object",
                "required": ["error"],
                "properties": {"error": {
                  "type": "object",
                  "required": ["code", "message"],
                  "properties": {
                    "code": {"type": "string"}, "message": {"type": "string"}, "hint": {"type": "string"},
                    "candidates": {"type": "array", "items": {"type": "string"}},
                    "parts": {"type": "array", "items": {
                      "type": "object",
                      "required": ["target", "code", "message"],
                      "properties": {"target": {"type": "string"}, "code": {"type": "string"}, "message": {"type": "string"}}
                    }}
                  }
                }}
              },
              "Percent": {"type": "number", "minimum": 0, "maximum": 100},
              "Over": {"type": "integer", "minimum": 0, "maximum": 6000000, "description": "Milliseconds."},
              "Wait": {"type": "boolean", "default": false, "description": "Answer only when the bridges have confirmed it."},
              "Target": {"type": "string", "description": "A light's name, @room, all, or an id. Where several share a name: ROOM/LIGHT, BRIDGE/LIGHT, BRIDGE/ROOM/LIGHT, @BRIDGE/ROOM."},
              "Command": {"oneOf": [
                {"type": "object", "additionalProperties": false, "required": ["command", "to", "target"], "properties": {"command": {"const": "turn"}, "to": {"enum": ["on", "off"]}, "target": {"$ref": "#/components/schemas/Target"}, "over": {"$ref": "#/components/schemas/Over"}, "wait": {"$ref": "#/components/schemas/Wait"}}},
                {"type": "object", "additionalProperties": false, "required": ["command", "target"], "properties": {"command": {"const": "toggle"}, "target": {"$ref": "#/components/schemas/Target"}, "over": {"$ref": "#/components/schemas/Over"}, "wait": {"$ref": "#/components/schemas/Wait"}}},
                {"type": "object", "additionalProperties": false, "required": ["command", "target"], "properties": {"command": {"const": "set"}, "target": {"$ref": "#/components/schemas/Target"}, "over": {"$ref": "#/components/schemas/Over"}, "wait": {"$ref": "#/components/schemas/Wait"}, "brightness": {"$ref": "#/components/schemas/Percent"}, "color": {"type": "string"}, "hue": {"type": "number", "minimum": 0, "maximum": 360}, "saturation": {"$ref": "#/components/schemas/Percent"}, "temperature": {"type": "integer", "minimum": 1, "maximum": 10000}}},
                {"type": "object", "additionalProperties": false, "required": ["command", "value", "target"], "properties": {"command": {"enum": ["increase", "decrease"]}, "value": {"enum": ["brightness", "saturation", "hue", "temperature"]}, "by": {"type": "number", "minimum": 0, "maximum": 100, "default": 10}, "target": {"$ref": "#/components/schemas/Target"}, "over": {"$ref": "#/components/schemas/Over"}, "wait": {"$ref": "#/components/schemas/Wait"}}},
                {"type": "object", "additionalProperties": false, "required": ["command", "target", "name"], "properties": {"command": {"const": "rename"}, "target": {"$ref": "#/components/schemas/Target"}, "name": {"type": "string", "minLength": 1, "maxLength": 32}}},
                {"type": "object", "additionalProperties": false, "required": ["command", "scene"], "properties": {"command": {"const": "recall"}, "scene": {"type": "string", "description": "A scene's name, ROOM/SCENE, BRIDGE/ROOM/SCENE, or its id."}, "over": {"$ref": "#/components/schemas/Over"}, "wait": {"$ref": "#/components/schemas/Wait"}}},
                {"type": "object", "additionalProperties": false, "required": ["command"], "properties": {"command": {"enum": ["undo", "redo"]}, "steps": {"type": "integer", "minimum": 1, "default": 1}, "over": {"$ref": "#/components/schemas/Over"}, "wait": {"$ref": "#/components/schemas/Wait"}}},
                {"type": "object", "additionalProperties": false, "required": ["command", "target", "preset"], "properties": {"command": {"const": "powerup"}, "target": {"$ref": "#/components/schemas/Target"}, "preset": {"enum": ["safety", "powerfail", "last_on_state"]}}},
                {"type": "object", "additionalProperties": false, "required": ["command"], "properties": {"command": {"const": "load"}}},
                {"type": "object", "additionalProperties": false, "required": ["command"], "properties": {"command": {"const": "discover"}, "seconds": {"type": "number", "minimum": 0, "maximum": 60, "default": 3}}},
                {"type": "object", "additionalProperties": false, "required": ["command"], "properties": {"command": {"const": "pair"}, "bridge": {"type": "string"}, "seconds": {"type": "number", "minimum": 0, "maximum": 600, "default": 30}}},
                {"type": "object", "additionalProperties": false, "required": ["command", "bridge"], "properties": {"command": {"const": "forget"}, "bridge": {"type": "string"}}},
                {"type": "object", "additionalProperties": false, "required": ["command", "target"], "properties": {"command": {"enum": ["pin", "unpin"]}, "target": {"$ref": "#/components/schemas/Target"}}},
                {"type": "object", "additionalProperties": false, "required": ["command", "target", "place"], "properties": {"command": {"const": "move"}, "target": {"$ref": "#/components/schemas/Target"}, "place": {"type": "integer", "minimum": 1}}},
                {"type": "object", "additionalProperties": false, "required": ["command", "target", "display"], "properties": {"command": {"const": "display"}, "target": {"$ref": "#/components/schemas/Target"}, "display": {"enum": ["slider", "scrubbing"]}}},
                {"type": "object", "additionalProperties": false, "required": ["command", "days"], "properties": {"command": {"const": "prune"}, "days": {"type": "number", "minimum": 0, "maximum": 36500}}}
              ]}
            }
          }
        }

        """#
}
