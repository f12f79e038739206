import FoundationEssentials
import HueWire
import OrderedCollections

/// The documents of API v2, ready to be sent: each is written once, until what it tells of changes.
struct Shelf: Sendable {
    private struct Page: Sendable {
        let type: String
        let document: JSONValue
        var text: [UInt8]?
    }

    private var pages: OrderedDictionary<String, Page> = [:]

    init(_ home: SimulatedHome) {
        for document in home.documents { put(document) }
    }

    mutating func apply(_ differences: [Difference]) {
        for difference in differences {
            switch difference {
            case let .add(document), let .update(_, document): put(document)
            case let .delete(document): pages[document["id"]?.string ?? ""] = nil
            }
        }
    }

    private mutating func put(_ document: JSONValue) {
        guard let id = document["id"]?.string, let type = document["type"]?.string else { return }
        pages[id] = Page(type: type, document: document)
    }

    /// The documents of these types, all where none is named, or the one of that id.
    func documents(_ types: Set<String>?, id: String?) -> [JSONValue] {
        guard let id else { return pages.values.filter { types?.contains($0.type) ?? true }.map(\.document) }
        guard let page = pages[id], types?.contains(page.type) ?? true else { return [] }
        return [page.document]
    }

    /// The same as an envelope, written; `nil` where there is no such id.
    mutating func text(_ types: Set<String>?, id: String?) -> [UInt8]? {
        if let id {
            guard let page = pages[id], types?.contains(page.type) ?? true else { return nil }
            return envelope([id])
        }
        guard let types else { return envelope(Array(pages.keys)) }
        return envelope(pages.keys.filter { pages[$0].map { types.contains($0.type) } ?? false })
    }

    private mutating func envelope(_ ids: [String]) -> [UInt8] {
        var text = Array(#"{"data":["#.utf8)
        for (place, id) in ids.enumerated() {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            guard let page = pages[id] else { continue }
            let written = page.text ?? page.document.wire
            // In place: the dictionary is not copied for it.
            if page.text == nil { pages[id]?.text = written }
            text += written
        }
        return text + Array(#"],"errors":[]}"#.utf8)
    }
}

extension JSONValue {
    /// As it goes over the wire.
    var wire: [UInt8] {
        // Only a number that is none cannot be written, and no document holds one.
        (try? JSONEncoder.wire.encode(self)).map { Array($0) } ?? []
    }
}
