import Khipu
import Testing

struct TimestampTests {
    @Test(arguments: [-5000, -1, 0, 1, 999, 1000, 86_400_000] as [Int64])
    func `advancing by a duration and measuring it agree`(milliseconds: Int64) {
        let start = Timestamp(milliseconds: 1_790_000_000_123)
        let end = start.advanced(by: .milliseconds(milliseconds))
        #expect(end.milliseconds == start.milliseconds + milliseconds)
        #expect(end.since(start) == .milliseconds(milliseconds))
    }

    @Test func `the ticket of a fact has no number`() {
        let ticket = Ticket.unasked(from: "bridge", at: Timestamp(milliseconds: 1))
        #expect(ticket.isUnasked)
        #expect(ticket.holder == "bridge")
    }
}
