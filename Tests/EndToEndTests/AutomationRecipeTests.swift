import Foundation
import TestSupport
import Testing

/// The recipes of docs/automation.md, with the real programs: what they name exists in the home of this test, so each
/// can be applied without a warning, and run.
@Suite(.timeLimit(.minutes(5)))
struct AutomationRecipeTests {
    private static let home = """
        rooms:
          - name: Living
            lights: [{ name: Sofa, kind: color }]
          - name: Hall
            lights: [{ name: Hall lamp, kind: color }]
            accessories: [{ name: Hall motion, kind: motion }, { name: Dial Hall, kind: dial }, { name: Door, kind: contact }]
          - name: Kitchen
            lights: [{ name: Stove, kind: ambiance }]
            accessories: [{ name: Kitchen motion, kind: motion }]
          - name: Bedroom
            lights: [{ name: Bedside, kind: ambiance }]
            accessories: [{ name: Dial Bed, kind: dial }]
        scenes:
          - name: Evening
            group: Living
            lights: { Sofa: { brightness: 40, mirek: 400 } }
        """

    @Test func `each recipe can be applied and run`() async throws {
        let (files, scripts) = try Self.recipes()
        #expect(files.count == 6 && scripts.count == 2)
        try await ProgramsFixture.running(
            home: Self.home, lightsim: ["--time-scale", "60"],
            configuration: "home: { latitude: 52.52, longitude: 13.405, time_zone: Europe/Berlin }"
        ) { programs in
            let shell = programs.shell
            #expect(try await shell.run("$lightctl pair").status == 0)
            for file in files {
                try shell.write(file, to: "recipe.yaml")
                let applied = try await shell.run("$lightctl automation apply recipe.yaml")
                #expect(applied.status == 0 && applied.errors.isEmpty, "\(file)\(applied)")
                for name in file.matches(of: /- name: (.*)/).map(\.1) {
                    let end = try await shell.run("$lightctl automation run '\(name)'")
                    #expect(end.status == 0, "\(name): \(end)")
                }
            }
            for line in scripts.joined(separator: "\n").split(separator: "\n") {
                let end = try await shell.run("$\(line)")
                #expect(end.status == 0, "\(line): \(end)")
            }
        }
    }

    /// The files and the scripts of the section.
    private static func recipes() throws -> (files: [String], scripts: [String]) {
        let text = try Repository.text("docs/automation.md")
        let start = try #require(text.range(of: "\n## Recipes\n")).upperBound
        let section = text[start...].prefix(upTo: try #require(text[start...].range(of: "\n## ")).lowerBound)
        func blocks(_ language: String) -> [String] {
            section.components(separatedBy: "```\(language)\n").dropFirst()
                .map { $0.components(separatedBy: "```")[0] }
        }
        return (blocks("yaml"), blocks("sh"))
    }
}
