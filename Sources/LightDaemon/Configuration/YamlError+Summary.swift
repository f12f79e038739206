import Yams

extension YamlError {
    /// "lightd.yaml:12", or only the file if the error has no line.
    func location(in file: String) -> String {
        switch self {
        case let .scanner(_, _, mark, _), let .parser(_, _, mark, _), let .composer(_, _, mark, _):
            "\(file):\(mark.line)"
        case let .duplicatedKeysInMapping(_, context): "\(file):\(context.mark.line)"
        case let .reader(_, offset?, _, yaml): "\(file):\(1 + yaml.prefix(offset).count(where: \.isNewline))"
        default: file
        }
    }

    /// The error in one line.
    var summary: String {
        switch self {
        case let .scanner(_, problem, _, _), let .parser(_, problem, _, _), let .composer(_, problem, _, _),
            let .reader(problem, _, _, _):
            "invalid YAML: \(problem)"
        case let .duplicatedKeysInMapping(keys, _):
            "duplicate key: \(keys.sorted().joined(separator: ", "))"
        default: "invalid YAML: \(self)"
        }
    }
}
