import HueWire
import OrderedCollections

/// The documents of API v2 as JSON text: each is encoded once, until it changes.
struct DocumentCache: Sendable {
    private struct CachedDocument: Sendable {
        let type: String
        let document: JSONValue
        var text: [UInt8]?
    }

    private var documentsByID: OrderedDictionary<String, CachedDocument> = [:]

    init(_ home: SimulatedHome) {
        for document in home.documents { put(document) }
    }

    mutating func apply(_ differences: [Difference]) {
        for difference in differences {
            switch difference {
            case let .add(document), let .update(_, document): put(document)
            case let .delete(document): documentsByID[document["id"]?.string ?? ""] = nil
            }
        }
    }

    private mutating func put(_ document: JSONValue) {
        guard let id = document["id"]?.string, let type = document["type"]?.string else { return }
        documentsByID[id] = CachedDocument(type: type, document: document)
    }

    /// The envelope with the documents of these types, or of all if `types` is nil, or with the one of that id; `nil`
    /// for an unknown id.
    mutating func text(_ types: Set<String>?, id: String?) -> [UInt8]? {
        if let id {
            guard let cached = documentsByID[id], types?.contains(cached.type) ?? true else { return nil }
            return envelope([id])
        }
        guard let types else { return envelope(Array(documentsByID.keys)) }
        return envelope(documentsByID.keys.filter { documentsByID[$0].map { types.contains($0.type) } ?? false })
    }

    private mutating func envelope(_ ids: [String]) -> [UInt8] {
        var text = Array(#"{"data":["#.utf8)
        for (place, id) in ids.enumerated() {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            guard let cached = documentsByID[id] else { continue }
            let written = cached.text ?? cached.document.wire
            // In place, without copying the dictionary.
            if cached.text == nil { documentsByID[id]?.text = written }
            text += written
        }
        return text + Array(#"],"errors":[]}"#.utf8)
    }
}
