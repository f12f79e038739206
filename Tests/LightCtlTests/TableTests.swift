import Testing

@testable import lightctl

@Suite struct TableTests {
    private static let table = Table(
        headings: ["NAME", "ROOM", "BAR", "STATE"],
        rows: [["Reading lamp", "Living room", "▮▮▮▮▮▮▮▮▮▮", "on"].map { StyledText($0) }],
        elastic: [0, 1], optional: [2, 1])

    @Test(arguments: 22...60) func `a table that is too wide shortens its texts, then leaves columns out`(width: Int) {
        let lines = Self.table.rendered(for: .screen(width)).split(separator: "\n")
        #expect(lines.allSatisfy { columns(String($0)) <= width }, "\(lines)")
        #expect(lines[0].contains("STATE") && lines[1].hasSuffix("on"))
    }

    @Test func `a wide terminal shows all of a table`() {
        #expect(
            Self.table.rendered(for: .screen(60))
                == """
                NAME          ROOM         BAR         STATE
                Reading lamp  Living room  ▮▮▮▮▮▮▮▮▮▮  on
                """)
    }

    @Test func `a name written from right to left does not turn the columns after it round`() {
        let table = Table(headings: ["NAME", "STATE"], rows: [[StyledText("מטבח"), StyledText("on")]])
        #expect(table.rendered(for: .screen()).hasSuffix("מטבח\u{200E}  on"))
    }

    @Test(arguments: [
        ("Küche", 5), ("灯", 2), ("💡", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2), ("e\u{301}", 1), ("\u{200E}", 0),
    ])
    func `a text is as wide as a terminal shows it`(text: String, width: Int) {
        #expect(columns(text) == width)
    }

    @Test(arguments: [(0.0, "0%"), (0.2, "1%"), (39.92, "40%"), (99.6, "100%"), (100, "100%")])
    func `a brightness is shown in whole per cent, and never as 0 while it is above`(value: Double, text: String) {
        #expect(percent(value) == text)
    }
}
