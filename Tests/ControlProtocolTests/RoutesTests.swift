import ControlProtocol
import Foundation
import Testing

@Suite struct RoutesTests {
    @Test func `a path without a query is the path`() {
        #expect(Routes.path(Routes.lights, []) == "/v1/lights")
    }

    @Test func `fields keep their order, with encoded values`() {
        #expect(Routes.path(Routes.lights, [(.target, "@Küche")]) == "/v1/lights?target=%40K%C3%BCche")
        #expect(
            Routes.path(Routes.log, [(.since, "2026-11-21T10:00:00Z"), (.limit, "3")])
                == "/v1/log?since=2026-11-21T10%3A00%3A00Z&limit=3")
    }

    @Test(arguments: ["", "a b", "a+b&c=d", "100%", "Küche/灯 🌈", "\0\t\n", "-._~", "#?"])
    func `any text can be read back from a URL`(text: String) throws {
        let path = Routes.path(Routes.lights, [(.target, text), (.limit, "1")])
        let items = try #require(URLComponents(string: "http://lightd" + path)?.queryItems)
        #expect(items == [URLQueryItem(name: "target", value: text), URLQueryItem(name: "limit", value: "1")])
    }
}
