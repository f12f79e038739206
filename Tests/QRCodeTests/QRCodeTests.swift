import Foundation
import QRCode
import Testing

@Suite struct QRCodeTests {
    @Test(arguments: [
        "x", "http://192.168.1.7:8377/#join=kzX0aB3-_9",
        "https://lights.example.org/#join=" + String(repeating: "aB3_", count: 11),
        "Küche 🏠", String(repeating: "lamp", count: 300),
    ])
    func `a code can be read back`(text: String) throws {
        let rows = try QRCode(text).rows
        #expect(rows.count >= 21 && (rows.count - 17) % 4 == 0)
        for row in rows { #expect(row.count == rows.count) }
        #expect(try QRReader(rows).text == text)
    }

    @Test func `an address that a phone reads fits on a terminal of 80 columns and 24 lines`() throws {
        let url = "http://192.168.178.123:8377/#join=" + String(repeating: "x", count: 43)
        #expect(try QRCode(url).rows.count + 2 * 4 <= 46)
    }

    @Test func `a text that no code can hold is refused`() throws {
        #expect(try QRCode(String(repeating: "x", count: 2331)).rows.count == 177)
        for count in [0, 2332] {
            #expect(throws: QRCode.TooLong.self) { try QRCode(String(repeating: "x", count: count)) }
        }
    }
}
