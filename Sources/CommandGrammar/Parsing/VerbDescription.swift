public import ArgumentParser
import FoundationEssentials

/// A command's arguments as swift-argument-parser describes them: the part of its tool information (serialization
/// version 0) that completions and errors need.
public struct CommandDescription: Decodable, Sendable {
    public let arguments: [Argument]?

    public struct Argument: Decodable, Sendable {
        public enum Kind: String, Decodable, Sendable { case positional, option, flag }

        public let kind: Kind
        public let shouldDisplay: Bool
        public let isRepeating: Bool
        public let names: [Name]?
        public let valueName: String?
        public let allValues: [String]?
        public let completionKind: CompletionKind?
        public let abstract: String?

        public struct Name: Decodable, Sendable {
            public let kind: String
            public let name: String

            public var typed: String { kind == "long" ? "--\(name)" : "-\(name)" }
        }

        /// The property "file" stands for a list of extensions.
        public struct CompletionKind: Decodable, Sendable {
            public let file: Extensions?
            public let list: List?
            public struct Extensions: Decodable, Sendable {}
            public struct List: Decodable, Sendable { public let values: [String] }
        }
    }

    private struct Tool: Decodable { let command: CommandDescription }

    public static func of(_ type: any ParsableArguments.Type) throws -> CommandDescription {
        try JSONDecoder().decode(Tool.self, from: Data(type._dumpHelp().utf8)).command
    }
}
