import ControlProtocol
import ControlSurface
import HTTPTypes
import Lighting

/// The API's description for programs, OpenAPI 3.1. Its paths come from the routes, and commands, words and limits from the
/// types; the schemas of bodies are written by hand, and tests hold them to the bodies that are sent.
enum OpenAPI {
    static var document: String {
        get throws {
            let components = try Command.schemaComponents.sorted { $0.key < $1.key }
                .map { "\"\($0.key)\": \(try JSON.text($0.value))" }.joined(separator: ",\n              ")
            // The operations of each path, by method.
            let paths = Dictionary(grouping: ControlAPI.routes, by: \.path).mapValues { routes in
                Dictionary(routes.map { ($0.method.rawValue.lowercased(), $0.documentation) }) { first, _ in first }
            }
            return try text(
                paths: try JSON.text(paths), commands: try JSON.text(Command.schema), components: components,
                values: { try properties(LightValuesBody.schemas(in: $0)) })
        }
    }

    /// The words of an enumeration as a JSON array.
    static func words<Word: CaseIterable & RawRepresentable<String>>(
        _: Word.Type, orNull: Bool = false
    ) -> String {
        "[" + (Word.allCases.map { "\"\($0.rawValue)\"" } + (orNull ? ["null"] : [])).joined(separator: ", ") + "]"
    }

    /// The schema of a value, and when it became so.
    private static func reading(_ value: String) -> String {
        #"{"type": "object", "required": ["value", "since"], "properties": {"value": \#(value), "since": {"type": "string", "format": "date-time"}}}"#
    }

    private static let replace =
        #"{"type": "boolean", "default": false, "description": "Whether the session that the browser has ends."}"#

    /// Properties of a schema as the inside of a JSON object.
    private static func properties(_ schemas: [String: JSONSchema]) throws -> String {
        String(try JSON.text(schemas).dropFirst().dropLast())
    }

    private static func text(
        paths: String, commands: String, components: String, values: (LightValuesBody.Place) throws -> String
    ) rethrows -> String {
        #"""
        {
          "openapi": "3.1.0",
          "info": {
            "title": "lightd",
            "version": "\#(Release.version)",
            "description": "Philips Hue lights at home. Served over a unix socket, and over TCP with a bearer token if that is configured. Brightness and saturation are per cent, hue is degrees, temperature is mirek, times are ISO 8601 in UTC, durations of a change are milliseconds. HEAD is answered as GET is, without the body. Where a field of a request may be null, that means the same as leaving it out; answers contain no null, but for the page's view model."
          },
          "paths": \#(paths),
          "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "Over TCP only: a token of 'lightctl token create', or of the configuration. Each operation names the role that it needs; the roles, each with all that those before it allow: \#(TokenAccess.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")). A page sends it as a cookie, which /v1/session sets."}},
            "parameters": {"IfNoneMatch": {"name": "If-None-Match", "in": "header", "description": "The ETag of an earlier answer: answered with 304 while nothing has changed.", "schema": {"type": "string"}}},
            "headers": {
              "ETag": {"description": "Identifies the state that is listed.", "schema": {"type": "string"}},
              "UnreadBridges": {"description": "Only of a list that lacks what some bridges have, because lightd has not reached them since it started: their ids, separated by commas. /v1/bridges says why.", "schema": {"type": "string"}}
            },
            "responses": {
              "Lights": {"description": "Lights", "headers": {"ETag": {"$ref": "#/components/headers/ETag"}, "\#(Routes.unreadBridgesHeader)": {"$ref": "#/components/headers/UnreadBridges"}}, "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Light"}}}}},
              "Health": {"description": "Healthy", "content": {"application/json": {"schema": {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}}}},
              "NotModified": {"description": "The client has this already."},
              \#(errorResponses)
            },
            "schemas": {
              "Light": {
                "type": "object",
                "required": ["id", "name", "zones", "power", "freshness", "since", "bridge", "display", "limits", "cause"],
                "properties": {
                  "id": {"type": "string"}, "name": {"type": "string"}, "room": {"type": "string"},
                  "zones": {"type": "array", "items": {"type": "string"}},
                  "power": {"enum": \#(words(Turn.self))},
                  \#(try values(.list)),
                  "freshness": {"enum": \#(words(LightBody.Freshness.self))},
                  "since": {"type": "string", "format": "date-time"},
                  "bridge": {"type": "string"},
                  "display": {"enum": \#(words(LevelControl.self))},
                  "limits": {"type": "object", "properties": {"coolest": {"type": "integer"}, "warmest": {"type": "integer"}, "minimum_dim_level": {"type": "number"}}},
                  "powerup": {"enum": \#(words(Powerup.self)), "description": "What it does when its mains power returns."},
                  "cause": {"$ref": "#/components/schemas/Cause"},
                  "follows": {"type": "array", "description": "What of it follows something; left out if nothing does.", "items": {"$ref": "#/components/schemas/FollowedValue"}}
                }
              },
              "FollowedValue": {
                "type": "object",
                "required": ["value", "course", "target"],
                "properties": {
                  "value": {"enum": \#(words(FollowedValue.self))},
                  "course": {"type": "string", "description": "The curve's name, wake-up or sleep."},
                  "target": {"type": "string", "description": "What follows it, as a command names it."},
                  "paused": {"$ref": "#/components/schemas/Cause", "description": "The hand that has changed it, so that it is left alone; left out while it follows."}
                }
              },
              "Following": {
                "type": "object",
                "required": ["target", "course", "kind", "values", "since", "lights", "paused"],
                "properties": {
                  "target": {"type": "string", "description": "As a command names it."},
                  "course": {"type": "string", "description": "The curve's name, wake-up or sleep."},
                  "kind": {"enum": \#(words(FollowingBody.Kind.self))},
                  "values": {"type": "array", "items": {"enum": \#(words(FollowedValue.self))}},
                  "since": {"type": "string", "format": "date-time"},
                  "until": {"type": "string", "format": "date-time", "description": "When it ends; left out if somebody ends it."},
                  "resume_after": {"type": "number", "description": "So long after a change by hand a light follows again, in seconds; left out if only once it was off."},
                  "lights": {"type": "integer", "description": "How many lights follow it now."},
                  "paused": {"type": "integer", "description": "How many of them a hand has changed."}
                }
              },
              "Curve": {
                "type": "object",
                "required": ["name", "points", "built_in", "own"],
                "properties": {
                  "name": {"type": "string"},
                  "points": {"type": "array", "items": {"$ref": "#/components/schemas/CurvePoint"}},
                  "built_in": {"type": "boolean", "description": "Whether lightd has it: removing it brings back what it was."},
                  "own": {"type": "boolean", "description": "Whether it was set."}
                }
              },
              "CurvePoint": {
                "type": "string",
                "description": "A time (06:30), a moment of the sun (sunset - 20m) or its height in degrees (sun -6), then what lights show: a brightness (40%), a white tone (2700K or 370mirek), or both. Each of the two goes either by the clock or by the sun's height.",
                "examples": ["06:30 40% 2700K", "sunset - 20m 60%", "sun -6 2200K"]
              },
              "Cause": {
                "type": "object",
                "description": "Who or what set a light to what it shows: a command, a scene, somebody at the wall, returning power, another app, or something before lightd listened.",
                "required": ["kind", "at"],
                "properties": {
                  "kind": {"enum": \#(words(CauseBody.Kind.self))},
                  "by": {"type": "string", "description": "Who sent the command, or what was pressed at the wall."},
                  "at": {"type": "string", "format": "date-time"},
                  "ticket": {"type": "integer"},
                  "what": {"type": "string", "description": "The command in words, or the scene's name."}
                }
              },
              "Room": {
                "type": "object",
                "required": ["id", "name", "kind", "lights", "on", "bridge"],
                "properties": {
                  "id": {"type": "string"}, "name": {"type": "string"}, "kind": {"enum": \#(words(RoomKind.self))},
                  "lights": {"type": "array", "items": {"type": "string"}},
                  "on": {"type": "integer", "description": "How many are on; those whose state is in doubt do not count."},
                  "unreachable": {"type": "integer", "description": "How many the bridge does not reach; left out if none."},
                  "stale": {"type": "integer", "description": "How many are as they were before the bridge was lost; left out if none."},
                  "brightness": {"$ref": "#/components/schemas/Percent"}, "bridge": {"type": "string"}
                }
              },
              "Scene": {
                "type": "object",
                "required": ["id", "name", "lights", "bridge"],
                "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "room": {"type": "string"}, "lights": {"type": "array", "items": {"type": "string"}}, "bridge": {"type": "string"}}
              },
              "SceneValues": {
                "type": "object",
                "required": ["id", "name", "bridge", "values"],
                "properties": {
                  "id": {"type": "string"}, "name": {"type": "string"}, "room": {"type": "string"}, "bridge": {"type": "string"},
                  "values": {"type": "array", "description": "What it sets on each light; what is absent is left as it is.", "items": {
                    "type": "object",
                    "required": ["target", "name"],
                    "properties": {
                      "target": {"type": "string"}, "name": {"type": "string"}, "power": {"enum": \#(words(Turn.self))},
                      \#(try values(.scene))
                    }
                  }}
                }
              },
              "Sensor": {
                "type": "object",
                "description": "What it cannot report is absent, as is what it has not reported yet.",
                "required": ["id", "name", "reports", "buttons", "enabled", "freshness", "bridge"],
                "properties": {
                  "id": {"type": "string"}, "name": {"type": "string"}, "room": {"type": "string"}, "product": {"type": "string"},
                  "reports": {"type": "array", "description": "What it can report, whether it has or not.", "items": {"enum": \#(words(SensorBody.Report.self))}},
                  "motion": \#(reading(#"{"type": "boolean"}"#)),
                  "contact": \#(reading(#"{"enum": \#(words(SensorBody.Contact.self))}"#)),
                  "tampering": \#(reading(#"{"type": "boolean"}"#)),
                  "light_level": \#(reading(#"{"type": "number", "description": "Lux."}"#)),
                  "temperature": \#(reading(#"{"type": "number", "description": "Degrees Celsius."}"#)),
                  "battery": \#(reading(##"{"$ref": "#/components/schemas/Percent"}"##)),
                  "buttons": {"type": "array", "items": {
                    "type": "object",
                    "required": ["number"],
                    "properties": {"number": {"type": "integer", "description": "From 1."}, "last": \#(reading(#"{"enum": \#(words(ButtonPress.self))}"#))}
                  }},
                  "dial": \#(reading(#"{"type": "number", "description": "The last turn in degrees; counter-clockwise is negative."}"#)),
                  "enabled": {"type": "boolean", "description": "False if somebody has switched it off in an app: then it reports nothing."},
                  "freshness": {"enum": ["confirmed", "stale", "unreachable"]},
                  "stale_since": {"type": "string", "format": "date-time"}, "bridge": {"type": "string"}
                }
              },
              "Press": {
                "type": "object",
                "description": "The data of a 'press' event of /v1/events: somebody has just done this. It is never sent for what was read again or repeated by a bridge. A slow reader gets the last few presses of each switch; the journal has all.",
                "required": ["id", "name", "time"],
                "properties": {
                  "id": {"type": "string", "description": "The sensor's."}, "name": {"type": "string"}, "room": {"type": "string"},
                  "button": {"type": "integer", "description": "From 1; absent for a dial."},
                  "press": {"enum": \#(words(ButtonPress.self)), "description": "'held' is repeated while the button is down."},
                  "rotation": {"type": "number", "description": "Of a dial, in degrees; counter-clockwise is negative."},
                  "time": {"type": "string", "format": "date-time"}
                }
              },
              "Bridge": {
                "type": "object",
                "required": ["id", "name", "model", "address", "connected", "since", "lights"],
                "properties": {
                  "id": {"type": "string"}, "name": {"type": "string"}, "model": {"type": "string"}, "address": {"type": "string"},
                  "connected": {"type": "boolean"}, "since": {"type": "string", "format": "date-time"},
                  "reason": {"type": "string", "description": "Why it is not connected."},
                  "reason_code": {"$ref": "#/components/schemas/ErrorCode", "description": "What commands for its lights fail with for that reason."},
                  "lights": {"type": "integer"},
                  "updates": {"enum": \#(words(BridgeBody.Updates.self)), "description": "How lightd learns of changes; absent while the bridge is not connected."},
                  "interval_seconds": {"type": "number", "description": "How often lightd polls a bridge without an event stream."}
                }
              },
              "Pin": {
                "type": "object",
                "required": ["target", "display"],
                "properties": {"target": {"type": "string"}, "name": {"type": "string"}, "display": {"enum": \#(words(LevelControl.self))}}
              },
              "Binding": {
                "type": "object",
                "required": ["id", "name", "target", "target_name", "scenes", "controls"],
                "properties": {
                  "id": {"type": "string"}, "name": {"type": "string"}, "target": {"type": "string"}, "target_name": {"type": "string"},
                  "scenes": {"type": "array", "items": {"type": "string"}, "description": "The names of the scenes that it recalls, in this order."},
                  "controls": {"type": "array", "description": "What its buttons and its dial do, in words; empty until its bridge has reported the switch.", "items": {
                    "type": "object", "required": ["control", "does"],
                    "properties": {"control": {"type": "string"}, "does": {"type": "string"}}
                  }},
                  "problem": {"type": "string", "description": "Why it does nothing, or less than it should."},
                  "warning": {"type": "string", "description": "What else acts on the switch, as far as its bridge tells."}
                }
              },
              "Names": {
                "type": "object",
                "required": ["lights", "rooms", "zones", "scenes", "bridges"],
                "properties": {
                  "lights": {"type": "array", "items": {"type": "string"}},
                  "rooms": {"type": "array", "items": {"type": "string"}},
                  "zones": {"type": "array", "items": {"type": "string"}},
                  "scenes": {"type": "array", "items": {"type": "string"}},
                  "bridges": {"type": "array", "items": {"type": "string"}},
                  "sensors": {"type": "array", "items": {"type": "string"}}
                }
              },
              "Status": {
                "type": "object",
                "required": ["version", "started", "uptime_seconds", "bridges", "lights", "lights_on", "lights_in_doubt", "journal"],
                "properties": {
                  "version": {"type": "string"}, "started": {"type": "string", "format": "date-time"}, "uptime_seconds": {"type": "number"},
                  "bridges": {"type": "array", "items": {"$ref": "#/components/schemas/Bridge"}},
                  "lights": {"type": "integer"}, "lights_on": {"type": "integer"}, "lights_in_doubt": {"type": "integer"}, "sensors": {"type": "integer"}, "journal": {"type": "boolean"},
                  "away": {"type": "object", "description": "The presence replay that goes on; absent if none does.", "required": ["since"], "properties": {
                    "since": {"type": "string", "format": "date-time"}, "until": {"type": "string", "format": "date-time", "description": "Absent if only a sign of life ends it."}
                  }},
                  "warnings": {"type": "array", "items": {"type": "string"}, "description": "What a person should know of the state with which lightd began."},
                  "restored": {"type": "object", "description": "What came of a backup with which lightd began; absent if it began without one.", "properties": {
                    "error": {"type": "string", "description": "Why nothing was restored; absent if the backup was."}
                  }}
                }
              },
              "Backup": {
                "type": "object",
                "required": ["created", "version", "keys", "contents", "replaced", "without_key", "unpaired"],
                "properties": {
                  "created": {"type": "string", "format": "date-time"}, "version": {"type": "string", "description": "Of the lightd that made it."},
                  "keys": {"type": "boolean", "description": "Whether the keys of its bridges and the access tokens are in it."},
                  "contents": {"$ref": "#/components/schemas/BackupContents"}, "replaced": {"$ref": "#/components/schemas/BackupContents"},
                  "without_key": {"type": "array", "items": {"type": "string"}, "description": "Its bridges whose keys are neither in it nor in lightd: they are left out, and must be paired again."},
                  "unpaired": {"type": "array", "items": {"type": "string"}, "description": "The bridges that are no longer paired, because the backup does not have them."}
                }
              },
              "BackupContents": {
                "type": "object",
                "required": ["bridges", "scenes", "automations", "timers", "pins", "bindings", "curves", "followings"],
                "properties": {
                  "bridges": {"type": "array", "items": {"type": "string"}}, "scenes": {"type": "integer"}, "automations": {"type": "integer"},
                  "timers": {"type": "integer"}, "pins": {"type": "integer"}, "bindings": {"type": "integer"}, "curves": {"type": "integer"},
                  "followings": {"type": "integer"}, "tokens": {"type": "integer", "description": "Absent if they are not in the backup: they stay as they are."}
                }
              },
              "Sun": {
                "type": "object",
                "required": ["date", "time_zone", "events"],
                "properties": {
                  "date": {"type": "string", "format": "date"}, "time_zone": {"type": "string"},
                  "latitude": {"type": "number", "description": "Degrees north; absent if the home's place is not configured."},
                  "longitude": {"type": "number", "description": "Degrees east; absent if the home's place is not configured."},
                  "events": {"type": "array", "description": "In order. Those that do not come on this day are missing; none if the place is not known.", "items": {"$ref": "#/components/schemas/SunEvent"}}
                }
              },
              "SunEvent": {
                "type": "object",
                "required": ["name", "time", "clock", "elevation"],
                "properties": {
                  "name": {"type": "string", "enum": \#(words(SunBody.Name.self)), "description": "Midnight and noon are the sun's; dawn and dusk are when it is 6 degrees below the horizon."},
                  "time": {"type": "string", "format": "date-time"}, "clock": {"type": "string", "description": "What the home's clocks show."},
                  "elevation": {"type": "number", "description": "Of the sun's centre, in degrees, without refraction."}
                }
              },
              "Diagnosis": {
                "type": "object",
                "required": ["version", "checks", "configuration"],
                "properties": {
                  "version": {"type": "string"},
                  "checks": {"type": "array", "items": {"$ref": "#/components/schemas/Check"}},
                  "configuration": {"type": "object", "description": "Every key of lightd.yaml with the value in use; none is secret.", "additionalProperties": {"type": "string"}}
                }
              },
              "Check": {
                "type": "object",
                "required": ["name", "result", "text"],
                "properties": {
                  "name": {"type": "string"},
                  "subject": {"type": "string", "description": "Which one, if there can be several: a bridge's name."},
                  "result": {"enum": \#(words(CheckBody.Result.self)), "description": "A warning does not keep lights from being controlled."},
                  "text": {"type": "string"},
                  "remedy": {"type": "string", "description": "What to do about it."},
                  "exit_code": {"type": "integer", "description": "Of 'lightctl doctor' for this failure."}
                }
              },
              "AccessLogEntry": {
                "type": "object",
                "required": ["time", "event", "by", "outcome", "count"],
                "properties": {
                  "time": {"type": "string", "format": "date-time", "description": "When it happened; of several, when the last one did."},
                  "event": {"enum": \#(words(AccessEvent.Kind.self))},
                  "by": {"type": "string", "description": "Who did it. What a client says of itself is in quotation marks."},
                  "subject": {"type": "string", "description": "What it is about, such as a token's name."},
                  "reason": {"type": "string", "description": "Why it happened, or why it failed."},
                  "outcome": {"enum": \#(words(AccessLogBody.Outcome.self))},
                  "count": {"type": "integer", "minimum": 1, "description": "How many it stands for."}
                }
              },
              "LogEntry": {
                "type": "object",
                "required": ["number", "time", "feature", "holder", "text"],
                "properties": {
                  "number": {"type": "integer"}, "time": {"type": "string", "format": "date-time"},
                  "feature": {"enum": \#(words(Message.Feature.self))},
                  "ticket": {"type": "integer"}, "holder": {"type": "string"}, "text": {"type": "string"}, "outcome": {"enum": ["succeeded", "failed"]},
                  "gesture": {"type": "string", "description": "The gesture that the command is a part of, as its sender named it."},
                  "caused_by": {"type": "integer", "description": "The ticket of the command whose effect a bridge reports."}
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
                    "properties": {"way": {"enum": ["mdns", "configured", "last_known", "cloud"]}, "asked": {"type": "string"}, "result": {"type": "string"}, "succeeded": {"type": "boolean"}, "off": {"const": true, "description": "It was not tried, because the configuration turns it off."}}
                  }}
                }
              },
              "CommandReply": {
                "type": "object",
                "required": ["ticket"],
                "properties": {
                  "ticket": {"type": "integer", "description": "0 after a dry run."},
                  "lights": {"type": "array", "items": {"$ref": "#/components/schemas/Light"}},
                  "warning": {"type": "string", "description": "After 'rename': that other lights have this name, too, and what names this one."},
                  "discovered": {"type": "array", "items": {"$ref": "#/components/schemas/Discovery"}},
                  "bridge": {"$ref": "#/components/schemas/Bridge"},
                  "room": {"$ref": "#/components/schemas/Room"},
                  "moved": {"type": "array", "description": "After 'create_room' and 'add_to_room': lights that left another room for it (after a dry run: would leave), with the name of that room and of its scenes that no longer set the light.", "items": {
                    "type": "object",
                    "required": ["target", "name", "room", "scenes"],
                    "properties": {"target": {"type": "string"}, "name": {"type": "string"}, "room": {"type": "string"}, "scenes": {"type": "array", "items": {"type": "string"}}}
                  }},
                  "scene": {"$ref": "#/components/schemas/Scene"},
                  "scenes": {"type": "array", "items": {"type": "string"}, "description": "After 'delete_room': the names of its scenes, which are deleted with it."},
                  "withheld": {"type": "array", "items": {"$ref": "#/components/schemas/Light"}, "description": "After 'apply': lights whose listed values were not sent because they are off and stay so."},
                  "left_out": {"type": "array", "description": "Lights that are not able to take all that the command asks of them. Each takes what it can: 'given' is empty if that is nothing.", "items": {
                    "type": "object",
                    "required": ["target", "name", "given", "reason"],
                    "properties": {"target": {"type": "string"}, "name": {"type": "string"}, "given": {"type": "array", "items": {"enum": ["brightness", "temperature", "color"]}}, "reason": {"type": "string"}}
                  }},
                  "automation": {"$ref": "#/components/schemas/Automation", "description": "The automation that was changed or run, after 'schedule' the timer; absent if it is gone."},
                  "dashboard": {"type": "array", "items": {"$ref": "#/components/schemas/Pin"}},
                  "binding": {"$ref": "#/components/schemas/Binding"},
                  "following": {"$ref": "#/components/schemas/Following", "description": "After 'follow', 'wake' and 'sleep': what was begun."},
                  "away": {"$ref": "#/components/schemas/Away"},
                  "steps": {"type": "integer", "description": "After 'undo' and 'redo': how many commands were taken back or done again; fewer than asked for if there were no more."},
                  "commands": {"type": "array", "items": {"type": "string"}, "description": "After 'undo' and 'redo': what was taken back or done again, in words."},
                  "tickets": {"type": "array", "items": {"type": "integer"}, "description": "After a dry run of 'undo': the tickets of 'commands', by which 'undo' takes back these and no others."},
                  "skipped": {"type": "array", "description": "After 'undo' and 'redo': lights that somebody else has changed since.", "items": {
                    "type": "object",
                    "required": ["target", "name", "reason", "cause"],
                    "properties": {"target": {"type": "string"}, "name": {"type": "string"}, "reason": {"type": "string"}, "cause": {"$ref": "#/components/schemas/Cause"}}
                  }},
                  "requests": {"type": "array", "description": "After a dry run: what would be sent, bridge by bridge, each in its order.", "items": {"$ref": "#/components/schemas/PlannedRequest"}},
                  "failing": {"type": "array", "description": "After a dry run: the parts that would fail.", "items": {"$ref": "#/components/schemas/Part"}}
                }
              },
              "Automation": {
                "type": "object",
                "description": "An automation or a timer, in the words of its file.",
                "required": ["name", "enabled", "when", "if", "do", "mode", "running", "runs"],
                "properties": {
                  "name": {"type": "string"}, "enabled": {"type": "boolean"},
                  "when": {"type": "array", "items": {"type": "string"}, "description": "Any of them starts it."},
                  "if": {"type": "array", "items": {"type": "string"}, "description": "All must hold then."},
                  "do": {"type": "array", "items": {"$ref": "#/components/schemas/Step"}},
                  "paused_until": {"type": "string", "format": "date-time", "description": "Until when it pauses, because the home's changes have started it too often."},
                  "mode": {"enum": \#(words(RunMode.self)), "description": "What happens if it is triggered while it runs."},
                  "late": {"enum": ["skip", "catch up"], "description": "What happens to a run that was missed. If absent, it is caught up within 10 minutes if every step may as well come late."},
                  "by": {"type": "string", "description": "Of a timer: who asked for it."},
                  "next": {"type": "string", "format": "date-time", "description": "When the clock starts it next."},
                  "running": {"type": "array", "items": {"$ref": "#/components/schemas/AutomationRun"}},
                  "runs": {"type": "array", "items": {"$ref": "#/components/schemas/AutomationRun"}, "description": "The last ones that are over, newest first."},
                  "skipped": {
                    "type": "object",
                    "description": "When and why it last did not run although it was triggered.",
                    "required": ["time", "reason"],
                    "properties": {"time": {"type": "string", "format": "date-time"}, "reason": {"type": "string"}}
                  },
                  "missing": {"type": "array", "items": {"type": "string"}, "description": "What it names and nothing in the home has now, in sentences; absent if it has everything, or while a bridge is away."}
                }
              },
              "AutomationRun": {
                "type": "object",
                "required": ["reason", "started"],
                "properties": {
                  "reason": {"type": "string"}, "started": {"type": "string", "format": "date-time"},
                  "ended": {"type": "string", "format": "date-time"}, "step": {"type": "string", "description": "The one that is under way."},
                  "until": {"type": "string", "format": "date-time", "description": "While it waits: when that is over, at the latest."},
                  "error": {"type": "string", "description": "What went wrong; absent if nothing did."}
                }
              },
              "AutomationChanges": {
                "type": "object",
                "required": ["added", "changed", "removed", "unchanged", "warnings"],
                "properties": {
                  "added": {"type": "array", "items": {"type": "string"}},
                  "changed": {"type": "array", "items": {
                    "type": "object",
                    "required": ["name", "changes"],
                    "properties": {"name": {"type": "string"}, "changes": {"type": "array", "items": {"type": "string"}}}
                  }},
                  "removed": {"type": "array", "items": {"type": "string"}}, "unchanged": {"type": "integer"},
                  "warnings": {"type": "array", "items": {"type": "string"}, "description": "Names that nothing in the home has now, with their lines."}
                }
              },
              "AutomationPreview": {
                "type": "object",
                "required": ["date", "weekday", "sun", "runs"],
                "properties": {
                  "date": {"type": "string", "format": "date"}, "weekday": {"type": "string"},
                  "sun": {"type": "array", "description": "In the home's time; what does not happen on this day is left out.", "items": {
                    "type": "object", "required": ["name", "at"], "properties": {"name": {"type": "string"}, "at": {"type": "string"}}
                  }},
                  "runs": {"type": "array", "items": {
                    "type": "object",
                    "required": ["at", "time", "automation", "when", "if", "do"],
                    "properties": {
                      "at": {"type": "string", "description": "In the home's time."}, "time": {"type": "string", "format": "date-time"},
                      "automation": {"type": "string"}, "when": {"type": "string"},
                      "if": {"type": "array", "items": {"type": "string"}, "description": "Conditions that nobody can know yet."},
                      "prevented": {"type": "string", "description": "A condition that will not hold then: it will not run."},
                      "do": {"type": "array", "items": {"$ref": "#/components/schemas/Step"}},
                      "missing": {"type": "array", "items": {"type": "string"}, "description": "What it names and nothing in the home has now; absent if it has everything."}
                    }
                  }}
                }
              },
              "AutomationSimulation": {
                "type": "object",
                "required": ["since", "until", "runs", "warnings", "notes"],
                "properties": {
                  "since": {"type": "string", "format": "date-time"}, "until": {"type": "string", "format": "date-time"},
                  "runs": {"type": "array", "description": "In the order of time.", "items": {"$ref": "#/components/schemas/SimulatedRun"}},
                  "warnings": {"type": "array", "items": {"type": "string"}, "description": "With their lines: names that nothing in the home has now, and what cannot be simulated."},
                  "notes": {"type": "array", "items": {"type": "string"}, "description": "What the journal does not tell."}
                }
              },
              "SimulatedRun": {
                "type": "object",
                "required": ["date", "weekday", "at", "time", "automation", "commands"],
                "properties": {
                  "date": {"type": "string", "format": "date", "description": "In the home's time, as 'weekday' and 'at'."}, "weekday": {"type": "string"}, "at": {"type": "string"},
                  "time": {"type": "string", "format": "date-time"}, "automation": {"type": "string"},
                  "reason": {"type": "string", "description": "What started it; absent if it did not run."},
                  "prevented": {"type": "string", "description": "Why it did not run although it was triggered; absent if it did."},
                  "commands": {"type": "array", "description": "What it would have sent.", "items": {
                    "type": "object",
                    "required": ["at", "time", "text"],
                    "properties": {"at": {"type": "string", "description": "In the home's time."}, "time": {"type": "string", "format": "date-time"}, "text": {"type": "string", "description": "'turn Desk on'"}}
                  }},
                  "error": {"type": "string", "description": "What would have gone wrong; absent if nothing."}
                }
              },
              "Step": {"type": "string", "description": "A command as typed after lightctl, such as 'dim kitchen 40% --over 10m'; 'wait 5m', 'wait no motion Hall for 2m at most 1h', or 'restore @Hall'."},
              "Away": {
                "type": "object",
                "description": "A presence replay.",
                "required": ["on", "lit", "plan"],
                "properties": {
                  "on": {"type": "boolean"}, "since": {"type": "string", "format": "date-time"},
                  "until": {"type": "string", "format": "date-time", "description": "Absent if only a sign of life ends it."},
                  "seed": {"type": "integer", "description": "The same seed and the same history give the same plan."},
                  "ended": {"type": "object", "required": ["at", "because"], "properties": {"at": {"type": "string", "format": "date-time"}, "because": {"type": "string"}}},
                  "lit": {"type": "array", "items": {"type": "string"}, "description": "The names of the lights that it has turned on."},
                  "plan": {"type": "array", "description": "What is to come, in order.", "items": {
                    "type": "object",
                    "required": ["at", "light", "name", "power"],
                    "properties": {"at": {"type": "string", "format": "date-time"}, "light": {"type": "string", "description": "The light's id."}, "name": {"type": "string"}, "power": {"enum": \#(words(Turn.self))}, "brightness": {"type": "number", "description": "Per cent."}}
                  }}
                }
              },
              "PlannedRequest": {
                "type": "object",
                "description": "A request to a bridge.",
                "required": ["bridge", "method", "path", "body"],
                "properties": {
                  "bridge": {"type": "string"}, "method": {"type": "string"},
                  "path": {"type": "string", "description": "With KEY in place of lightd's key, which API v1 has in its paths."},
                  "body": {"type": "string", "description": "JSON, byte for byte."},
                  "held": {"type": "string", "description": "Why it would not be sent at once: the bridge is not connected."}
                }
              },
              "LightState": {
                "type": "object",
                "description": "What one light shall show: the fields of a listed light that can be set. Its other fields are ignored, so a list can be sent back as it is; a misspelt field is refused, and so are a light that is listed twice and a 'color' that contradicts the values beside it. What is left out, or null, stays as it is; a light that is off and stays so is sent no values. 'mode' says which of colour and temperature is meant. 'color' counts only if hue, saturation and temperature are left out: in a list it is a swatch of them, and must be theirs or that of what the light shows.",
                "required": ["id"],
                "properties": {
                  "id": {"type": "string", "description": "The light's id, or its name."}, "name": {"type": ["string", "null"]},
                  "power": {"enum": \#(words(Turn.self, orNull: true))},
                  \#(try values(.wish))
                }
              },
              "Token": {
                "type": "object",
                "required": ["name", "access", "created"],
                "properties": {
                  "name": {"type": "string"}, "access": {"enum": \#(words(TokenAccess.self))}, "ends": {"type": "string", "format": "date-time", "description": "Absent if it has no end."}, "created": {"type": "string", "format": "date-time"},
                  "last_used": {"type": "string", "format": "date-time", "description": "Absent if it was not used yet. After a crash of lightd it may be ten minutes early, and a day if only streams have used it."},
                  "origin": {"enum": \#(words(TokenOrigin.self)), "description": "How it was made: by a person for a program, by a link for a page, or by a page that was signed in with a token."},
                  "maker": {"type": "string", "description": "The token that made its link or signed it in, and with which it ends; absent if a person at lightd's machine made it, or the token of the configuration."},
                  "revoked_with_it": {"type": "array", "items": {"type": "string"}, "description": "In the answer to its revocation: the tokens that have ended with it."}
                }
              },
              "NewToken": {
                "type": "object",
                "required": ["name", "access", "created", "token"],
                "properties": {"name": {"type": "string"}, "access": {"enum": \#(words(TokenAccess.self))}, "ends": {"type": "string", "format": "date-time", "description": "Absent if it has no end."}, "created": {"type": "string", "format": "date-time"}, "token": {"type": "string"}, "warning": {"type": "string", "description": "Why nothing can use it yet."}}
              },
              "TokenRequest": {
                "type": "object",
                "required": ["name"],
                "additionalProperties": false,
                "properties": {"name": {"type": "string", "minLength": 1, "maxLength": \#(TokenRequest.longestName)}, "access": {"enum": \#(words(TokenAccess.self)), "default": "full"}, "ends": {"type": "string", "format": "date-time", "description": "When it ends, which must be to come; never if left out."}}
              },
              \#(pageSchemas),
              "Session": {
                "type": "object",
                "required": ["access"],
                "properties": {
                  "access": {"enum": \#(words(TokenAccess.self))}, "ends": {"type": "string", "format": "date-time", "description": "Absent if it has no end."},
                  "name": {"type": "string", "description": "Of the session's token; absent over the unix socket, where none is needed, and for the token of the configuration in a header."},
                  "ends_with_it": {"type": "array", "items": {"type": "string"}, "description": "The tokens that end when it is revoked."}
                }
              },
              "SignIn": {
                "oneOf": [
                  {"type": "object", "required": ["token"], "additionalProperties": false, "properties": {"token": {"type": "string"}, "replace": \#(replace)}},
                  {"type": "object", "required": ["link"], "additionalProperties": false, "properties": {"link": {"type": "string"}, "replace": \#(replace)}}
                ]
              },
              "LinkRequest": {
                "type": "object",
                "additionalProperties": false,
                "properties": {"access": {"enum": \#(words(TokenAccess.self)), "default": "full"}, "ends": {"type": "string", "format": "date-time", "description": "When it ends, which must be to come; never if left out."}}
              },
              "Link": {
                "type": "object",
                "required": ["url", "access", "expires", "qr"],
                "properties": {
                  "url": {"type": "string"},
                  "also": {"type": "array", "items": {"type": "string"}, "description": "The same at other addresses of the machine."},
                  "access": {"enum": \#(words(TokenAccess.self))}, "ends": {"type": "string", "format": "date-time", "description": "When the session of the page ends; absent if it has no end of its own."}, "expires": {"type": "string", "format": "date-time"},
                  "hint": {"type": "string", "description": "What to change if other devices cannot open it."},
                  "qr": {"$ref": "#/components/schemas/QR"}
                }
              },
              "QR": {
                "type": "object",
                "description": "A QR code, without the quiet zone of four modules around it.",
                "required": ["size", "rows"],
                "properties": {"size": {"type": "integer"}, "rows": {"type": "array", "items": {"type": "string"}, "description": "From the top; 1 is dark, 0 is light."}}
              },
              "Error": {
                "type": "object",
                "required": ["error"],
                "properties": {"error": {
                  "type": "object",
                  "required": ["code", "message"],
                  "properties": {
                    "code": {"$ref": "#/components/schemas/ErrorCode"}, "message": {"type": "string"}, "hint": {"type": "string"},
                    "candidates": {"type": "array", "items": {"type": "string"}},
                    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Part"}},
                    "bridge_words": {"type": "string", "description": "What the bridge said, word for word, if 'message' says it in the names of the home."},
                    "ticket": {"type": "integer", "description": "For 'partly': the command's ticket, by which 'undo' takes back what was carried out of it."}
                  }
                }}
              },
              "Part": {
                "type": "object",
                "required": ["target", "code", "message"],
                "properties": {"target": {"type": "string"}, "code": {"$ref": "#/components/schemas/ErrorCode"}, "message": {"type": "string"}, "bridge_words": {"type": "string"}}
              },
              "ErrorCode": {"enum": \#(words(ErrorCode.self))},
              "Percent": {"type": "number", "minimum": 0, "maximum": 100},
              \#(components),
              "Command": \#(commands)
            }
          }
        }

        """#
    }
}

/// The errors of the API, each described once.
extension OpenAPI {
    enum Errors: CaseIterable {
        case health, reading, naming, asking, commands, tokens, restoring

        /// What each kind of path may be answered with. 405 belongs to methods that a path does not have, so it stands
        /// at none.
        var statuses: [Int] {
            let always = [400, 403, 431, 500, 503]
            let withToken = always + [401, 429]
            return switch self {
            case .health: always
            case .reading: withToken
            case .naming: withToken + [404, 409]
            case .asking: withToken + [404, 409, 422, 504]
            case .commands: withToken + [404, 408, 409, 413, 422, 502, 504]
            case .tokens: withToken + [404, 408, 409, 413, 422]
            case .restoring: withToken + [408, 413]
            }
        }
    }

    /// The members of the components' `responses` for all errors.
    static var errorResponses: String {
        descriptions.map { status, description in
            let headers = headers(of: status).map { #""headers": {"\#($0)": {"schema": {"type": "string"}}}, "# } ?? ""
            return #""Error\#(status)": {"description": "\#(description)", \#(headers)"content": "#
                + ##"{"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}"##
        }.joined(separator: ",\n      ")
    }

    private static func headers(of status: Int) -> String? {
        switch status {
        case 401: "WWW-Authenticate"
        case 405: "Allow"
        case 429, 503: "Retry-After"
        default: nil
        }
    }

    private static let descriptions = [
        (400, "The request is wrong: its query, its body, or a value out of range."),
        (401, "Over TCP: no token, or one that does not exist."),
        (
            403,
            "Not allowed: a token whose role is too low, an unknown Host or Origin, tokens or backups over TCP, bridges' keys for others than root; or lightd is not paired with "
                + "the bridge, or the bridge's link button was not pressed."
        ),
        (404, "No such target, token or path."),
        (405, "The path does not take this method."),
        (408, "The body did not arrive within 10 s, or 3 s to sign in."),
        (409, "The name fits several things, or is taken; or the browser is signed in already."),
        (
            413,
            "The body is longer than \(APIRequest.largestBody >> 20) MiB, or than 4 KiB to sign in, \(Routes.longestBackup >> 20) MiB for a backup."
        ),
        (422, "The bridge refused, or the lamp is not able to do it."),
        (429, "Over TCP: too many wrong tokens came from this address."),
        (
            431,
            "The target and header fields have more than 16 KiB, one has more than 8 KiB, or they are more than 100."
        ),
        (500, "lightd made a mistake, or could not save the change."),
        (502, "Some parts of the command were done, some failed."),
        (503, "The bridge cannot be reached, or lightd is busy or stopping."),
        (504, "Sent, but not confirmed."),
    ]
}
