import ControlProtocol
import Testing

@Suite struct RoutesTests {
    @Test func `a path without a query is the path`() {
        #expect(Routes.path(Routes.lights, []) == "/v1/lights")
    }
}
