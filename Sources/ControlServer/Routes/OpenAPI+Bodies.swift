import ControlProtocol
import ControlSurface
import Lighting

extension OpenAPI {
    /// The schemas of all bodies but the page's, by their names among the components.
    static var bodySchemas: [String: JSONSchema] {
        get throws {
            var schemas = try BodySchema.components(
                bodies, inlined: [BodySchema(SceneValuesBody.Value.self, values: .scene)])
            schemas["LightState"] = lightState
            return schemas
        }
    }

    private static let endsWhen: BodySchema.Note = .moment("Absent if it has no end.")
    private static let homeTime: BodySchema.Note = "In the home's time."

    static let bodies = [
        "Light": BodySchema(
            LightBody.self, values: .list,
            notes: [
                "since": .moment, "powerup": "What it does when its mains power returns.",
                "signal": "What it tells by blinking; left out if nothing.", "signal.until": .moment("When it ends."),
                "signal.colors": "One in which it blinks, or two in turns; empty if it blinks in what it shows.",
                "follows": "What of it follows something; left out if nothing does.",
                "excluded_from": "What leaves it out: the page, or its 'All off'; left out if nothing does.",
                "limits.effects": "What it can run, in the bridge's words; left out if it can run nothing.",
                "limits.gradient_points": "How many colours a gradient may have; left out if it shows one colour.",
            ]),
        "FollowedValue": BodySchema(
            FollowedValueBody.self,
            notes: [
                "course": "The curve's name, wake-up or sleep.", "target": "What follows it, as a command names it.",
                "paused": "The hand that has changed it, so that it is left alone; left out while it follows.",
            ]),
        "Following": BodySchema(
            FollowingBody.self,
            notes: [
                "target": "As a command names it.", "course": "The curve's name, wake-up or sleep.", "since": .moment,
                "until": .moment("When it ends; left out if somebody ends it."),
                "resume_after":
                    "So long after a change by hand a light follows again, in seconds; left out if only once it was off.",
                "lights": "How many lights follow it now.", "paused": "How many of them a hand has changed.",
            ]),
        "Curve": BodySchema(
            CurveBody.self,
            notes: [
                "points": .each(.component("CurvePoint")),
                "built_in": "Whether lightd has it: removing it brings back what it was.", "own": "Whether it was set.",
            ]),
        "Cause": BodySchema(
            CauseBody.self,
            "Who or what set a light to what it shows: a command, a scene, somebody at the wall, returning power, another app, or something before lightd listened.",
            notes: [
                "by": "Who sent the command, or what was pressed at the wall.", "at": .moment,
                "what": "The command in words, or the scene's name.",
            ]),
        "Room": BodySchema(
            RoomBody.self,
            notes: [
                "on": "How many are on; those whose state is in doubt do not count.",
                "unreachable": "How many the bridge does not reach; left out if none.",
                "stale": "How many are as they were before the bridge was lost; left out if none.",
                "brightness": .percent,
                "scene":
                    "The scene that was last recalled for it; left out if none of its lights shows it any more.",
                "scene.changed": "Whether something else has changed one of the scene's lights since.",
            ]),
        "Scene": BodySchema(
            SceneBody.self,
            notes: [
                "place":
                    "Its place in the order into which 'reorder_scenes' has put the scenes of its room or zone, from 1. Those without one follow, by name; a scene that is gone leaves a gap."
            ]),
        "SmartScene": BodySchema(
            SmartSceneBody.self,
            "What a smart scene does: while it is active, its bridge recalls other scenes at their times, "
                + "by its own clock.",
            notes: [
                "current": "The slot whose scene was recalled last; left out while it is not active.",
                "transition": "How long the change from one scene to the next takes, in milliseconds.",
                "week.days": "Such as mon-fri or sat,sun.", "week.slots": "Each lasts until the next one begins.",
                "*.start": "Such as 06:45, sunrise or sunset.", "*.scene": "The scene's name.",
                "*.id": "The scene's id.",
            ]),
        "SceneValues": BodySchema(
            SceneValuesBody.self,
            notes: [
                "values":
                    "What it sets on each light; what is absent is left as it is. A smart scene sets nothing itself."
            ]),
        "Sensor": BodySchema(
            SensorBody.self, "What it cannot report is absent, as is what it has not reported yet.",
            notes: [
                "reports": "What it can report, whether it has or not.", "*.since": .moment,
                "light_level.value": "Lux.",
                "temperature.value": "Degrees Celsius.", "battery.value": .percent, "buttons.number": "From 1.",
                "dial.value": "The last turn in degrees; counter-clockwise is negative.",
                "enabled": "False if somebody has switched it off in an app: then it reports nothing.",
                "freshness": .words(["confirmed", "stale", "unreachable"]), "stale_since": .moment,
            ]),
        "Press": BodySchema(
            PressBody.self,
            "The data of a 'press' event of /v1/events: somebody has just done this. It is never sent for what was read again or repeated by a bridge. A slow reader gets the last few presses of each switch; the journal has all.",
            notes: [
                "id": "The sensor's.", "button": "From 1; absent for a dial.",
                "press": "'held' is repeated while the button is down.",
                "rotation": "Of a dial, in degrees; counter-clockwise is negative.", "time": .moment,
            ]),
        "Bridge": BodySchema(
            BridgeBody.self,
            notes: [
                "since": .moment, "reason": "Why it is not connected.",
                "reason_code": "What commands for its lights fail with for that reason.",
                "updates": "How lightd learns of changes; absent while the bridge is not connected.",
                "interval_seconds": "How often lightd polls a bridge without an event stream.",
                "firmware": "The version that is installed, as the bridge last said.",
                "firmware_update":
                    "Pending: the bridge does not have it yet. Ready: the maker's app can install it. Absent if unknown.",
            ]),
        "Pin": BodySchema(PinBody.self),
        "Binding": BodySchema(
            BindingBody.self,
            notes: [
                "scenes": "The names of the scenes that it recalls, in this order.",
                "controls":
                    "What its buttons and its dial do, in words; empty until its bridge has reported the switch.",
                "problem": "Why it does nothing, or less than it should.",
                "warning": "What else acts on the switch, as far as its bridge tells.",
            ]),
        "Names": BodySchema(NamesBody.self),
        "Status": BodySchema(
            StatusBody.self,
            notes: [
                "started": .moment, "away": "The presence replay that goes on; absent if none does.",
                "away.since": .moment, "away.until": .moment("Absent if only a sign of life ends it."),
                "warnings": "What a person should know of the state with which lightd began.",
                "restored": "What came of a backup with which lightd began; absent if it began without one.",
                "restored.error": "Why nothing was restored; absent if the backup was.",
                "mqtt": "The MQTT broker on which the home is shown; absent if none is configured.",
                "mqtt.address": "Host and port.", "mqtt.since": .moment("Since when it is connected, or is not."),
                "mqtt.reason": "Why it is not connected.",
            ]),
        "Backup": BodySchema(
            BackupBody.self,
            notes: [
                "created": .moment, "version": "Of the lightd that made it.",
                "keys": "Whether the keys of its bridges and the access tokens are in it.",
                "without_key":
                    "Its bridges whose keys are neither in it nor in lightd: they are left out, and must be paired again.",
                "unpaired": "The bridges that are no longer paired, because the backup does not have them.",
            ]),
        "BackupContents": BodySchema(
            BackupBody.Counts.self, notes: ["tokens": "Absent if they are not in the backup: they stay as they are."]),
        "Sun": BodySchema(
            SunBody.self,
            notes: [
                "date": .date, "latitude": "Degrees north; absent if the home's place is not configured.",
                "longitude": "Degrees east; absent if the home's place is not configured.",
                "events":
                    "In order. Those that do not come on this day are missing; none if the place is not known.",
            ]),
        "SunEvent": BodySchema(
            SunBody.Event.self,
            notes: [
                "name":
                    "Midnight and noon are the sun's; dawn and dusk are when it is 6 degrees below the horizon.",
                "time": .moment, "clock": "What the home's clocks show.",
                "elevation": "Of the sun's centre, in degrees, without refraction.",
            ]),
        "Diagnosis": BodySchema(
            DiagnosisBody.self,
            notes: [
                "configuration": .init {
                    $0.description = "Every key of lightd.yaml with the value in use; none is secret."
                    $0.additionalProperties = .each(.of("string"))
                }
            ]),
        "Check": BodySchema(
            CheckBody.self,
            notes: [
                "subject": "Which one, if there can be several: a bridge's name.",
                "result": "A warning does not keep lights from being controlled.", "remedy": "What to do about it.",
                "exit_code": "Of 'lightctl doctor' for this failure.",
            ]),
        "AccessLogEntry": BodySchema(
            AccessLogBody.self,
            notes: [
                "time": .moment("When it happened; of several, when the last one did."),
                "event": .words(AccessEvent.Kind.self),
                "by": "Who did it. What a client says of itself is in quotation marks.",
                "subject": "What it is about, such as a token's name.",
                "reason": "Why it happened, or why it failed.",
                "count": .init { ($0.minimum, $0.description) = (1, "How many it stands for.") },
            ]),
        "LogEntry": BodySchema(
            LogBody.self,
            notes: [
                "time": .moment, "feature": .words(Message.Feature.self), "outcome": .words(["succeeded", "failed"]),
                "gesture": "The gesture that the command is a part of, as its sender named it.",
                "caused_by": "The ticket of the command whose effect a bridge reports.",
            ]),
        "Discovery": BodySchema(
            DiscoveryBody.self,
            notes: [
                "attempts.way": .words(["mdns", "configured", "last_known", "cloud"]),
                "attempts.off":
                    "True if it was not tried, because the configuration turns it off; absent otherwise.",
            ]),
        "CommandReply": BodySchema(
            CommandReply.self,
            notes: [
                "ticket": "0 after a dry run.",
                "warning": "After 'rename': that other lights have this name, too, and what names this one.",
                "moved":
                    "After 'create_room' and 'add_to_room': lights that left another room for it (after a dry run: would leave), with the name of that room and of its scenes that no longer set the light.",
                "sensor": "After 'enable_sensor' and 'disable_sensor'.",
                "scenes":
                    "After 'delete_room': the names of its scenes, which are deleted with it. After 'reorder_scenes': those of the room or zone, in their order.",
                "withheld":
                    "After 'apply': lights whose listed values were not sent because they are off and stay so.",
                "left_out":
                    "Lights that are not able to take all that the command asks of them. Each takes what it can: 'given' is empty if that is nothing.",
                "left_out.given": .each(.words(["brightness", "temperature", "color"])),
                "automation":
                    "The automation that was changed or run, after 'schedule' the timer; absent if it is gone.",
                "following": "After 'follow', 'wake' and 'sleep': what was begun.",
                "steps":
                    "After 'undo' and 'redo': how many commands were taken back or done again; fewer than asked for if there were no more.",
                "commands": "After 'undo' and 'redo': what was taken back or done again, in words.",
                "tickets":
                    "After a dry run of 'undo': the tickets of 'commands', by which 'undo' takes back these and no others.",
                "skipped": "After 'undo' and 'redo': lights that somebody else has changed since.",
                "requests": "After a dry run: what would be sent, bridge by bridge, each in its order.",
                "failing": "After a dry run: the parts that would fail.",
            ]),
        "Automation": BodySchema(
            AutomationBody.self, "An automation or a timer, in the words of its file.",
            notes: [
                "when": "Any of them starts it.", "if": "All must hold then.", "do": .each(.component("Step")),
                "paused_until": .moment(
                    "Until when it pauses, because the home's changes have started it too often."),
                "mode": "What happens if it is triggered while it runs.",
                "late": .words(
                    ["skip", "catch up"],
                    "What happens to a run that was missed. If absent, it is caught up within 10 minutes if every step may as well come late."
                ),
                "by": "Of a timer: who asked for it.", "next": .moment("When the clock starts it next."),
                "runs": "The last ones that are over, newest first.",
                "skipped": "When and why it last did not run although it was triggered.", "skipped.time": .moment,
                "skipping": .moment("What the clock would start then is left out, once; 'next' is the one after."),
                "missing":
                    "What it names and nothing in the home has now, in sentences; absent if it has everything, or while a bridge is away.",
            ]),
        "AutomationRun": BodySchema(
            AutomationRunBody.self,
            notes: [
                "started": .moment, "ended": .moment, "step": "The one that is under way.",
                "until": .moment("While it waits: when that is over, at the latest."),
                "error": "What went wrong; absent if nothing did.",
            ]),
        "AutomationChanges": BodySchema(
            AutomationChangesBody.self,
            notes: ["warnings": "Names that nothing in the home has now, with their lines."]),
        "AutomationFormKind": BodySchema(
            AutomationFormKind.self, "Something that a form can make.",
            notes: ["lacks": "What the home lacks for it; absent if nothing."]),
        "AutomationFormRequest": BodySchema(
            AutomationFormRequest.self, "Which form is wanted, and what is filled in.",
            notes: [
                "kind": "May be left out with 'automation' alone.",
                "automation": "The one that is edited; left out for a new one.",
                "values": "As the form has given them, and changed. Those that are left out are as usual.",
            ]),
        "AutomationForm": BodySchema(
            AutomationFormBody.self, "A form, filled in, and what it makes.",
            notes: [
                "kind": "Absent if no form says this automation exactly: then there are no questions.",
                "text":
                    "What starts an automation that no form says, and what it does; hours are in braces: '{06:45}'.",
                "values": "By the questions' keys, and what the form keeps without asking.",
                "file": "The automation as a file; absent if it is none.",
                "version": "Its ETag, if it was read for this answer.",
                "bind": "The fields of a 'bind' that the form stands for.",
                "away": "The fields of an 'away' that the form stands for.", "away.until": .moment,
                "next": "When the clock starts it next, at most three times; empty if something in the home does.",
                "yesterday":
                    "In the home's time, for a simulation; absent for what the clock starts, and without a journal.",
                "yesterday.since": .moment, "yesterday.until": .moment,
                "warnings": "What may be a mistake, as when the file is applied.",
                "questions.more": "Options that are not shown at first.",
                "questions.own": "A value of one's own.",
                "questions.resets": "Keys whose values are as usual again when this one changes.",
            ]),
        "AutomationPreview": BodySchema(
            AutomationPreviewBody.self,
            notes: [
                "date": .date, "sun": "In the home's time; what does not happen on this day is left out.",
                "runs.at": homeTime, "runs.time": .moment, "runs.if": "Conditions that nobody can know yet.",
                "runs.prevented": "A condition that will not hold then: it will not run.",
                "runs.do": .each(.component("Step")),
                "runs.missing": "What it names and nothing in the home has now; absent if it has everything.",
            ]),
        "AutomationSimulation": BodySchema(
            AutomationSimulationBody.self,
            notes: [
                "since": .moment, "until": .moment, "runs": "In the order of time.",
                "warnings":
                    "With their lines: names that nothing in the home has now, and what cannot be simulated.",
                "notes": "What the journal does not tell.",
            ]),
        "SimulatedRun": BodySchema(
            AutomationSimulationBody.Run.self,
            notes: [
                "date": .init { ($0.format, $0.description) = ("date", "In the home's time, as 'weekday' and 'at'.") },
                "time": .moment, "reason": "What started it; absent if it did not run.",
                "prevented": "Why it did not run although it was triggered; absent if it did.",
                "commands": "What it would have sent.", "commands.at": homeTime, "commands.time": .moment,
                "commands.text": "'turn Desk on'", "error": "What would have gone wrong; absent if nothing.",
            ]),
        "Away": BodySchema(
            AwayBody.self, "A presence replay.",
            notes: [
                "since": .moment, "until": .moment("Absent if only a sign of life ends it."),
                "seed": "The same seed and the same history give the same plan.", "ended.at": .moment,
                "lit": "The names of the lights that it has turned on.", "plan": "What is to come, in order.",
                "plan.at": .moment, "plan.light": "The light's id.", "plan.brightness": "Per cent.",
            ]),
        "PlannedRequest": BodySchema(
            PlannedRequestBody.self, "A request to a bridge.",
            notes: [
                "path": "With KEY in place of lightd's key, which API v1 has in its paths.",
                "body": "JSON, byte for byte.",
                "held": "Why it would not be sent at once: the bridge is not connected.",
            ]),
        "Token": BodySchema(
            TokenBody.self,
            notes: [
                "ends": endsWhen, "created": .moment,
                "last_used": .moment(
                    "Absent if it was not used yet. After a crash of lightd it may be ten minutes early, and a day if only streams have used it."
                ),
                "origin":
                    "How it was made: by a person for a program, by a link for a page, or by a page that was signed in with a token.",
                "maker":
                    "The token that made its link or signed it in, and with which it ends; absent if a person at lightd's machine made it, or the token of the configuration.",
                "revoked_with_it": "In the answer to its revocation: the tokens that have ended with it.",
            ]),
        "NewToken": BodySchema(
            NewTokenBody.self,
            notes: ["ends": endsWhen, "created": .moment, "warning": "Why nothing can use it yet."]),
        "TokenRequest": BodySchema(
            TokenRequest.self, isClosed: true,
            notes: [
                "name": .init { ($0.minLength, $0.maxLength) = (1, TokenRequest.longestName) },
                "access": .otherwise("full"),
                "ends": .moment("When it ends, which must be to come; never if left out."),
            ]),
        "Session": BodySchema(
            SessionBody.self,
            notes: [
                "ends": endsWhen,
                "name":
                    "Of the session's token; absent over the unix socket, where none is needed, and for the token of the configuration in a header.",
                "ends_with_it": "The tokens that end when it is revoked.",
                "is_named": "Whether a person has given it its name. Absent where it has none.",
                "by":
                    "The name of the one that let the page in; absent if no person has given it one, or if a person at lightd's machine let it in.",
            ]),
        "SessionName": BodySchema(
            SessionNameRequest.self, isClosed: true,
            notes: ["name": .init { ($0.minLength, $0.maxLength) = (1, Routes.longestClientName) }]),
        "SignedIn": BodySchema(
            SignedInBody.self,
            notes: [
                "id": "The same for as long as it exists, whatever it is called; it opens nothing.",
                "is_named": "Whether a person has given it its name.", "ends": endsWhen, "created": .moment,
                "last_used": .moment("Absent if it was not used yet. After a crash of lightd it may be a day early."),
                "origin":
                    "How it came: by a person for a program, by a link for a page, or by a page that was signed in with a token.",
                "maker":
                    "The id of the one that let it in, and with which it ends; absent if a person at lightd's machine did, or the token of the configuration.",
                "is_self": "Whether it is the one that asks.",
            ]),
        "SignedInRequest": BodySchema(
            SignedInRequest.self, isClosed: true,
            notes: [
                "name": .init { ($0.minLength, $0.maxLength) = (1, Routes.longestClientName) },
                "ends": "When it is to end, ISO 8601, or 'never'.",
            ]),
        "LinkRequest": BodySchema(
            LinkRequest.self, isClosed: true,
            notes: [
                "access": .otherwise("full"),
                "ends": .moment("When it ends, which must be to come; never if left out."),
            ]),
        "Link": BodySchema(
            LinkBody.self,
            notes: [
                "also": "The same at other addresses of the machine.",
                "ends": .moment("When the session of the page ends; absent if it has no end of its own."),
                "expires": .moment, "hint": "What to change if other devices cannot open it.",
            ]),
        "QR": BodySchema(
            QRBody.self, "A QR code, without the quiet zone of four modules around it.",
            notes: ["rows": "From the top; 1 is dark, 0 is light."]),
        "Error": BodySchema(
            ErrorReply.self,
            notes: [
                "error.bridge_words":
                    "What the bridge said, word for word, if 'message' says it in the names of the home.",
                "error.ticket":
                    "For 'partly': the command's ticket, by which 'undo' takes back what was carried out of it.",
            ]),
        "Part": BodySchema(ErrorReply.Part.self),
        "ErrorCode": BodySchema(ErrorCode.self),
    ]

    /// A wish reads its fields by rows of their own, each of which may be null.
    private static var lightState: JSONSchema {
        var schema = JSONSchema.object
        schema.description =
            "What one light shall show: the fields of a listed light that can be set. Its other fields are ignored, so a list can be sent back as it is; a misspelt field is refused, and so are a light that is listed twice and a 'color' that contradicts the values beside it. What is left out, or null, stays as it is; a light that is off and stays so is sent no values. 'mode' says which of colour and temperature is meant. 'color' counts only if hue, saturation and temperature are left out: in a list it is a swatch of them, and must be theirs or that of what the light shows."
        schema.required = ["id"]
        var (id, power) = (JSONSchema.text, JSONSchema())
        id.description = "The light's id, or its name."
        power.values = Turn.allCases.map(\.rawValue)
        schema.properties = LightValuesBody.schemas(in: .wish).merging(
            ["id": id, "name": JSONSchema.text.orNull, "power": power.orNull]) { $1 }
        return schema
    }
}
