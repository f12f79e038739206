import HueWire

/// Reads a body of API v1 member by member: each succeeds or fails by itself, and an error holds the value that was
/// sent.
///
/// API v2 refuses the whole body at the first fault and names the path of the member, so ``V2Body`` reads by a schema.
/// What both share exists once: the longest body (`Request.wholeBody()`), the JSON parser (`JSONValue(wire:)`), and
/// what counts as a number, a text or a list (`JSONValue`).
struct V1BodyReader: Sendable {
    let address: String

    init(_ address: String) { self.address = address }

    /// - Parameter take: throws the error of a member, or returns the value that its success shows; `nil` for no item.
    func items(
        of body: V1Body, _ take: (String, JSONValue) throws(V1Failure) -> JSONValue?
    ) -> [V1Outcome.Item] {
        var items: [V1Outcome.Item] = []
        for (name, value) in body.members {
            do throws(V1Failure) {
                if let shown = try take(name, value) { items.append(.success("\(address)/\(name)", shown)) }
            } catch {
                items.append(.failure(error.error))
            }
        }
        return items
    }

    func invalid(_ value: JSONValue, _ name: String) -> V1Failure { V1Failure(.invalid(value, name, address)) }
    func unknown(_ name: String) -> V1Failure { V1Failure(.unknown(name, address)) }
    func fixed(_ name: String) -> V1Failure { V1Failure(.fixed(name, address)) }

    /// - Parameter length: in characters.
    func text(_ value: JSONValue, _ name: String, _ length: ClosedRange<Int> = 1...32) throws(V1Failure) -> String {
        guard let text = value.string, length.contains(text.unicodeScalars.count) else { throw invalid(value, name) }
        return text
    }

    func bool(_ value: JSONValue, _ name: String) throws(V1Failure) -> Bool {
        guard let bool = value.bool else { throw invalid(value, name) }
        return bool
    }

    func int(_ value: JSONValue, _ name: String, _ range: ClosedRange<Int>) throws(V1Failure) -> Int {
        guard let int = value.int, range.contains(int) else { throw invalid(value, name) }
        return int
    }

    func object(_ value: JSONValue, _ name: String) throws(V1Failure) -> [String: JSONValue] {
        guard let members = value.object else { throw invalid(value, name) }
        return members
    }

    func word(_ value: JSONValue, _ name: String, of words: [String]) throws(V1Failure) -> String {
        guard let word = value.string, words.contains(word) else { throw invalid(value, name) }
        return word
    }

    func point(_ value: JSONValue, _ name: String, _ range: ClosedRange<Double>) throws(V1Failure) -> XY {
        guard let pair = value.array?.compactMap(\.double), pair.count == 2, value.array?.count == 2,
            pair.allSatisfy(range.contains)
        else { throw invalid(value, name) }
        return XY(x: pair[0], y: pair[1])
    }

    func status(_ value: JSONValue, _ name: String) throws(V1Failure) -> V1Status {
        guard let status = value.string.flatMap({ V1Status(rawValue: $0) }) else { throw invalid(value, name) }
        return status
    }

    /// - Parameter element: reads one element; if it returns `nil`, the list is invalid.
    func list<Element>(
        _ value: JSONValue, _ name: String, _ count: ClosedRange<Int>, _ element: (JSONValue) -> Element?
    ) throws(V1Failure) -> [Element] {
        guard let values = value.array, count.contains(values.count) else { throw invalid(value, name) }
        let elements = values.compactMap(element)
        guard elements.count == values.count else { throw invalid(value, name) }
        return elements
    }
}
