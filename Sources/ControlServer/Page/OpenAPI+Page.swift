import ControlProtocol
import ControlSurface

/// The page's schemas.
extension OpenAPI {
    static var pageSchemas: String {
        #"""
        "Page": {
                "type": "object",
                "description": "Every field is there; one without a value is null.",
                "required": ["title", "summary", "access", "notices", "upcoming", "sections", "tiles", "bridges", "allOff"],
                "properties": {
                  "title": {"type": "string"}, "summary": {"type": "string"}, "access": {"enum": \#(words(TokenAccess.self))},
                  "notices": {"type": "array", "items": {
                    "type": "object",
                    "required": ["id", "kind", "title", "text", "at", "causes"],
                    "properties": {"id": {"type": "string"}, "kind": {"enum": ["warning", "info"]}, "title": {"type": "string"}, "text": {"type": "string"}, "at": {"type": ["string", "null"], "format": "date-time"}, "causes": {"type": "array", "description": "What it is about, if it can be put away until it is about something else, too.", "items": {"type": "string"}}}
                  }},
                  "upcoming": {"type": "array", "description": "What goes on, then what comes next. In its texts '{due}' is 'at'.", "items": {
                    "type": "object",
                    "required": ["id", "kind", "title", "text", "since", "at", "skipped", "automation", "action"],
                    "properties": {
                      "id": {"type": "string"}, "kind": {"enum": \#(words(PageUpcoming.Kind.self))}, "title": {"type": "string"}, "text": {"type": "string"},
                      "since": {"type": ["string", "null"], "format": "date-time", "description": "Since when the time runs whose end is 'at'; null if that is a time of day."},
                      "at": {"type": ["string", "null"], "format": "date-time"}, "skipped": {"type": "boolean"},
                      "automation": {"type": ["string", "null"], "description": "The one that it is of."},
                      "action": {"type": ["object", "null"], "description": "The command that a page offers; null if the role is below 'control'.", "required": ["title", "command", "fields", "said", "at"], "properties": {"title": {"type": "string"}, "command": {"type": "string"}, "fields": {"type": "object"}, "said": {"type": "string", "description": "When it is done."}, "at": {"type": ["string", "null"], "format": "date-time"}}}
                    }
                  }},
                  "sections": {"type": "array", "description": "What is pinned, rooms, zones, other lights. Every light is in one of them besides the pinned ones.", "items": {
                    "type": "object",
                    "required": ["id", "kind", "title", "summary", "sensed", "whole", "scenes", "tiles"],
                    "properties": {
                      "id": {"type": "string"}, "kind": {"enum": ["pinned", "room", "zone", "others"]}, "title": {"type": "string"}, "summary": {"type": "string"},
                      "sensed": {"type": ["object", "null"], "description": "What its sensors say.", "required": ["text", "at"], "properties": {"text": {"type": "string"}, "at": {"type": ["string", "null"], "format": "date-time"}}},
                      "whole": {"type": ["string", "null"], "description": "The key of the tile of the whole room or zone."},
                      "scenes": {"type": "array", "items": {
                        "type": "object",
                        "required": ["id", "title", "look", "active", "changed", "moves", "detail", "canBeDynamic", "smart", "speed"],
                        "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "look": {"type": "array", "description": "The colours that it gives its lights, #rrggbb, of strips from end to end; empty if they are not known.", "items": {"type": "string"}}, "active": {"type": "boolean", "description": "Whether its lights are as it has set them."}, "changed": {"type": "boolean", "description": "Whether it was the last one here, and something else has changed one of its lights since."}, "moves": {"type": "boolean", "description": "Whether it moves its lights through the colours of its palette."}, "detail": {"type": "string", "description": "Of these and of a smart scene, in words; may be empty."}, "canBeDynamic": {"type": "boolean", "description": "Whether it can be recalled so, or so that it moves none."}, "smart": {"enum": \#(words(PageScene.Smart.self, orNull: true)), "description": "Null unless it is a smart scene, which recalls other scenes while it is active."}, "speed": {"type": ["number", "null"], "minimum": 0, "maximum": 100, "description": "How fast it moves its lights, in per cent; null unless it does."}}
                      }},
                      "tiles": {"type": "array", "items": {"type": "string"}}
                    }
                  }},
                  "tiles": {"type": "object", "description": "By key: all that the sections name.", "additionalProperties": {"$ref": "#/components/schemas/Tile"}},
                  "bridges": {"type": "array", "items": {
                    "type": "object",
                    "required": ["id", "title", "state", "text", "at"],
                    "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "state": {"enum": \#(words(PageBridge.State.self))}, "text": {"type": "string"}, "at": {"type": ["string", "null"], "format": "date-time"}}
                  }},
                  "allOff": {"type": "object", "description": "What the button does: the command 'all_off'.", "required": ["possible", "spared"], "properties": {"possible": {"type": "boolean"}, "spared": {"type": "string", "description": "What stays on, as a sentence; empty if nothing does."}}}
                }
              },
              "PageSensors": {
                "type": "object",
                "required": ["sensors", "batteries"],
                "properties": {
                  "sensors": {"type": "array", "description": "By room and name; without those that only have buttons.", "items": {
                    "type": "object",
                    "required": ["id", "title", "place", "doubt", "at", "values"],
                    "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "place": {"type": ["string", "null"]}, "doubt": {"type": "string"}, "at": {"type": ["string", "null"], "format": "date-time"}, "values": {"type": "array", "items": {
                      "type": "object",
                      "required": ["kind", "label", "text", "at", "curve", "spans", "day"],
                      "properties": {"kind": {"enum": ["motion", "contact", "tampering", "temperature", "light"]}, "label": {"type": "string"}, "text": {"type": "string"}, "at": {"type": ["string", "null"], "format": "date-time"},
                        "curve": {"type": "array", "description": "Of the last day: milliseconds since 1970, and a value that holds until the next.", "items": {"type": "array", "items": {"type": "number"}}},
                        "spans": {"type": "array", "description": "Of the last day: milliseconds since 1970, from and to; without the latter, until now.", "items": {"type": "array", "items": {"type": "number"}}},
                        "day": {"type": "string", "description": "What either shows, in words."}}
                    }}}
                  }},
                  "batteries": {"type": "array", "description": "The weakest first.", "items": {"type": "object", "required": ["title", "place", "text", "low"], "properties": {"title": {"type": "string"}, "place": {"type": ["string", "null"]}, "text": {"type": "string"}, "low": {"type": "boolean"}}}}
                }
              },
              "PageAutomation": {
                "type": "object",
                "required": ["name", "text", "enabled", "running", "skipped", "next", "lines"],
                "properties": {
                  "name": {"type": "string"}, "text": {"type": "string", "description": "What starts it, and what it does."},
                  "enabled": {"type": "boolean"}, "running": {"type": "boolean"}, "skipped": {"type": "boolean"},
                  "next": {"type": ["string", "null"], "format": "date-time", "description": "When the clock starts it next, also if that is skipped."},
                  "lines": {"type": "array", "description": "What it does now or next, and what became of it last.", "items": {
                    "type": "object", "required": ["text", "at", "failed"],
                    "properties": {"text": {"type": "string"}, "at": {"type": ["string", "null"], "format": "date-time"}, "failed": {"type": "boolean"}}
                  }}
                }
              },
              "Tile": {
                "type": "object",
                "description": "A light, a room, a zone or the whole home.",
                "required": ["key", "target", "kind", "title", "place", "state", "level", "levelText", "detail", "valueText", "reason", "why", "glow", "look", "partly", "members", "freshness", "can", "display", "white", "color", "gradient", "effects", "moves", "follows", "mode", "pin", "pace"],
                "properties": {
                  "key": {"type": "string"}, "target": {"type": "string", "description": "What commands take."},
                  "kind": {"enum": \#(words(PageTile.Kind.self))}, "title": {"type": "string"}, "place": {"type": ["string", "null"], "description": "The room of a light."},
                  "state": {"enum": \#(words(PageTile.State.self))},
                  "level": {"type": ["number", "null"], "minimum": 0, "maximum": 1, "description": "Null if it cannot be dimmed."},
                  "levelText": {"type": "string"}, "detail": {"type": "string"}, "valueText": {"type": "string", "description": "For screen readers."},
                  "reason": {"type": ["object", "null"], "required": ["text", "at"], "properties": {"text": {"type": "string"}, "at": {"type": "string", "format": "date-time"}}},
                  "why": {"type": "string"}, "glow": {"type": ["string", "null"], "description": "#rrggbb"},
                  "look": {"type": "array", "description": "The colours of a room's lights, or of a strip from end to end, #rrggbb; empty for another light.", "items": {"type": "string"}},
                  "partly": {"type": "boolean", "description": "Whether some of a room's lights are on and some are off."},
                  "members": {"type": "string", "description": "The names of a zone's lights."},
                  "freshness": {"enum": \#(words(LightBody.Freshness.self))},
                  "can": {"type": "array", "description": "Empty if the role is below 'control'.", "items": {"enum": \#(words(PageTile.Ability.self))}},
                  "display": {"enum": \#(words(LevelControl.self))},
                  "white": {"type": ["object", "null"], "required": ["mirek", "coolest", "warmest", "ramp"], "properties": {"mirek": {"type": "integer"}, "coolest": {"type": "integer"}, "warmest": {"type": "integer"}, "ramp": {"type": "array", "description": "Colours from coolest to warmest, #rrggbb.", "items": {"type": "string"}}}},
                  "color": {"type": ["object", "null"], "required": ["hue", "saturation"], "properties": {"hue": {"type": "number", "minimum": 0, "maximum": 360}, "saturation": {"$ref": "#/components/schemas/Percent"}}},
                  "gradient": {"type": ["object", "null"], "description": "Null if it shows one colour. While a strip shows something else, the colours with which a gradient would begin.", "required": ["points", "most", "modes", "mode"], "properties": {
                    "points": {"type": "array", "description": "From end to end.", "minItems": 2, "items": {"type": "object", "required": ["hue", "saturation", "name"], "properties": {"hue": {"type": "number", "minimum": 0, "maximum": 360}, "saturation": {"$ref": "#/components/schemas/Percent"}, "name": {"type": "string"}}}},
                    "most": {"type": "integer", "description": "How many points it takes."},
                    "modes": {"type": "array", "description": "Empty if the strip does not say.", "items": {"enum": \#(words(LightValuesBody.GradientMode.self))}},
                    "mode": {"enum": \#(words(LightValuesBody.GradientMode.self, orNull: true))}
                  }},
                  "effects": {"type": ["object", "null"], "description": "Null if it can run none.", "required": ["names", "timed", "running", "until", "adjusts", "speed"], "properties": {
                    "names": {"type": "array", "description": "'none', then what the lamp lists, without what comes to an end.", "items": {"type": "string"}},
                    "timed": {"type": "array", "description": "What the lamp lists that comes to an end: it is begun with a time.", "items": {"type": "string"}},
                    "running": {"type": "string"}, "until": {"type": ["string", "null"], "format": "date-time", "description": "When that comes to an end; null if it does not, or if no command of ours is known to have begun it."}, "adjusts": {"type": "boolean", "description": "Whether it can be told how fast."},
                    "speed": {"type": ["number", "null"], "minimum": 0, "maximum": 100, "description": "Per cent."}
                  }},
                  "moves": {"type": "boolean", "description": "Whether an effect or a dynamic scene changes what it shows, while it is on."},
                  "follows": {"type": ["object", "null"], "description": "Null if nothing of it follows the day, or something else.", "required": ["text", "paused"], "properties": {"text": {"type": "string"}, "paused": {"type": "boolean", "description": "Whether somebody has taken something of it over."}}},
                  "mode": {"enum": \#(words(PageTile.Mode.self, orNull: true))},
                  "pin": {"type": ["integer", "null"], "description": "Its place on the dashboard, counted from 1."},
                  "pace": {"type": "integer", "description": "The least milliseconds between two commands of a drag that the bridge can use."}
                }
              },
              "PageLog": {
                "type": "object",
                "description": "Every field is there; one without a value is null.",
                "required": ["lines", "before"],
                "properties": {
                  "lines": {"type": "array", "items": {
                    "type": "object",
                    "required": ["id", "number", "time", "since", "count", "who", "text", "reason", "place", "failed"],
                    "properties": {
                      "id": {"type": "string", "description": "A line with the id of another takes its place."},
                      "number": {"type": "integer", "description": "That of its newest entry: a line with a higher one comes before."},
                      "time": {"type": "string", "format": "date-time"},
                      "since": {"type": ["string", "null"], "format": "date-time", "description": "When the first of several happened; null if it is one."},
                      "count": {"type": "integer", "description": "How often it happened."},
                      "who": {"type": ["string", "null"], "description": "What stands for '{who}' in 'text'."},
                      "text": {"type": "string", "description": "A sentence. Names are isolated (U+2068, U+2069), and U+2060 follows a name's '{'."},
                      "reason": {"type": "string", "description": "Why, or why it did not work; may be empty."},
                      "place": {"type": ["string", "null"], "description": "The room, if it is about one light."},
                      "failed": {"type": "boolean"}
                    }
                  }},
                  "before": {"type": ["integer", "null"], "description": "Asks for what is older; null if nothing is."}
                }
              },
              "PageCommand": {
                "type": "object",
                "required": ["text", "at", "undone"],
                "properties": {
                  "text": {"type": "string"}, "at": {"type": "string", "format": "date-time"},
                  "undone": {"type": "array", "description": "What it took back; empty if it is not an undo.", "items": {"type": "string"}}
                }
              }
        """#
    }
}
