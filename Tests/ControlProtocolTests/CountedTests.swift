import ControlProtocol
import Testing

@Suite struct CountedTests {
    @Test(arguments: [
        ([], ""), (["Desk"], "Desk"), (["Desk", "Sofa"], "Desk and Sofa"),
        (["Desk", "Sofa", "Fan"], "Desk, Sofa and Fan"),
    ])
    func `words are joined by commas and a conjunction`(words: [String], sentence: String) {
        #expect(enumeration(words, "and") == sentence)
        #expect(enumeration(words, "or") == sentence.replacing(" and ", with: " or "))
    }
}
