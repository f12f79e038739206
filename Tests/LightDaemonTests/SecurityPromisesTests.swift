import Foundation
import TestSupport
import Testing

/// SECURITY.md is a list of promises, each with the tests that show it.
@Suite struct SecurityPromisesTests {
    /// The items of the chapter "Promises": each begins with "- " and ends at the next, at a heading or at an empty line.
    private static func promises(in document: String) -> [String] {
        let chapter = document.components(separatedBy: "\n## ").first { $0.hasPrefix("Promises\n") } ?? ""
        var promises: [String] = []
        var isOpen = false
        for line in chapter.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("- ") {
                promises.append(String(line.dropFirst(2)))
                isOpen = true
            } else if line.isEmpty || line.hasPrefix("#") {
                isOpen = false
            } else if isOpen {
                promises[promises.count - 1] += " " + line.drop { $0 == " " }
            }
        }
        return promises
    }

    /// What stands behind "Shown by": `SuiteTests` "name", "name"; `test_file.py::test_name`
    private static func tests(shownBy promise: String) -> [(suite: String, name: String)] {
        guard let shown = promise.firstRange(of: "Shown by ") else { return [] }
        var tests: [(suite: String, name: String)] = []
        for match in promise[shown.upperBound...].matches(of: /`(test_\w+\.py)::(\w+)`|`(\w+Tests)`|"([^"]+)"/) {
            if let (file, name) = match.1.flatMap({ file in match.2.map { (String(file), String($0)) } }) {
                tests.append((file, name))
            } else if let suite = match.3 {
                // Without the name of a test, a suite says nothing.
                tests.append((String(suite), ""))
            } else if let name = match.4, let last = tests.last {
                if last.name.isEmpty { tests.removeLast() }
                tests.append((last.suite, String(name)))
            }
        }
        return tests
    }

    /// Every test, as "SuiteTests name" or "test_file.py name".
    private static func allTests() throws -> Set<String> {
        var tests: Set<String> = []
        for path in FileManager.default.enumerator(atPath: Repository.file("Tests"))?.compactMap({ $0 as? String })
            ?? []
        {
            let file = (path as NSString).lastPathComponent
            let isPython = file.hasPrefix("test_") && file.hasSuffix(".py")
            guard isPython || file.hasSuffix(".swift") else { continue }
            let text = try Repository.text("Tests/\(path)")
            func words(after mark: String, until end: Set<Character>) -> [String] {
                text.components(separatedBy: mark).dropFirst().map { String($0.prefix { !end.contains($0) }) }
            }
            if isPython {
                tests.formUnion(words(after: "def ", until: ["("]).map { "\(file) \($0)" })
            } else {
                let suites = ["struct ", "class ", "extension "].flatMap { words(after: $0, until: [" ", ":", "{"]) }
                let names = words(after: "func `", until: ["`"])
                for suite in suites where suite.hasSuffix("Tests") {
                    tests.formUnion(names.map { "\(suite) \($0)" })
                }
            }
        }
        return tests
    }

    @Test func `every promise of SECURITY.md names tests that exist`() throws {
        let promises = Self.promises(in: try Repository.text("SECURITY.md"))
        #expect(promises.count > 40)
        let all = try Self.allTests()
        for promise in promises {
            let shown = Self.tests(shownBy: promise)
            #expect(!shown.isEmpty, "no test is named: \(promise)")
            for (suite, name) in shown {
                #expect(all.contains("\(suite) \(name)"), "there is no test '\(name)' in \(suite): \(promise)")
            }
        }
    }

    @Test func `a promise without a test, or with one that is gone, is found`() {
        let document = """
            # Security

            ## Promises

            ### Keys

            - One line. Shown by `AccessTests` "a
              test", "another"; `test_access.py::test_it`.
            - Two
              lines.

            Not a promise.

            ## Other

            - Not one either.
            """
        let promises = Self.promises(in: document)
        #expect(promises.count == 2)
        let tests = Self.tests(shownBy: promises[0]).map { "\($0.suite) \($0.name)" }
        #expect(tests == ["AccessTests a test", "AccessTests another", "test_access.py test_it"])
        #expect(Self.tests(shownBy: promises[1]).isEmpty)
        #expect(Self.tests(shownBy: "Shown by `AccessTests`.").map(\.name) == [""])
    }
}
