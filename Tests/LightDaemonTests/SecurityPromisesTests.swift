import Foundation
import TestSupport
import Testing

/// SECURITY.md is a list of promises, each with the tests that show it.
@Suite struct SecurityPromisesTests {
    /// The items of the chapter "Promises": each begins with "- " and ends at the next, at a heading or at an empty line.
    private static func promises(in document: String) -> [String] {
        let chapter = document.split(separator: /\n## /).first { $0.hasPrefix("Promises\n") } ?? ""
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
        var tests: [(String, String)] = []
        for part in promise[shown.upperBound...].split(separator: "; ") {
            if let python = part.firstMatch(of: /`(test_\w+\.py)::(\w+)`/) {
                tests.append((String(python.1), String(python.2)))
            } else if let suite = part.firstMatch(of: /`(\w+Tests)`/) {
                // A suite without the name of a test says nothing.
                let names = part[suite.range.upperBound...].matches(of: /"([^"]+)"/).map { String($0.1) }
                tests += (names.isEmpty ? [""] : names).map { (String(suite.1), $0) }
            }
        }
        return tests
    }

    private static func files(ending ending: String) throws -> [(name: String, text: String)] {
        let root = Repository.file("Tests")
        return try (FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? [])
            .filter { $0.hasSuffix(ending) }
            .map { (($0 as NSString).lastPathComponent, try Repository.text("Tests/\($0)")) }
    }

    @Test func `every promise of SECURITY.md names tests that exist`() throws {
        let promises = Self.promises(in: try Repository.text("SECURITY.md"))
        #expect(promises.count > 40)
        let (swift, python) = (try Self.files(ending: ".swift"), try Self.files(ending: ".py"))
        for promise in promises {
            let tests = Self.tests(shownBy: promise)
            #expect(!tests.isEmpty, "no test is named: \(promise)")
            for (suite, name) in tests {
                let exists =
                    suite.hasSuffix(".py")
                    ? python.contains { $0.name == suite && $0.text.contains("def \(name)(") }
                    : swift.contains {
                        $0.text.contains(try! Regex("(struct|class|extension) \(suite)\\b"))
                            && $0.text.contains("func `\(name)`(")
                    }
                #expect(exists, "there is no test '\(name)' in \(suite): \(promise)")
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
