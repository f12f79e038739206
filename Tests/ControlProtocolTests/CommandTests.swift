import Foundation
import Testing

@testable import ControlProtocol

@Suite struct CommandTests {
    static let all: [(Command, String)] = [
        (.turn(to: .on, target: "@küche", over: 2000), #"{"command":"turn","over":2000,"target":"@küche","to":"on"}"#),
        (.turn(to: .off, target: "all"), #"{"command":"turn","target":"all","to":"off"}"#),
        (.toggle(target: "desk", over: 0), #"{"command":"toggle","over":0,"target":"desk"}"#),
        (
            .set(.init(brightness: 40, color: "#ff8800"), target: "desk"),
            ##"{"brightness":40,"color":"#ff8800","command":"set","target":"desk"}"##
        ),
        (
            .set(.init(hue: 120, saturation: 80), target: "desk", over: 1),
            #"{"command":"set","hue":120,"over":1,"saturation":80,"target":"desk"}"#
        ),
        (
            .set(.init(brightness: 40), target: "@kitchen", keepRatios: true),
            #"{"brightness":40,"command":"set","keep_ratios":true,"target":"@kitchen"}"#
        ),
        (.set(.init(temperature: 370), target: "desk"), #"{"command":"set","target":"desk","temperature":370}"#),
        (
            .increase(.brightness, by: 10, target: "desk"),
            #"{"by":10,"command":"increase","target":"desk","value":"brightness"}"#
        ),
        (
            .increase(.brightness, by: 5, target: "@kitchen", .init(keepRatios: true, perceptual: true)),
            #"{"by":5,"command":"increase","keep_ratios":true,"perceptual":true,"target":"@kitchen","value":"brightness"}"#
        ),
        (
            .decrease(.hue, by: 2.5, target: "desk", over: 9),
            #"{"by":2.5,"command":"decrease","over":9,"target":"desk","value":"hue"}"#
        ),
        (
            .bind(switch: "Dial", target: "@living", scenes: ["Relax"]),
            #"{"command":"bind","scenes":["Relax"],"switch":"Dial","target":"@living"}"#
        ),
        (.unbind(switch: "Dial"), #"{"command":"unbind","switch":"Dial"}"#),
        (.rename(target: "desk", name: "Tisch"), #"{"command":"rename","name":"Tisch","target":"desk"}"#),
        (.recall(scene: "a/b", over: 5), #"{"command":"recall","over":5,"scene":"a/b"}"#),
        (
            .recall(scene: "a", dynamic: true, speed: 60),
            #"{"command":"recall","dynamic":true,"scene":"a","speed":60}"#
        ),
        (.recall(scene: "a", dynamic: false), #"{"command":"recall","dynamic":false,"scene":"a"}"#),
        (.undo(), #"{"command":"undo","steps":1}"#),
        (.undo(steps: 3, over: 5), #"{"command":"undo","over":5,"steps":3}"#),
        (.undo(ticket: 12), #"{"command":"undo","steps":1,"ticket":12}"#),
        (.redo(steps: 2), #"{"command":"redo","steps":2}"#),
        (
            .configure(target: "desk", .powerup(.lastOnState)),
            #"{"command":"powerup","preset":"last_on_state","target":"desk"}"#
        ),
        (
            .apply(lights: [
                Command.LightState(id: "b/1", power: .on, .init(brightness: 40, temperature: 370, mode: .temperature))
            ]),
            #"{"command":"apply","lights":[{"brightness":40,"id":"b/1","mode":"temperature","power":"on","temperature":370}]}"#
        ),
        (.identify(target: "desk"), #"{"command":"identify","target":"desk"}"#),
        (
            .createRoom(name: "Office", targets: ["desk", "@a"], kind: .zone, bridge: "b"),
            #"{"bridge":"b","command":"create_room","kind":"zone","name":"Office","targets":["desk","@a"]}"#
        ),
        (
            .createRoom(name: "Office"),
            #"{"command":"create_room","kind":"room","name":"Office","targets":[]}"#
        ),
        (
            .addToRoom(room: "@a", targets: ["desk"]),
            #"{"command":"add_to_room","room":"@a","targets":["desk"]}"#
        ),
        (
            .removeFromRoom(room: "a", targets: ["desk"], kind: .zone),
            #"{"command":"remove_from_room","kind":"zone","room":"a","targets":["desk"]}"#
        ),
        (
            .renameRoom(room: "a", name: "B", kind: .zone),
            #"{"command":"rename_room","kind":"zone","name":"B","room":"a"}"#
        ),
        (.deleteRoom(room: "a", kind: .room), #"{"command":"delete_room","kind":"room","room":"a"}"#),
        (
            .saveScene(name: "Relax", targets: ["@a"]),
            #"{"command":"save_scene","name":"Relax","targets":["@a"]}"#
        ),
        (.updateScene(scene: "a/b"), #"{"command":"update_scene","scene":"a/b"}"#),
        (
            .editScene(scene: "a/b", targets: ["desk", "@c"], .init(brightness: 40, color: "red"), power: .on),
            #"{"brightness":40,"color":"red","command":"edit_scene","power":"on","scene":"a/b","targets":["desk","@c"]}"#
        ),
        (
            .editScene(scene: "a/b", targets: ["desk"], remove: true),
            #"{"command":"edit_scene","remove":true,"scene":"a/b","targets":["desk"]}"#
        ),
        (
            .reorderScenes(room: "@a", scenes: ["b", "a/c"]),
            #"{"command":"reorder_scenes","room":"@a","scenes":["b","a/c"]}"#
        ),
        (
            .reorderScenes(room: "a", byName: true),
            #"{"by_name":true,"command":"reorder_scenes","room":"a","scenes":[]}"#
        ),
        (.renameScene(scene: "a/b", name: "C"), #"{"command":"rename_scene","name":"C","scene":"a/b"}"#),
        (.deleteScene(scene: "a/b"), #"{"command":"delete_scene","scene":"a/b"}"#),
        (
            .signal(target: "hall", colors: ["red"], duration: 1000),
            #"{"colors":["red"],"command":"signal","duration":1000,"target":"hall"}"#
        ),
        (.deactivateScene(scene: "day"), #"{"command":"deactivate_scene","scene":"day"}"#),
        (
            .schedule(steps: ["turn off all", "wait 5m"], at: "22:30"),
            #"{"at":"22:30","command":"schedule","do":["turn off all","wait 5m"]}"#
        ),
        (.schedule(steps: ["undo"], after: 60), #"{"after":60,"command":"schedule","do":["undo"]}"#),
        (.cancelTimer(timer: "3"), #"{"command":"cancel_timer","timer":"3"}"#),
        (.enableSensor(sensor: "a"), #"{"command":"enable_sensor","sensor":"a"}"#),
        (.disableSensor(sensor: "a"), #"{"command":"disable_sensor","sensor":"a"}"#),
        (.enableAutomation(automation: "a"), #"{"automation":"a","command":"enable_automation"}"#),
        (.disableAutomation(automation: "a"), #"{"automation":"a","command":"disable_automation"}"#),
        (.skipAutomation(automation: "a"), #"{"automation":"a","command":"skip_automation"}"#),
        (.unskipAutomation(automation: "a"), #"{"automation":"a","command":"unskip_automation"}"#),
        (.unfollow(target: "a", timed: true), #"{"command":"unfollow","target":"a","timed":true}"#),
        (.runAutomation(automation: "a"), #"{"automation":"a","command":"run_automation"}"#),
        (.stopAutomation(automation: "a"), #"{"automation":"a","command":"stop_automation"}"#),
        (.removeAutomation(automation: "a"), #"{"automation":"a","command":"remove_automation"}"#),
        (.load, #"{"command":"load"}"#),
        (.discover(seconds: 1), #"{"command":"discover","seconds":1}"#),
        (.pair(bridge: "b", seconds: 60), #"{"bridge":"b","command":"pair","seconds":60}"#),
        (.pair(seconds: 60), #"{"command":"pair","seconds":60}"#),
        (.forget(bridge: "b"), #"{"bridge":"b","command":"forget"}"#),
        (.show, #"{"command":"show"}"#),
        (.pin(target: "@a"), #"{"command":"pin","target":"@a"}"#),
        (.unpin(target: "@a"), #"{"command":"unpin","target":"@a"}"#),
        (.move(target: "a", place: 2), #"{"command":"move","place":2,"target":"a"}"#),
        (.display(target: "a", as: .scrubbing), #"{"command":"display","display":"scrubbing","target":"a"}"#),
        (.exclude(target: "a", from: .allOff), #"{"command":"exclude","from":"all_off","target":"a"}"#),
        (.include(target: "@a", in: .page), #"{"command":"include","in":"page","target":"@a"}"#),
        (.allOff(), #"{"command":"all_off"}"#), (.allOff(over: 5), #"{"command":"all_off","over":5}"#),
        (.prune(days: 30), #"{"command":"prune","days":30}"#),
        (.away(to: .off), #"{"command":"away","to":"off"}"#),
        (
            .away(
                to: .on,
                .init(until: "2026-12-01T17:00:00Z", seed: 7, plugs: true, ignoreMotion: true, plain: true)),
            #"{"command":"away","ignore_motion":true,"plain":true,"plugs":true,"seed":7,"to":"on","until":"2026-12-01T17:00:00Z"}"#
        ),
    ]

    /// A new command needs `full` until a person has decided otherwise.
    @Test func `the commands that use the home need control, and those that arrange it need full`() {
        let roles = Dictionary(grouping: Command.descriptions, by: \.role).mapValues { Set($0.map(\.verb)) }
        #expect(Set(roles.keys) == [.control, .full])
        #expect(
            roles[.control] == [
                "turn", "toggle", "set", "increase", "decrease", "recall", "undo", "redo", "apply", "identify",
                "follow", "unfollow", "resume", "wake", "sleep", "schedule", "cancel_timer", "enable_automation",
                "disable_automation", "run_automation", "stop_automation", "load", "show", "away", "deactivate_scene",
                "signal", "all_off", "skip_automation", "unskip_automation",
            ])
        #expect(
            roles[.full] == [
                "rename", "powerup", "set_curve", "remove_curve", "create_room", "add_to_room", "remove_from_room",
                "rename_room", "delete_room", "save_scene", "update_scene", "edit_scene", "rename_scene",
                "delete_scene", "reorder_scenes",
                "remove_automation", "discover", "pair", "forget", "pin", "unpin", "move", "display", "bind", "unbind",
                "prune", "enable_sensor", "disable_sensor", "exclude", "include",
            ])
    }

    @Test(arguments: all)
    func `a command is encoded as its JSON and decoded from it`(command: Command, json: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(String(decoding: try encoder.encode(command), as: UTF8.self) == json)
        #expect(try decoded(json) == command)
    }

    @Test(arguments: all) func `an unknown field is refused by its name`(_: Command, json: String)
        throws
    {
        for field in ["brigthness", "stage"] {
            let error = #expect(throws: DecodingError.self) { try decoded(json.dropLast() + #","\#(field)":1}"#) }
            #expect("\(error!)".contains(field))
        }
    }

    @Test(arguments: all) func `a missing required field is refused`(
        command: Command, json: String
    ) throws {
        let optional: Set = [
            "over", "by", "seconds", "bridge", "brightness", "color", "hue", "saturation", "temperature",
            "steps", "ticket", "kind", "keep_ratios", "perceptual", "scenes", "at", "after",
            "until", "seed", "plugs", "ignore_motion", "plain", "dynamic", "speed", "colors", "duration", "power",
            "remove", "by_name", "timed",
        ]
        let fields = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let verb = try #require(fields["command"] as? String)
        for field in fields.keys
        where !optional.contains(field) || (field == "bridge" && verb == "forget") {
            if field == "targets", ["create_room", "save_scene"].contains(verb) { continue }
            var fewer = fields
            fewer[field] = nil
            let text = String(decoding: try JSONSerialization.data(withJSONObject: fewer), as: UTF8.self)
            #expect(throws: DecodingError.self, "\(field)") { try decoded(text) }
        }
    }

    @Test(arguments: [
        #"{"command":"turn","to":"up","target":"a"}"#, #"{"command":"dance"}"#, #"{"command":"load","target":"a"}"#,
        "[]", "1",
        #"{"command":"turn","to":"on","target":["a"]}"#, #"{"command":"turn","to":"on","target":"a","brightness":1}"#,
        #"{"command":"increase","value":"loudness","target":"a"}"#, #"{"command":"move","target":"a","place":"first"}"#,
    ])
    func `what is not a command is refused`(json: String) { #expect(throws: DecodingError.self) { try decoded(json) } }

    @Test(arguments: all)
    func `who names the verb elsewhere is told all other fields, and of none that it may be null`(
        command: Command, json: String
    ) throws {
        let members = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let verb = try #require(members["command"] as? String)
        let usage = try #require(Command.usage(of: verb))
        let properties = try #require(usage.schema.properties)
        #expect(usage.role == command.role && usage.mayBeRepeated == command.mayComeLate)
        #expect(properties["command"] == nil)
        #expect(members.keys.allSatisfy { $0 == "command" || properties[$0] != nil })
        #expect(usage.schema.required?.allSatisfy { members[$0] != nil } == true)
        for schema in properties.values {
            if case .orNull? = schema.type { Issue.record("\(schema) may be null") }
            #expect(schema.values?.contains(nil) != true && schema.reference == nil)
        }
        #expect(Command.usage(of: verb + "x") == nil)
    }

    @Test func `an optional field has its default`() throws {
        #expect(
            try decoded(#"{"command":"increase","value":"hue","target":"a"}"#) == .increase(.hue, by: 10, target: "a"))
        #expect(try decoded(#"{"command":"discover"}"#) == .discover(seconds: 3))
        #expect(try decoded(#"{"command":"pair"}"#) == .pair(bridge: nil, seconds: 30))
        #expect(try decoded(#"{"command":"create_room","name":"Office"}"#) == .createRoom(name: "Office"))
        #expect(try decoded(#"{"command":"save_scene","name":"Relax"}"#) == .saveScene(name: "Relax"))
    }

    @Test func `lights are added to a room one at least`() {
        let error = #expect(throws: ErrorReply.self) {
            try CommandRequest(.addToRoom(room: "a", targets: [])).validate()
        }
        #expect(error?.error.message == "'targets' names too few: at least 1")
        #expect(throws: Never.self) { try CommandRequest(.createRoom(name: "a")).validate() }
    }

    @Test(arguments: all) func `a request is a command with or without a wait field`(command: Command, json: String)
        throws
    {
        func request(_ json: some StringProtocol) throws -> CommandRequest {
            try JSONDecoder().decode(CommandRequest.self, from: Data(json.utf8))
        }
        #expect(try request(json) == CommandRequest(command))
        #expect(try decoded(String(decoding: JSONEncoder().encode(CommandRequest(command)), as: UTF8.self)) == command)
        let waiting = json.dropLast() + #","wait":true}"#
        let verb = try #require(json.firstMatch(of: /"command":"([a-z_]+)"/)?.1)
        guard
            ["turn", "toggle", "set", "increase", "decrease", "recall", "apply", "undo", "redo", "all_off"].contains(
                verb)
        else {
            #expect(throws: DecodingError.self) { try request(waiting) }
            return
        }
        #expect(try request(waiting) == CommandRequest(command, wait: true))
        let encoded = String(decoding: try JSONEncoder().encode(CommandRequest(command, wait: true)), as: UTF8.self)
        #expect(try request(encoded) == CommandRequest(command, wait: true))
        #expect(throws: DecodingError.self) { try request(json.dropLast() + #","wait":1}"#) }
    }

    @Test(arguments: all) func `a command that writes to bridges can be a dry run, and no other`(
        command: Command, json: String
    ) throws {
        let verb = try #require(json.firstMatch(of: /"command":"([a-z_]+)"/)?.1)
        let dry = Data((json.dropLast() + #","dry_run":true}"#).utf8)
        let isWriting =
            verb.contains("_")
            && ![
                "cancel_timer", "enable_automation", "disable_automation", "stop_automation", "remove_automation",
                "skip_automation", "unskip_automation",
            ].contains(verb)
            || [
                "turn", "toggle", "set", "increase", "decrease", "recall", "apply", "undo", "redo", "rename", "powerup",
                "identify", "signal", "unfollow",
            ].contains(verb)
        guard isWriting else {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(CommandRequest.self, from: dry) }
            #expect(throws: ErrorReply.self) { try CommandRequest(command, dryRun: true).validate() }
            return
        }
        let request = CommandRequest(command, dryRun: true)
        #expect(try JSONDecoder().decode(CommandRequest.self, from: dry) == request)
        #expect(try JSONDecoder().decode(CommandRequest.self, from: JSONEncoder().encode(request)) == request)
    }

    /// Said once more, by hand: what the fields hold names of.
    private static let namingFields: [String: NameRole] = [
        "target": .lights, "targets": .lights, "room": .room, "scene": .scene, "scenes": .scene,
        "bridge": .bridge, "sensor": .sensor,
    ]

    @Test(arguments: all) func `of a command the names of what it is about are replaced, and nothing else`(
        command: Command, json: String
    ) throws {
        #expect(command.replacingNames { $1 } == command)
        var fields = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        // No automation pairs with a bridge, forgets one or binds a switch.
        let unnamed = ["pair": "bridge", "forget": "bridge", "bind": "scenes"][fields["command"] as? String ?? ""]
        for (field, role) in Self.namingFields where field != unnamed {
            if let name = fields[field] as? String { fields[field] = "new \(role) \(name)" }
            if let names = fields[field] as? [String] { fields[field] = names.map { "new \(role) \($0)" } }
        }
        let expected = try JSONDecoder().decode(Command.self, from: JSONSerialization.data(withJSONObject: fields))
        #expect(command.replacingNames { "new \($0) \($1)" } == expected)
    }

    @Test func `a command may be a part of a gesture if it changes lights`() throws {
        let turn = Command.set(.init(brightness: 40), target: "desk")
        let request = CommandRequest(turn, gesture: String(repeating: "g", count: CommandRequest.longestGesture))
        #expect(throws: Never.self) { try request.validate() }
        #expect(try JSONDecoder().decode(CommandRequest.self, from: JSONEncoder().encode(request)) == request)
        #expect(throws: ErrorReply.self) {
            try CommandRequest(turn, gesture: String(repeating: "g", count: 65)).validate()
        }
        // One character, as people count.
        let tall = "e" + String(repeating: "\u{301}", count: 64)
        #expect(tall.count == 1)
        #expect(throws: ErrorReply.self) { try CommandRequest(turn, gesture: tall).validate() }
        let rename = Command.rename(target: "desk", name: "Lamp")
        #expect(throws: ErrorReply.self) { try CommandRequest(rename, gesture: "g").validate() }
    }

    private func decoded(_ json: some StringProtocol) throws -> Command {
        try JSONDecoder().decode(Command.self, from: Data(json.utf8))
    }
}
