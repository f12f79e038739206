import ControlProtocol
import ControlSurface

/// The page's schemas.
extension OpenAPI {
    static var pageSchemas: String {
        #"""
        "Page": {
                "type": "object",
                "description": "Every field is there; one without a value is null.",
                "required": ["title", "summary", "access", "notices", "sections", "tiles", "bridges", "allOff"],
                "properties": {
                  "title": {"type": "string"}, "summary": {"type": "string"}, "access": {"enum": \#(words(TokenAccess.self))},
                  "notices": {"type": "array", "items": {
                    "type": "object",
                    "required": ["id", "kind", "title", "text", "at", "causes"],
                    "properties": {"id": {"type": "string"}, "kind": {"enum": ["warning", "info"]}, "title": {"type": "string"}, "text": {"type": "string"}, "at": {"type": ["string", "null"], "format": "date-time"}, "causes": {"type": "array", "description": "What it is about, if it can be put away until it is about something else, too.", "items": {"type": "string"}}}
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
                        "required": ["id", "title", "look", "active", "detail", "canBeDynamic", "speed"],
                        "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "look": {"type": "array", "description": "The colours that it gives its lights, #rrggbb; empty if they are not known.", "items": {"type": "string"}}, "active": {"type": "boolean"}, "detail": {"type": "string", "description": "'dynamic' while it moves its lights through the colours of its palette; else empty."}, "canBeDynamic": {"type": "boolean", "description": "Whether it can be recalled so, or so that it moves none."}, "speed": {"type": ["number", "null"], "minimum": 0, "maximum": 100, "description": "How fast it moves its lights, in per cent; null unless it does."}}
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
              "Tile": {
                "type": "object",
                "description": "A light, a room, a zone or the whole home.",
                "required": ["key", "target", "kind", "title", "place", "state", "level", "levelText", "detail", "valueText", "reason", "why", "glow", "look", "partly", "members", "freshness", "can", "display", "white", "color", "gradient", "effects", "moves", "mode", "pin", "pace"],
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
                  "mode": {"enum": \#(words(PageTile.Mode.self, orNull: true))},
                  "pin": {"type": ["integer", "null"], "description": "Its place on the dashboard, counted from 1."},
                  "pace": {"type": "integer", "description": "The least milliseconds between two commands of a drag that the bridge can use."}
                }
              }
        """#
    }
}
