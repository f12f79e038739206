import ControlProtocol

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
