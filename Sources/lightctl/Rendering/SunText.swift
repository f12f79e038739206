import ControlProtocol

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
