import Khipu
import Testing

@testable import HueBridge

@Suite struct HTTPDateTests {
    @Test func `the time of a Date header is read, and any other form is none`() {
        #expect(Timestamp(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT") == Timestamp(milliseconds: 784_111_777_000))
        #expect(Timestamp(httpDate: "Thu, 01 Jan 1970 00:00:00 GMT") == Timestamp(milliseconds: 0))
        for text in [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Now 1994 08:49:37 GMT",
        ] {
            #expect(Timestamp(httpDate: text) == nil)
        }
    }
}
