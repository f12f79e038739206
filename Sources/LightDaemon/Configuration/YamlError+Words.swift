import Yams

extension YamlError {
    /// "lightd.yaml:12", or the file alone where the error stands nowhere in particular.
    func place(in file: String) -> String {
        switch self {
        case let .scanner(_, _, mark, _), let .parser(_, _, mark, _), let .composer(_, _, mark, _):
            "\(file):\(mark.line)"
        case let .duplicatedKeysInMapping(_, context): "\(file):\(context.mark.line)"
        case let .reader(_, offset?, _, yaml): "\(file):\(1 + yaml.prefix(offset).count(where: \.isNewline))"
        default: file
        }
    }

    /// In one line.
    var complaint: String {
        switch self {
        case let .scanner(_, problem, _, _), let .parser(_, problem, _, _), let .composer(_, problem, _, _),
            let .reader(problem, _, _, _):
            "not readable as YAML: \(problem)"
        case let .duplicatedKeysInMapping(keys, _):
            "a key stands twice, expected once: \(keys.sorted().joined(separator: ", "))"
        default: "not readable as YAML: \(self)"
        }
    }
}
