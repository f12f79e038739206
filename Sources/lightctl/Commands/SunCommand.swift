import ArgumentParser
import ControlProtocol

struct SunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sun",
        abstract: "Show when the sun rises and sets at home.",
        discussion: """
            Dawn and dusk are when the sun is 6° below the horizon; noon is when it is highest. All times are those of \
            the home's clocks. Needs home.latitude and home.longitude in lightd.yaml.

            In a pipe: lines of "key<tab>value", without those that do not come on this day.

            Examples:
              lightctl sun
              lightctl sun --date tomorrow
              lightctl sun --date 2026-12-24
            """
    )

    @Option(help: ArgumentHelp("Another day than today, for example tomorrow or 2026-12-24.", valueName: "day"))
    var date: String?
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        let query = date.map { [(Routes.Query.date, $0)] } ?? []
        try session.show(Routes.sun, query) { (sun: SunBody) in
            Details.rendered(try SunText.fields(sun), on: session.terminal)
        }
    }
}

/// The output of `lightctl sun`.
enum SunText {
    static func fields(_ sun: SunBody) throws(ErrorReply) -> [Details.Field] {
        guard sun.latitude != nil, let noon = sun.events.first(where: { $0.name == .noon }) else {
            throw ErrorReply(
                .cannot, "the home's place is not configured, so when the sun rises there is not known",
                hint: "set home.latitude and home.longitude in lightd.yaml, then run 'systemctl reload lightd'")
        }
        var fields: [Details.Field] = [
            ("date", StyledText(printable(sun.date))), ("time zone", StyledText(printable(sun.timeZone))),
        ]
        for event in sun.events where event.name != .midnight {
            let height = event.name == .noon ? ", \(number(event.elevation))° high" : ""
            fields.append(
                (
                    event.name == .noon ? "solar noon" : event.name.rawValue,
                    StyledText(printable(String(event.clock.prefix(5))) + height)
                ))
        }
        if !sun.events.contains(where: { $0.name == .sunrise || $0.name == .sunset }) {
            fields.append(("sun", StyledText("stays \(noon.elevation < 0 ? "down" : "up") all day")))
        }
        return fields
    }
}
