import ArgumentParser
import ControlProtocol

struct BindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bind",
        abstract: "Let a switch or dial control a room, a zone, a light or all.",
        usage: "lightctl bind [<switch> <target> [--scenes <scene> ...]] [<options>]",
        discussion: """
            lightd then does what is pressed and turned there, without any program. Without arguments: lists what is \
            bound, as 'lightctl list bindings' does.

            A dimmer switch: on (again: the room's scenes, one after the other), brighter and darker, also while held, \
            and off. A dial: its buttons recall the room's scenes and turn off while held; its ring sets the level of \
            the lights that are on, with their ratios, and turned clockwise turns on. Other buttons: on and off, and \
            dim while held. One press, or one turn, is one step for 'lightctl undo'.

            The scenes are those of the room in their order ('lightctl scene reorder'), or those of --scenes. If the \
            maker's app has set up the switch too, both act: remove it there.

            Examples:
              lightctl bind "Dial Living" @Living
              lightctl bind dimmer @Living --scenes Bright Relax
              lightctl bind
            """
    )

    @Argument(help: "A switch's or dial's name or id.") var `switch`: String?
    @Argument(help: "A light's name, @room, all, or an id.") var target: String?
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("The scenes that it recalls, in this order.", valueName: "scene"))
    var scenes: [String] = []
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (`switch` == nil) == (target == nil) else {
            throw ValidationError("bind needs a switch and a target: lightctl bind \"Dial Living\" @Living")
        }
        guard `switch` != nil || scenes.isEmpty else {
            throw ValidationError("--scenes needs a switch and a target to bind")
        }
    }

    func run() throws {
        let session = try Session(options)
        guard let `switch`, let target else {
            return try session.show(Routes.bindings) { Lists.bindings($0, on: session.terminal) }
        }
        let command = Command.bind(switch: `switch`, target: target, scenes: scenes.isEmpty ? nil : scenes)
        let reply = try session.client.send(command, within: session.timeout ?? Session.defaultTimeout)
        if session.console.json {
            try session.console.printJSON(reply)
        } else if let binding = reply.binding {
            try session.console.confirm(BindingText.bound(binding))
        }
    }
}

struct UnbindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unbind",
        abstract: "Remove the binding of a switch or dial: it no longer controls lights.",
        discussion: """
            Example:
              lightctl unbind "Dial Living"
            """
    )

    @Argument(help: "A bound switch's or dial's name or id.") var `switch`: String
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        let reply = try session.client.send(
            .unbind(switch: `switch`), within: session.timeout ?? Session.defaultTimeout)
        if session.console.json {
            try session.console.printJSON(reply)
        } else {
            try session.console.confirm("\(printable(`switch`)): no longer bound")
        }
    }
}

/// What `bind` says, and the list of what is bound.
enum BindingText {
    static func bound(_ binding: BindingBody) -> String {
        let width = binding.controls.map(\.control.count).max() ?? 0
        let controls = binding.controls.map { control in
            let padding = String(repeating: " ", count: width - control.control.count)
            return "  \(control.control)\(padding)  \(printable(control.does))"
        }
        let warning = binding.warning ?? "if the maker's app has set it up too, both act: remove it there"
        return
            (["\(printable(binding.name)): bound to \(printable(binding.targetName))"] + controls
            + [printable(warning)]).joined(separator: "\n")
    }
}

extension Lists {
    static func bindings(_ bindings: [BindingBody], on terminal: Terminal) -> String {
        guard terminal.isTerminal else {
            return Table.plain(
                bindings.map {
                    [$0.name, $0.targetName, $0.scenes.joined(separator: ", "), $0.problem, $0.id, $0.target]
                })
        }
        guard !bindings.isEmpty else { return "no switch is bound" }
        let rows = bindings.map { binding in
            [
                StyledText(printable(binding.name), .strong), StyledText(printable(binding.targetName)),
                StyledText(printable(binding.scenes.joined(separator: ", "))),
                StyledText(printable([binding.problem, binding.warning].compactMap(\.self).joined(separator: "; "))),
            ]
        }
        return Table(headings: ["SWITCH", "CONTROLS", "SCENES", "PROBLEM"], rows: rows, elastic: [0, 1, 2, 3])
            .rendered(for: terminal)
    }
}
