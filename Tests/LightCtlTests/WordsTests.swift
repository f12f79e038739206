import Testing

@testable import lightctl

@Suite struct WordsTests {
    @Test(arguments: [(0, "0"), (12.5, "12.5"), (39.96, "40"), (-0.04, "0"), (-1.25, "-1.3")])
    func `a number shows at most one digit behind the point`(value: Double, words: String) {
        #expect(number(value) == words)
    }
}
