extension FaultKind {
    /// One row of the catalogue, the source of the help text, `GET /faults?known` and docs/quirks.md.
    struct CatalogueRow: Sendable {
        let target: Target
        let form: FaultValueForm
        /// The effect on the wire.
        let what: String
        /// Repositories and threads where it was seen; empty if it was not seen on a bridge.
        let seen: [String]

        init(_ target: Target, _ form: FaultValueForm, _ what: String, _ seen: String...) {
            self.target = target
            self.form = form
            self.what = what
            self.seen = seen
        }
    }

    private static let milliseconds = 0...600_000
    private static let statuses = 300...599

    // One row, one fault.
    // swift-format-ignore
    var catalogueRow: CatalogueRow {
        switch self {
        case .busy: CatalogueRow(.request, .number("STATUS", Self.statuses, usual: 503), "every request is answered with this status and the bridge's HTML page", "openhab/openhab-addons#20363", "home-assistant/core#62162", "peter-murray/node-hue-api#224")
        case .latency: CatalogueRow(.request, .number("MS", Self.milliseconds, usual: nil), "answers are delayed by this many milliseconds", "home-assistant-libs/aiohue")
        case .slow: CatalogueRow(.request, .number("MS", Self.milliseconds, usual: 2000), "answers are delayed at random, by at most this many milliseconds: later requests overtake earlier ones", "studioimaginaire/phue#189")
        case .hang: CatalogueRow(.request, .nothing, "requests are not answered and their connections stay open until the fault ends", "studioimaginaire/phue#60")
        case .hangUp: CatalogueRow(.request, .nothing, "the connection is closed before the answer", "ebaauw/homebridge-hue#15", "ebaauw/homebridge-hue#1139")
        case .reset: CatalogueRow(.request, .nothing, "the connection is reset (TCP RST) after half of the body", "ebaauw/homebridge-hue#1139")
        case .truncated: CatalogueRow(.request, .nothing, "the body is cut in half, and Content-Length is that of the half", "Supergiovane/node-red-contrib-knx-ultimate#284", "wled/WLED#2147")
        case .goaway: CatalogueRow(.request, .number("N", 1...1_000_000, usual: 1000), "after this many requests on one connection the bridge closes it (HTTP/2 GOAWAY), and the event stream with it; requests under way are still answered", "openhab/openhab-addons Clip2Bridge.java")
        case .keyRevoked: CatalogueRow(.request, .nothing, "the client's key is unknown: 403 with the page, in API v1 error 1", "ebaauw/hb-hue-tools", "voyvodka/LumaSync")
        case .loneWrites: CatalogueRow(.request, .number("STATUS", Self.statuses, usual: 503), "a PUT while another request is in flight is answered with this status and the page", "openhab/openhab-addons#15322")
        case .errorAfterUptime: CatalogueRow(.request, .number("SECONDS", 0...31_536_000, usual: 259_200), "this many seconds after the start, every API request is answered 500 with the page, until a reboot", "home-assistant/core#120438", "home-assistant/core#63765")
        case .eventsRefused: CatalogueRow(.request, .number("STATUS", Self.statuses, usual: 429), "requests for the event stream are answered with this status, until a reboot", "ebaauw/homebridge-hue#1139", "home-assistant/core#126796", "home-assistant/core#181864")

        case .unlimited: CatalogueRow(.bridge, .nothing, "no limit on requests in flight, commands per second or events per second: for benchmarks")
        case .inFlight: CatalogueRow(.bridge, .number("N", 1...1_000_000, usual: nil), "this many requests may be in flight, the next is refused; usually 3", "home-assistant-libs/aiohue")
        case .lightsPerSecond: CatalogueRow(.bridge, .number("N", 1...1_000_000, usual: nil), "this many light commands are accepted per second; usually 10", "home-assistant/core#62162", "peter-murray/node-hue-api")
        case .groupsPerSecond: CatalogueRow(.bridge, .number("N", 1...1_000_000, usual: nil), "this many group commands and recalls are accepted per second; usually 1", "peter-murray/node-hue-api", "ebaauw/hb-hue-tools")
        case .burst: CatalogueRow(.bridge, .number("N", 1...1_000_000, usual: nil), "this many light or group commands are accepted at once after a pause; usually 10 and 3", "home-assistant/core#62162")
        case .limitStatus: CatalogueRow(.bridge, .number("STATUS", Self.statuses, usual: 503), "requests beyond a limit are refused with this status; usually 429", "home-assistant/core#62162", "Foddy/node-red-contrib-huemagic#431")
        case .mostLights: CatalogueRow(.bridge, .number("N", 1...1_000_000, usual: nil), "the bridge has room for this many lights; usually 50, on the Bridge Pro 150", "peter-murray/node-hue-api", "ebaauw/homebridge-hue#940")

        case .noButton: CatalogueRow(.bridge, .nothing, "pairing needs no button", "chrivers/bifrost", "diyhue/diyHue")
        case .buttonPressed: CatalogueRow(.bridge, .number("SECONDS", 1...86_400, usual: 30), "the link button is pressed when the fault begins: pairing is open for this many seconds", "ebaauw/homebridge-hue", "peter-murray/node-hue-api")
        case .clockWrong: CatalogueRow(.bridge, .number("SECONDS", -3_155_760_000...3_155_760_000, usual: nil), "the bridge's clock is wrong by this many seconds: in events, in API v1, in new keys, in the Date header", "sarkonovich/Alexa-Hue#5")
        case .http1: CatalogueRow(.bridge, .nothing, "the bridge speaks only HTTP/1.1, as emulators do; connections are cut when the fault begins and ends", "diyhue/diyHue", "chrivers/bifrost")
        case .certificate: CatalogueRow(.bridge, .word(["renewed", "upper", "wrong-name", "expired"]), "another certificate: with a new key, with an upper-case name and OU=BSB003, with another bridge's name, or expired; connections are cut", "ebaauw/homebridge-hue#1219", "openhab/openhab-addons#19337", "peter-murray/node-hue-api#129")
        case .reboot: CatalogueRow(.lifecycle, .number("SECONDS", 0...3600, usual: 5), "connections are refused for this many seconds; then answers come a second late for as long again", "openhab/openhab-addons#20363", "zim514/script.service.hue#334")
        case .move: CatalogueRow(.lifecycle, .address, "the bridge moves to another HTTPS port or address, and announces it by mDNS", "home-assistant/core#73654", "studioimaginaire/phue#48", "Hyrules/WinHue#21")

        case .blackHole: CatalogueRow(.lifecycle, .nothing, "the connections that are open swallow every byte in both directions, for good; new ones work")
        case .halfOpen: CatalogueRow(.lifecycle, .nothing, "the bridge forgets the connections that are open, and nothing tells the client: they carry nothing more, and what the client sends next is answered by TCP RST; new ones work")
        case .slowDrip: CatalogueRow(.bridge, .nothing, "on every connection the bridge's bytes arrive one a second; those held back arrive when the fault ends")
        case .noNewConnections: CatalogueRow(.bridge, .nothing, "open connections work, new ones are not accepted: their handshake begins when the fault ends, if the client still waits")

        case .silentStream: CatalogueRow(.bridge, .nothing, "streams stay open but carry nothing more, as half-open connections do", "Foddy/node-red-contrib-huemagic#396", "home-assistant/core#61819", "home-assistant/core#114189")
        case .streamEnds: CatalogueRow(.frame, .nothing, "all streams end after the frame", "home-assistant-libs/aiohue#50", "diyhue/diyHue")
        case .splitStream: CatalogueRow(.frame, .nothing, "the frame is sent byte by byte, each in a chunk of its own", "andesse/HUE-CLIP-API.Node-RED-Flows#25")
        case .crlfStream: CatalogueRow(.frame, .nothing, "lines end with CR LF", "home-assistant-libs/aiohue", "openhab/openhab-addons Clip2Bridge.java")
        case .trailingBlanks: CatalogueRow(.frame, .nothing, "lines end with blanks", "home-assistant-libs/aiohue", "openhab/openhab-addons Clip2Bridge.java")
        case .duplicateEvents: CatalogueRow(.frame, .nothing, "the frame is sent twice, with the same id", "diyhue/diyHue", "home-assistant/core#62289")
        case .reorderEvents: CatalogueRow(.frame, .nothing, "the frame is held back until the next one has been sent", "home-assistant-libs/aiohue", "Foddy/node-red-contrib-huemagic#453")
        case .loseEvents: CatalogueRow(.frame, .nothing, "the frame is not sent; a client that resumes by Last-Event-ID receives it", "Foddy/node-red-contrib-huemagic#358", "michielpost/Q42.HueApi#277")
        case .unknownIDs: CatalogueRow(.frame, .nothing, "the frame also reports an update and a deletion of resources that do not exist", "Foddy/node-red-contrib-huemagic#453")
        case .lateEffects: CatalogueRow(.frame, .nothing, "the frame does not name effects, which come with the next one: a colour is reported before the end of the effect that it ended")
        case .errorEvent: CatalogueRow(.frame, .nothing, "the frame also holds a container of type error", "home-assistant-libs/aiohue", "openhue/openhue-api")
        case .ghostButtons: CatalogueRow(.request, .nothing, "a client that opens the event stream receives the last press of every button again", "home-assistant/core#62289", "home-assistant/core#62715")
        case .eventFlood: CatalogueRow(.bridge, .number("N", 1...100_000, usual: 10_000), "this many frames a second report the level of the home's first lamp that can be dimmed, as it is and a point away from it in turns")

        case .unknownTypes: CatalogueRow(.response, .nothing, "a list or frame also holds a resource of an unknown type", "openhab/openhab-addons#15468", "Foddy/node-red-contrib-huemagic#237")
        case .unknownEnums: CatalogueRow(.response, .nothing, "archetypes, modes and statuses have unknown values", "home-assistant-libs/aiohue", "openhab/openhab-addons#15468")
        case .missingFields: CatalogueRow(.response, .nothing, "optional fields are left out", "home-assistant-libs/aiohue", "openhue/openhue-api")
        case .emptyFeatures: CatalogueRow(.response, .nothing, "features that a light lacks are present as {}", "home-assistant-libs/aiohue")
        case .nullFeatures: CatalogueRow(.response, .nothing, "features that a light lacks are present as null", "home-assistant-libs/aiohue")
        case .noIDV1: CatalogueRow(.response, .nothing, "no resource has an id_v1", "openhue/openhue-api", "home-assistant-libs/aiohue")
        case .missingOwner: CatalogueRow(.response, .nothing, "no resource has an owner", "chrivers/bifrost#76", "home-assistant-libs/aiohue")
        case .oddVersion: CatalogueRow(.response, .nothing, "a device's software_version is not of the form x.y.z", "home-assistant-libs/aiohue")
        case .mirekNull: CatalogueRow(.response, .one("LIGHT"), "mirek is null and mirek_valid false, in white mode too", "openhue/openhue-api", "home-assistant-libs/aiohue")
        case .brokenMirek: CatalogueRow(.response, .number("MIREK", 0...65535, usual: 65535), "mirek has this value, outside every range", "home-assistant-libs/aiohue")
        case .brokenSchema: CatalogueRow(.response, .one("LIGHT"), "mirek_schema goes from 0 to 65535", "home-assistant-libs/aiohue")
        case .wideSchema: CatalogueRow(.response, .one("LIGHT"), "mirek_schema goes from 50 to 1000, as on the newest lamps", "openhue/openhue-api", "home-assistant-libs/aiohue")
        case .zeroGamut: CatalogueRow(.response, .one("LIGHT"), "the gamut is present but all zeros", "home-assistant/core#20447")
        case .noGamut: CatalogueRow(.response, .one("LIGHT"), "color has neither gamut nor gamut_type", "home-assistant-libs/aiohue")
        case .otherGamut: CatalogueRow(.response, .one("LIGHT"), "gamut_type is other", "home-assistant-libs/aiohue")
        case .colourShift: CatalogueRow(.response, .number("N", -5000...5000, usual: 80), "colours are reported shifted by this many ten-thousandths in x and y, even out of the gamut", "stefanwichmann/kelvin#125", "stefanwichmann/kelvin#129")
        case .zeroBrightness: CatalogueRow(.response, .one("LIGHT"), "a lamp that is on reports brightness 0.0", "openhab/openhab-addons#21742")
        case .noDimming: CatalogueRow(.response, .one("LIGHT"), "a light has no dimming", "home-assistant-libs/aiohue", "openhue/openhue-api")
        case .missingPoints: CatalogueRow(.response, .one("LIGHT"), "a gradient names its mode and not its points")
        case .effectsDisagree: CatalogueRow(.response, .one("LIGHT"), "effects says sparkle, whatever effects_v2 says")
        case .noGroupedLight: CatalogueRow(.response, .one("ROOM"), "a room has no grouped_light, and commands to it are answered 404", "home-assistant-libs/aiohue")
        case .halfBooted: CatalogueRow(.response, .word(["rooms", "lights"]), "the lists of API v2 lack rooms, zones, scenes and grouped lights, or every second light, as while the bridge starts")

        case .stragglers: CatalogueRow(.command, .number("N", 1...1000, usual: 1), "a group command does not reach this many of its lamps; the bridge finds out seconds later", "home-assistant/core#29152", "peter-murray/node-hue-api#210")
        case .popcorn: CatalogueRow(.command, .nothing, "a group command reaches its lamps one after the other", "Koenkk/zigbee2mqtt#5794", "home-assistant/core#29152")
        case .offTransitionLevel: CatalogueRow(.command, .nothing, "switching off with a transition leaves the lowest level for the next switching on", "home-assistant/core#32894", "home-assistant/core#71398")
        case .communicationErrors: CatalogueRow(.command, .nothing, "a command is answered 207 with communication_error although the lamp carries it out", "openhab/openhab-addons#15512", "home-assistant/core#68231", "michielpost/Q42.HueApi#283")
        case .quietUnreachable: CatalogueRow(.command, .nothing, "a command that includes lamps out of reach is answered with plain success: only zigbee_connectivity says that they are gone", "ebaauw/homebridge-hue#25", "ebaauw/homebridge-hue#80")
        case .takesBack: CatalogueRow(.bridge, .nothing, "what was asked of a lamp out of reach is reported as done, and taken back some five seconds later")
        case .error201: CatalogueRow(.command, .nothing, "API v1 answers error 201 to level and colour although on is true, and the lamp is only switched on", "ebaauw/homebridge-hue#974", "athombv/nl.philips.hue#81")
        }
    }
}
