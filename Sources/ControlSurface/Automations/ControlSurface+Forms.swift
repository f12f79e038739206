import AutomationFiles
import CommandGrammar
public import ControlProtocol
public import FoundationEssentials
import Khipu
public import Languages
import Lighting

extension ControlSurface {
    /// What forms can make.
    public func formKinds(in words: Language) -> [AutomationFormKind] {
        FormPresenter(home: directory, time: time, words: words).kinds
    }

    /// A form, filled in, and what it makes. Changes nothing.
    ///
    /// - Throws: `noSuchTarget` for an automation that does not exist; `invalid` for a value that cannot be.
    public func form(_ request: AutomationFormRequest, in words: Language) throws(ErrorReply) -> AutomationFormBody {
        let home = directory
        let presenter = FormPresenter(home: home, time: time, words: words)
        let known = try request.automation.map { (name) throws(ErrorReply) in try home.automation(named: name) }
        guard let edited = known, request.values == nil else {
            guard let kind = request.kind else { throw ErrorReply(.invalid, "'kind' is missing") }
            return try filled(kind, request.values ?? [:], isEnabled: known?.isEnabled ?? true, presenter, home)
        }
        guard let form = AutomationForm(edited) else {
            return AutomationFormBody(
                title: edited.name, text: presenter.sentences.sentence(edited),
                file: AutomationFile.yaml(of: [edited]), version: edited.version,
                warnings: home.missing(in: edited, words))
        }
        var values = form.values
        values["name"] = edited.name
        var body = try filled(form.name, values, isEnabled: edited.isEnabled, presenter, home)
        // As somebody has written it, with what is the same to a form.
        (body.version, body.file) = (edited.version, AutomationFile.yaml(of: [edited]))
        return body
    }

    private func filled(
        _ kind: AutomationFormName, _ given: AutomationForm.Values, isEnabled: Bool, _ presenter: FormPresenter,
        _ home: Directory
    ) throws(ErrorReply) -> AutomationFormBody {
        var values = presenter.filled(kind, given)
        var body = AutomationFormBody(
            kind: kind, title: presenter.title(kind), questions: presenter.questions(kind, values))
        let fields = FormValues(values)
        switch kind {
        case .switch:
            let scenes = (values["scenes"] ?? "").split(separator: "\n").map(String.init)
            body.bind = .init(
                switch: try fields.text("switch"), target: try fields.text("lights"),
                scenes: scenes.isEmpty ? nil : scenes)
        case .away:
            var until: String?
            if values["until"] != "" {
                until = try fields.read("until") { [time] (text) throws(TimeTextError) in
                    var reader = TimeReader(text)
                    let moment = try reader.timestamp(in: time)
                    try reader.end()
                    return moment.iso8601
                }
            }
            body.away = .init(
                until: until, plugs: try fields.flag("plugs"), ignoreMotion: try fields.flag("ignore_motion"),
                plain: try fields.flag("plain"))
        default:
            if values["name"]?.isEmpty ?? true { values["name"] = presenter.name(kind, values) }
            let words = presenter.words
            body.questions.append(.init("name", .text, words("It is called")))
            let automation = try made(kind, values, isEnabled: isEnabled)
            let yaml = AutomationFile.yaml(of: [automation])
            let file = try AutomationFile(reading: yaml, without: "changed", in: time)
            body.file = yaml
            (body.next, body.warnings) = (next(automation), warnings(about: automation, of: file, words, home))
            if automation.triggers.contains(where: { if case .clock = $0 { false } else { true } }), journalIsOn {
                body.yesterday = yesterday
            }
        }
        body.values = values
        return body
    }

    private func made(
        _ kind: AutomationFormName, _ values: AutomationForm.Values, isEnabled: Bool
    ) throws(ErrorReply) -> Automation {
        let form = try AutomationForm(kind, values)
        do throws(TextError) {
            return try form.automation(named: values["name"] ?? "", isEnabled: isEnabled)
        } catch {
            throw ErrorReply(.invalid, error.message)
        }
    }

    private func warnings(
        about automation: Automation, of file: AutomationFile, _ words: Language, _ home: Directory
    ) -> [String] {
        let (settled, _) = home.settled(file, resolver)
        guard words == .english else {
            let sun = automation.textsOfSun.isEmpty || time.place != nil
            return (sun ? [] : [words("lightd does not know where this home is, and so not when the sun sets.")])
                + settled.flatMap { home.missing(in: $0, words) }
        }
        return home.warnings(about: settled, of: file, at: clock.now(), in: time).map { warning in
            // Of a file of one automation its line says nothing.
            warning.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? warning
        }
    }

    private func next(_ automation: Automation) -> [String] {
        var times: [String] = []
        guard case let .clock(trigger)? = automation.triggers.first, clock.now().isPlausible else { return [] }
        var now = clock.now()
        while times.count < 3, let next = time.next(trigger, after: now) {
            times.append(next.iso8601)
            now = next
        }
        return times
    }

    private var yesterday: AutomationFormBody.Span? {
        let today = time.date(at: clock.now())
        guard let start = time.instant(of: .time(.midnight), on: today.advanced(by: -1)),
            let end = time.instant(of: .time(.midnight), on: today)
        else { return nil }
        return .init(since: start.iso8601, until: end.iso8601)
    }
}

extension AutomationFormRequest {
    /// - Throws: `invalid`, which says what is wrong with the text.
    public init(json: Data) throws(ErrorReply) {
        do {
            self = try JSONDecoder().decode(Self.self, from: json)
        } catch {
            throw ErrorReply(
                .invalid,
                (error as? DecodingError)?.words(in: json, called: "the body") ?? "the body cannot be read: \(error)",
                hint: #"{"kind": "motion"} or {"automation": NAME}, and may have "values": {KEY: TEXT}"#)
        }
        try refuseRepeatedName(in: json)
    }
}
