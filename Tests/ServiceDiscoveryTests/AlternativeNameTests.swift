import Testing

@testable import ServiceDiscovery

@Suite struct AlternativeNameTests {
    @Test(arguments: [
        ("Lamp", "Lamp #2"), ("Lamp #2", "Lamp #3"), ("Lamp #9", "Lamp #10"), ("Lamp #1", "Lamp #1 #2"),
        ("Lamp#2", "Lamp#2 #2"),
        ("Lamp #", "Lamp # #2"), ("", " #2"), ("Lamp #9223372036854775807", "Lamp #9223372036854775807 #2"),
    ])
    func `the number of a taken name is incremented`(taken: String, next: String) {
        #expect(alternativeName(after: taken) == next)
    }

    @Test func `alternatives fit a DNS label, split no character and never repeat`() {
        var name = String(repeating: "ü", count: 31)
        var seen: Set<String> = [name]
        for _ in 0..<120 {
            name = alternativeName(after: name)
            #expect(name.utf8.count <= 63)
            #expect(!name.contains("\u{FFFD}"))
            #expect(seen.insert(name).inserted)
        }
    }
}
