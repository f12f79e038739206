public import FoundationEssentials

extension DecodingError {
    /// Why JSON cannot be read, for people: where, what is expected there, and what was found.
    ///
    ///     'target' is missing
    ///     'brightness' of entry 2 of 'lights' must be a number, not "full"
    ///
    /// - Parameters:
    ///   - json: what was read.
    ///   - whole: what it is called as a whole, for a mistake that is not in one of its parts: "the body".
    public func words(in json: Data, called whole: String) -> String {
        func subject(_ path: [any CodingKey]) -> String { path.isEmpty ? whole : place(path) }
        func must(be expected: String, _ path: [any CodingKey]) -> String {
            let found = Found.at(path, in: json).map { ", not \($0)" } ?? ""
            return "\(subject(path)) must be \(expected)\(found)"
        }
        switch self {
        case let .keyNotFound(key, context): return "\(place(context.codingPath + [key])) is missing"
        case let .typeMismatch(type, context), let .valueNotFound(type, context):
            return must(be: word(for: type), context.codingPath)
        case let .dataCorrupted(context):
            switch context.underlyingError as? JSONObjection {
            case let .expected(words)?: return must(be: words, context.codingPath)
            case let .said(words)?:
                return context.codingPath.isEmpty ? words : "\(place(context.codingPath)): \(words)"
            case nil: break
            }
            let found = Found.at(context.codingPath, in: json)
            guard let found else { return "\(whole) is not JSON" }
            guard Texts.canBeRead(in: json) else {
                return "\(whole) has a text that is not JSON: text is UTF-8, and a line break in it is written \\n"
            }
            return context.codingPath.isEmpty
                ? "\(whole) has a number that is out of range" : "\(place(context.codingPath)) cannot be \(found)"
        @unknown default: return "\(whole) cannot be read"
        }
    }

    /// What a value must be: "on or off".
    static func expected(
        _ words: String, at key: CommandKey, in container: KeyedDecodingContainer<CommandKey>
    ) -> DecodingError {
        .objection(.expected(words), container.codingPath + [key])
    }

    /// What is wrong with an object as a whole, as a sentence.
    static func said(_ words: String, of container: KeyedDecodingContainer<CommandKey>) -> DecodingError {
        .objection(.said(words), container.codingPath)
    }

    private static func objection(_ objection: JSONObjection, _ path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(Context(codingPath: path, debugDescription: "\(objection)", underlyingError: objection))
    }
}

/// Why JSON that can be read is refused: tells our own words from the decoder's.
private enum JSONObjection: Error {
    case expected(String)
    case said(String)
}

/// "'brightness' of entry 2 of 'lights'": entries are counted from 1.
private func place(_ path: [any CodingKey]) -> String {
    path.reversed().map { key in key.intValue.map { "entry \($0 + 1)" } ?? "'\(key.stringValue)'" }
        .joined(separator: " of ")
}

private func word(for type: any Any.Type) -> String {
    switch type {
    case is String.Type: "text"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    case is any List.Type: "a list"
    default: "an object"
    }
}

private protocol List {}
extension Array: List {}

/// What stands at one place of a JSON text, in a few words. Reads only what leads there.
private struct Found: Decodable {
    let words: String

    /// - Returns: `nil` if there is nothing, or if the text is not JSON.
    static func at(_ path: [any CodingKey], in json: Data) -> String? {
        guard let key = Self.path else { return nil }
        let decoder = JSONDecoder()
        decoder.userInfo[key] = path
        return (try? decoder.decode(Found.self, from: json))?.words
    }

    private static let path = CodingUserInfoKey(rawValue: "path")

    init(from decoder: any Decoder) throws {
        let path = Self.path.flatMap { decoder.userInfo[$0] as? [any CodingKey] } ?? []
        var place = decoder
        for key in path {
            if let index = key.intValue {
                var entries = try place.unkeyedContainer()
                for _ in 0..<index { _ = try entries.superDecoder() }
                place = try entries.superDecoder()
            } else {
                place = try place.container(keyedBy: CommandKey.self).superDecoder(forKey: CommandKey(key.stringValue))
            }
        }
        words = try Self.words(place)
    }

    private static func words(_ place: any Decoder) throws -> String {
        if (try? place.unkeyedContainer()) != nil { return "a list" }
        if (try? place.container(keyedBy: CommandKey.self)) != nil { return "an object" }
        let value = try place.singleValueContainer()
        if value.decodeNil() { return "null" }
        if let bool = try? value.decode(Bool.self) { return "\(bool)" }
        if let text = try? value.decode(String.self) {
            return "\"\(text.count > longest ? text.prefix(longest) + "…" : text[...])\""
        }
        return shortest(try value.decode(Double.self))
    }

    /// Of a text that is repeated, in characters.
    private static let longest = 40
}

/// Every text of a JSON value, names of fields included: the decoder reads them only when it is asked for them.
private struct Texts: Decodable {
    static func canBeRead(in json: Data) -> Bool { (try? JSONDecoder().decode(Texts.self, from: json)) != nil }

    init(from decoder: any Decoder) throws {
        if var list = try Self.unlessMismatched({ try decoder.unkeyedContainer() }) {
            while !list.isAtEnd { _ = try list.decode(Texts.self) }
        } else if let object = try Self.unlessMismatched({ try decoder.container(keyedBy: CommandKey.self) }) {
            for key in object.allKeys { _ = try object.decode(Texts.self, forKey: key) }
        } else {
            let value = try decoder.singleValueContainer()
            guard !value.decodeNil() else { return }
            _ = try Self.unlessMismatched { try value.decode(String.self) }
        }
    }

    /// `nil` if the value is of another kind.
    private static func unlessMismatched<Value>(_ read: () throws -> Value) throws -> Value? {
        do {
            return try read()
        } catch DecodingError.typeMismatch, DecodingError.valueNotFound {
            return nil
        }
    }
}

/// "did you mean 'brightness'?" or, if none is near, all of them: "use one of brightness, color, …".
public func didYouMean(_ typed: String, of known: [String], else introduction: String) -> String {
    if let near = closest(to: typed, in: known) { return "did you mean '\(near)'?" }
    return "\(introduction) \(known.isEmpty ? "none" : known.joined(separator: ", "))"
}

/// A number as a person writes it: "40", "366.5".
public func shortest(_ number: Double) -> String {
    let text = "\(number)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
