import FoundationEssentials
import Khipu
import Lighting
import Testing

/// Journals outlive the program that wrote them: rows written by earlier builds must still be decoded.
struct JournalRowTests {
    private static let ticket = Ticket(number: 3, holder: "api", time: Timestamp(milliseconds: 5))

    @Test(
        arguments: [
            (#""load":{"_0":"lights"}"#, .load),
            (#""loading":{"_0":"lights","_1":{"succeeded":{}}}"#, .loading(.succeeded)),
            (#""undo":{"_0":2,"over":{"usual":{}}}"#, .undo(2, over: .usual)),
            (
                #""redoing":{"_0":{"steps":1,"lights":[],"skipped":[]},"_1":{"succeeded":{}}}"#,
                .redoing(Reversal(steps: 1), .succeeded)
            ),
            (
                #""settled":{"_0":{"failed":{"_0":{"notPaired":{}}}}}"#, .settled(.failed(.notPaired))
            ),
            (
                #""settled":{"_0":{"failed":{"_0":{"refused":{"by":"ecb5fafffe010203","words":"it is off"}}}}}"#,
                .settled(.failed(.refused(by: Bridge.ID("ecb5fafffe010203"), words: "it is off")))
            ),
        ] as [(String, Message.Lighting)])
    func `rows of earlier builds are decoded`(json: String, message: Message.Lighting) throws {
        let row = #"{"lighting":{"_0":{\#(json)},"ticket":{"number":3,"holder":"api","time":5}}}"#
        let decoded = try JSONDecoder().decode(Message.self, from: Data(row.utf8))
        #expect(decoded == .lighting(message, ticket: Self.ticket))
        let again = try JSONDecoder().decode(Message.self, from: JSONEncoder().encode(decoded))
        #expect(again == decoded)
    }
}
