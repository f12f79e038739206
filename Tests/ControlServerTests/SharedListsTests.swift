import NIOCore
import Testing

@testable import ControlServer

@Suite struct SharedListsTests {
    @Test func `a list is made once for each state and path`() throws {
        let lists = SharedLists()
        var made: [String] = []
        func list(_ path: String, of state: Int64) throws -> String {
            let bytes = try lists.list(at: path, of: state) {
                made.append("\(path) \(state)")
                return ByteBuffer(string: "\(path) in \(state)")
            }
            return String(buffer: bytes)
        }
        for state in [1, 1, 2, 2] as [Int64] {
            for path in ["/a", "/b", "/a"] { #expect(try list(path, of: state) == "\(path) in \(state)") }
        }
        #expect(made == ["/a 1", "/b 1", "/a 2", "/b 2"])
        // Somebody who was slow does not bring an older state back.
        #expect(try list("/a", of: 1) == "/a in 1")
        #expect(try list("/a", of: 2) == "/a in 2")
        #expect(made.suffix(1) == ["/a 1"])
    }
}
