import Testing

@testable import ControlServer

@Suite struct StateCacheTests {
    @Test func `what is asked for is made once for each state and key`() throws {
        let cache = StateCache<String, String>()
        var made: [String] = []
        func value(_ key: String, of state: Int64) throws -> String {
            try cache.value(for: key, of: state) {
                made.append("\(key) \(state)")
                return "\(key) in \(state)"
            }
        }
        for state in [1, 1, 2, 2] as [Int64] {
            for key in ["/a", "/b", "/a"] { #expect(try value(key, of: state) == "\(key) in \(state)") }
        }
        #expect(made == ["/a 1", "/b 1", "/a 2", "/b 2"])
        // Somebody who was slow does not bring an older state back.
        #expect(try value("/a", of: 1) == "/a in 1")
        #expect(try value("/a", of: 2) == "/a in 2")
        #expect(made.dropFirst(4) == ["/a 1"])
    }

    @Test func `that there is nothing is made once, too`() throws {
        let cache = StateCache<Int, String?>()
        var count = 0
        for _ in 1...2 {
            let value = try cache.value(for: 1, of: 1) {
                count += 1
                return nil
            }
            #expect(value == nil)
        }
        #expect(count == 1)
    }

    @Test func `only so many values are kept`() throws {
        let cache = StateCache<Int, Int>(2)
        var count = 0
        for _ in 1...2 {
            for key in 1...3 {
                #expect(
                    try cache.value(for: key, of: 1) {
                        count += 1
                        return key
                    } == key)
            }
        }
        #expect(count == 4)
    }
}
