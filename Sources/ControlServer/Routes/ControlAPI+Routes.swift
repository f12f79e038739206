import ControlProtocol
import ControlSurface
import HTTPTypes
import Hummingbird
import Lighting

extension ControlAPI {
    /// One path of the API with one method: who may ask, what is asked and answered, and who answers. The router and the
    /// API's description follow from it.
    struct Route: Sendable {
        let method: HTTPRequest.Method
        let path: String
        /// What a client needs for it. A command may need more (``Command/neededRole``).
        let access: AccessLevel
        /// Whether it takes ``AccessLevel/owner`` for what this query asks for.
        let isForOwner: @Sendable (APIRequest) throws(ErrorReply) -> Bool
        let documentation: RouteDocumentation
        /// The fields that its query may have.
        let query: Set<Routes.Query>
        let respond: @Sendable (ControlAPI) -> (APIRequest) async throws -> Response

        init(
            _ method: HTTPRequest.Method, _ path: String, for access: AccessLevel = .look,
            isForOwner: @escaping @Sendable (APIRequest) throws(ErrorReply) -> Bool = { _ in false },
            _ summary: String, _ description: String? = nil, query: [RouteDocumentation.Parameter] = [],
            headers: [RouteDocumentation.Parameter] = [], body: RouteDocumentation.Body? = nil, isCached: Bool = false,
            answers: [RouteDocumentation.Answer], errors: OpenAPI.Errors = .reading,
            _ respond: @escaping @Sendable (ControlAPI) -> (APIRequest) async throws -> Response
        ) {
            (self.method, self.path, self.access, self.isForOwner) = (method, path, access, isForOwner)
            documentation = RouteDocumentation(
                for: access, summary, description, query + headers, body, isCached: isCached,
                answers, errors)
            self.query = Set(query.compactMap(\.field))
            self.respond = respond
        }

        /// Whether only lightd's own listeners answer it: a stream needs a connection that lasts, and who has signed a page
        /// in over a broker would stay signed in when the broker lets them in no more.
        var isDirect: Bool {
            [Routes.events, Routes.pageEvents, Routes.session, Routes.sessions, Routes.links].contains(path)
        }

        /// HEAD is answered as GET; ``ErrorMiddleware`` leaves the body out.
        var methods: [HTTPRequest.Method] { method == .get ? [.get, .head] : [method] }
    }

    static let routes: [Route] = [
        Route(
            .get, Routes.lights, "Lights, by room and name",
            """
            Lists of the home that are asked for just after a start wait until each bridge was tried, at \
            most 5 s.
            """, query: [.query(.target, "Only these: a light's name, @room, all, or an id.")], isCached: true,
            answers: [.shared("Lights")], errors: .naming, ControlAPI.lights),
        Route(
            .get, Routes.rooms, "Rooms, then zones", isCached: true,
            answers: [.list(of: "Room", "Rooms and zones by name").mayLackBridges], ControlAPI.rooms),
        Route(
            .get, Routes.scenes, "Scenes, by room and in their order: as 'reorder_scenes' has put them, or by name",
            isCached: true,
            answers: [.list(of: "Scene", "Scenes")], ControlAPI.scenes),
        Route(
            .get, Routes.sensors, "Sensors and switches, by room and name",
            query: [
                .query(.target, "Only these: a sensor's name, ROOM/SENSOR or id, @room for those in a room, or all.")
            ],
            isCached: true, answers: [.list(of: "Sensor", "Sensors and switches").mayLackBridges],
            errors: .naming, ControlAPI.sensors),
        Route(
            .get, Routes.scene, "A scene with what it sets on each light, read from its bridge",
            query: [.query(.scene, "Its name, ROOM/SCENE, BRIDGE/ROOM/SCENE, or its id.", isRequired: true)],
            answers: [.one("SceneValues", "The scene")], errors: .asking, ControlAPI.scene),
        Route(
            .get, Routes.bridges, "Paired bridges and their connections", isCached: true,
            answers: [.list(of: "Bridge", "Bridges")], ControlAPI.bridges),
        Route(
            .get, Routes.followings, "What lights follow, oldest first", isCached: true,
            answers: [.list(of: "Following", "Of several that lead a value of a light, the newest does.")],
            ControlAPI.followings),
        Route(
            .get, Routes.curves, "The curves that lights can follow, by name", isCached: true,
            answers: [.list(of: "Curve", "Those that lightd has, and those that were set")], ControlAPI.curves),
        Route(
            .get, Routes.dashboard, "What is pinned, in order", isCached: true, answers: [.list(of: "Pin", "Pins")],
            ControlAPI.dashboard),
        Route(
            .get, Routes.bindings, "Switches and dials that are bound to lights, by name", isCached: true,
            answers: [.list(of: "Binding", "Bindings")], ControlAPI.bindings),
        Route(
            .get, Routes.away, "The presence replay that goes on, or the last one, and what is to come",
            answers: [.one("Away", "The replay")], ControlAPI.away),
        Route(
            .get, Routes.names, "What names each thing of the home",
            """
            What a person can type as a target, scene, bridge or sensor, for completions: the name, or \
            'ROOM/NAME' and so on if several have it; rooms and zones begin with @.
            """, answers: [.one("Names", "Names")], ControlAPI.names),
        Route(
            .get, Routes.log, for: .readOnly, "Who asked for what, and the outcome",
            """
            The newest entries, oldest first. With 'Accept: text/event-stream' the response goes on: every new \
            entry comes as a 'log' event. Earlier entries come first if 'since', 'after' or 'limit' is given; \
            'resync' says that entries may have been skipped.
            """,
            query: [
                .query(
                    .target,
                    """
                    Only entries about these lights or this sensor: a light's or sensor's name, @room (with its \
                    sensors), all, or an id, which may be of one that has gone.
                    """),
                .query(.by, "Only what came from a sender, switch or sensor with this in its name; case is ignored."),
                .query(
                    .cause,
                    """
                    Only what was caused in this way: by a command (with its outcome), a scene, a switch or \
                    sensor at the wall, power that returned, another app or an unreported switch, or before \
                    lightd had read the bridge.
                    """, .words(Cause.Name.self)),
                .query(.until, "Only entries before this time.", .moment),
                .query(.since, "Only entries from this time on.", .moment),
                .query(.after, "Only entries after this number.", .number),
                .query(.feature, nil, .words(Message.Feature.self)),
                .query(
                    .limit, "At most this many entries, the newest.",
                    .number(in: 1...ControlAPI.mostEntries, orElse: ControlAPI.defaultEntries)),
            ],
            answers: [.of("Entries", ["application/json": .list(of: "LogEntry"), "text/event-stream": .text])],
            errors: .naming, ControlAPI.log),
        Route(
            .get, Routes.automations, "Automations, in the order of their file",
            "With 'Accept: application/yaml' as the file that PUT takes.",
            query: [.query(.name, "Only this one, with an ETag that PUT takes as 'If-Match'.")],
            answers: [
                .of("Automations", ["application/json": .list(of: "Automation"), "application/yaml": .text])
            ],
            errors: .naming, ControlAPI.automations),
        Route(
            .put, Routes.automations, for: .full, "Make the automations what a file says",
            """
            An automation that is not in the file is removed, unless 'keep' is true; timers stay. One that was \
            disabled and is otherwise the same stays disabled, unless the file says 'enabled: true'. A name of \
            something that was renamed is taken for what it meant, with a warning. A file with mistakes changes \
            nothing: the error has the code 'wrong_file' and a part for each mistake, whose target is its line \
            and column. With 'name', or with 'If-None-Match: *', the file has one automation, and all others stay.
            """,
            query: [
                .query(.keep, "Keep automations that are not in the file.", .flag),
                .query(.name, "The automation whose place that of the file takes, whatever it is called."),
                .query(.dryRun, "Change nothing, and say what would change.", .flag),
            ],
            headers: [
                .header(
                    "If-Match",
                    "With 'name': only if nobody has changed it since it was read with this ETag; else 409, changed_since."
                ),
                .header("If-None-Match", "'*': only if no automation has this name yet; else 409, name_taken."),
            ],
            body: .yaml(
                """
                'automations:' and a list; each has 'name', 'do' and, if wanted, 'when', 'if', 'mode', 'late' and \
                'enabled'. The grammar is in docs/automation.md.
                """), answers: [.one("AutomationChanges", "What has changed, or would")], errors: .commands,
            ControlAPI.apply),
        Route(
            .get, Routes.forms, for: .full, "What forms can make",
            answers: [.list(of: "AutomationFormKind", "For people, in the language of 'Accept-Language'")],
            ControlAPI.formKinds),
        Route(
            .post, Routes.forms, for: .full, "A form for an automation, filled in",
            """
            Changes nothing: the answer has the file that PUT /v1/automations takes. Without 'values' it is filled in \
            with what is usual, or with what 'automation' says; one that no form can say exactly has no questions.
            """,
            body: .json("AutomationFormRequest"),
            answers: [.one("AutomationForm", "The form, in the language of 'Accept-Language'")], errors: .commands,
            ControlAPI.form),
        Route(
            .get, Routes.preview, "A day with its sun times, and what the clock would start",
            query: [.query(.date, "A day, or today, tomorrow or yesterday by the home's clocks; today if left out.")],
            answers: [.one("AutomationPreview", "The day")], ControlAPI.preview),
        Route(
            .post, Routes.simulation, for: .full, "What the automations of a file would have done",
            """
            By the journal: what bridges reported then is reported again to a copy of the home, except what the \
            automations of that time did to lights. Nothing changes, and nothing is sent. A file with mistakes \
            is refused as by PUT /v1/automations.
            """,
            query: [
                .query(.since, "When it begins; a week before the end if left out. At most 31 days.", .moment),
                .query(.until, "When it ends; now if left out.", .moment),
            ], body: .yaml("As for PUT /v1/automations."), answers: [.one("AutomationSimulation", "The runs")],
            errors: .commands, ControlAPI.simulate),
        Route(
            .get, Routes.timers, "Timers, those that have not begun first",
            answers: [.list(of: "Automation", "Timers")], ControlAPI.timers),
        Route(
            .get, Routes.status, "The state of the daemon", answers: [.one("Status", "Status")], ControlAPI.status),
        Route(
            .get, Routes.sun, "When the sun rises and sets at home",
            query: [
                .query(
                    .date,
                    """
                    A day from 1900 to 2199, or today, tomorrow or yesterday by the home's clocks; today if \
                    absent.
                    """)
            ], answers: [.one("Sun", "The sun's day")], ControlAPI.sun),
        Route(
            .get, Routes.diagnosis, for: .full, "Look at everything that lightd depends on",
            """
            Asks each paired bridge, avahi-daemon, the database, the disk and the system, as 'lightctl doctor' \
            does. Takes some seconds if a bridge is silent. Clients that ask at the same time get the same \
            answer.
            """, answers: [.one("Diagnosis", "What was found")], ControlAPI.diagnosis),
        Route(
            .post, Routes.messages, for: .control, "Submit a command",
            """
            Answers when the outcome is known. With 'dry_run', sends nothing and answers with the requests that \
            would go to the bridges now, byte for byte; reads that follow are not listed. With 'wait', answers \
            when the bridges have confirmed the change, or with 504 or 502 if they have not in time; this takes \
            at most \(CommandRequest.longestWait.components.seconds) s more. After 'pair', waits at most 5 s \
            until the bridge's lights are known.
            """,
            headers: [
                .header(
                    Routes.clientHeader,
                    """
                    What the client calls itself. The log and causes show it in quotation marks, after what lightd knows of \
                    the client. Cut after \(Routes.longestClientName) characters; what is not seen is left out.
                    """)
            ], body: .json("Command"), answers: [.one("CommandReply", "The command succeeded")],
            errors: .commands, ControlAPI.message),
        Route(
            .get, Routes.events, "Follow what changes",
            """
            Server-sent events. The first is 'resync' ({"reason":"connected"}): fetch everything. Then come \
            'light', 'room', 'scene', 'sensor' and 'bridge' with the new body, 'press' when a button was used or \
            a dial turned, 'dashboard' with all pins, 'removed' with {"kind","id"}. Ids rise. A client that \
            reconnects with the last id it has seen as Last-Event-ID gets what it has missed, without 'resync'; \
            if that was too long ago (more than \(LatestState.memory) changes, or before lightd started), the \
            first event is 'resync' with {"reason":"missed"}. A slow reader gets the newest state, not every \
            step on the way. A comment comes after \(ControlAPI.keepAlive.components.seconds) s of silence. The \
            stream ends when its token does.
            """, headers: [.header("Last-Event-ID")], answers: [.stream], ControlAPI.events),
        Route(
            .get, Routes.page, "The page's view model: what it shows, ready to be painted",
            """
            Sections name their tiles by key. '{at}' and '{clock}' in a text stand for the 'at' beside it, which \
            the reader's clock words: '{at}' as '2 min ago' or '19:42', '{clock}' always as '19:42'; the 'at' of \
            'why' is that of 'reason'. In these texts the invisible U+2060 follows a name's '{'. A page whose \
            role is below 'control' has no controls.
            """, isCached: true, answers: [.one("Page", "The page")], ControlAPI.page),
        Route(
            .get, Routes.pageAutomations, "All automations, worded for a page",
            "The next to run first. In their texts '{due}' is a line's 'at', too, as a time to come.",
            answers: [.list(of: "PageAutomation", "Automations")], ControlAPI.pageAutomations),
        Route(
            .get, Routes.pageEvents, "Follow the page's view model",
            """
            Server-sent events. The header 'X-Lightd-Page' names the page's files: a page that was made of \
            others is of another version of lightd. The first event is 'page', with the whole of it. Then come \
            'tile', with one tile that is new or has changed, and 'frame', with the page but for its tiles: \
            those that no section names any more are gone. 'automations' says that /v1/page/automations is \
            another than before. Ids, 'Last-Event-ID', comments and the end are those \
            of /v1/events; in place of 'resync' comes 'page'.
            """, headers: [.header("Last-Event-ID")], answers: [.stream], ControlAPI.pageEvents),
        Route(
            .get, Routes.pageLog, for: .readOnly, "What happened, in lines for people",
            """
            The newest first, in the language of 'Accept-Language': a command, a gesture or the run of an automation \
            is one line, and so is what repeats. With 'Accept: text/event-stream' the response goes on: 'log' has the \
            newest lines, once more if much was missed; 'lines' has lines that are new or say something else, and in \
            'gone' the ids of those that others tell now. At most so much of the journal is read at once that an answer \
            may have no lines and yet a 'before'.
            """,
            query: [
                .query(.target, "Only what is about these lights: a light's name, @room, all, or an id."),
                .query(
                    .scope,
                    """
                    What people, switches and automations did and what went wrong; what programs did, too; or all that \
                    bridges and sensors report as well. People if absent.
                    """, .words(PageLogScope.self)),
                .query(.before, "What is older than an answer whose 'before' this was.", .ordinal),
            ],
            answers: [.of("Lines", ["application/json": .component("PageLog"), "text/event-stream": .text])],
            errors: .naming, ControlAPI.pageLog),
        Route(
            .get, Routes.pageCommand, for: .readOnly, "A command that can be undone or has undone others, for people",
            query: [.query(.ticket, "The number of its ticket.", .ordinal, isRequired: true)],
            answers: [.one("PageCommand", "The command")], errors: .naming, ControlAPI.pageCommand),
        Route(
            .get, Routes.pageSensors, "The page's sensors, with their last day",
            """
            Worded in the language that 'Accept-Language' prefers, as /v1/page is. What was measured is kept for a day, in \
            memory, at one value in ten minutes. With 'Accept: text/event-stream' the response goes on: 'sensors' has the \
            whole of it, at first and whenever something of it has changed.
            """, isCached: true, answers: [.one("PageSensors", "The sensors"), .stream], ControlAPI.pageSensors),
        Route(
            .get, Routes.tokens, for: .local, "Access tokens, by name",
            "Over the unix socket only, like making and revoking them.",
            answers: [.list(of: "Token", "Tokens")], ControlAPI.listTokens),
        Route(
            .post, Routes.tokens, for: .local, "Make an access token", body: .json("TokenRequest"),
            answers: [.one("NewToken", "The token, which is shown only here", status: 201)], errors: .tokens,
            ControlAPI.createToken),
        Route(
            .delete, Routes.tokens, for: .local, "Revoke an access token",
            query: [.query(.name, "The token's name.", isRequired: true)],
            answers: [.one("Token", "What was revoked")], errors: .tokens, ControlAPI.revokeToken),
        Route(
            .get, Routes.backup, for: .local, isForOwner: { request throws(ErrorReply) in try request.flag(.keys) },
            "Make a backup",
            """
            Bridges, scenes, the dashboard, automations and timers, bindings of switches, curves and what lights \
            follow. Not the journal, nor what is under way: runs of automations, a presence replay, what can be \
            undone. Over the unix socket only, like restoring it.
            """,
            query: [
                .query(
                    .keys,
                    """
                    Put in the keys of the bridges and the access tokens: only for root and the user that lightd \
                    runs as.
                    """, .flag)
            ],
            answers: [
                .of(
                    "The file: a line 'lightd-backup 1 DIGEST', and JSON, of which DIGEST is the SHA-256",
                    [Routes.backupType: .text])
            ], ControlAPI.makeBackup),
        // What replaces the keys and tokens is for those who may have them. A dry run only reads what was sent.
        Route(
            .put, Routes.backup, for: .local,
            isForOwner: { request throws(ErrorReply) in try !request.flag(.dryRun) }, "Restore a backup",
            """
            Only for root and the user that lightd runs as, but for a dry run. The whole file is checked first; \
            one that lightd cannot use changes nothing, and the error has the code 'wrong_file'. Then lightd \
            begins anew with what the backup holds, within a second: /v1/status has 'restored' then. A bridge \
            whose key is not in the backup keeps the one that lightd has; tokens that are not in it stay. What \
            is replaced is kept in the state directory until the next restore, as a backup without keys.
            """, query: [.query(.dryRun, "Change nothing, and say what would change.", .flag)],
            body: .file(Routes.backupType),
            answers: [
                .one("Backup", "What would be restored"), .one("Backup", "What is being restored", status: 202),
            ], errors: .restoring, ControlAPI.restoreBackup),
        Route(
            .get, Routes.accessLog, for: .full,
            "Who was let in or refused, and what became of tokens, backups and bridges' keys",
            """
            The newest entries, oldest first; each is kept for at least \
            \(AccessLog.keptFor.components.seconds / 86_400) days. Later entries of an hour are counted in one, \
            by who and what. Needs full access.
            """,
            query: [
                .query(.since, "Only entries from this time on.", .moment),
                .query(.until, "Only entries before this time.", .moment),
                .query(
                    .limit, "At most this many entries, the newest.",
                    .number(in: 1...ControlAPI.mostEntries, orElse: ControlAPI.defaultEntries)),
            ], answers: [.list(of: "AccessLogEntry", "Entries")],
            ControlAPI.accessLog),
        Route(.get, Routes.session, "Who the page is", answers: [.one("Session", "Signed in")], ControlAPI.session),
        Route(
            .post, Routes.session, for: .none, "Sign a page in",
            """
            With a token, or once with the secret of a link (what follows #join= in it). The answer sets a \
            cookie, which holds a new token, the session; it is as good as a token in a header, for methods \
            other than GET only with lightd's own page as Origin. The session ends with the token that was sent \
            or that made the link, and after \(AccessTokens.longestUnused.components.seconds / 86_400) days \
            without use. A browser that is signed in is refused (409, 'signed_in') and the link stays as it is, \
            unless 'replace' is true: then its session ends.
            """, body: .json("SignIn"), answers: [.one("Session", "Signed in").setsCookie], errors: .tokens,
            ControlAPI.signIn),
        Route(
            .delete, Routes.session, for: .none, "Sign the page out",
            """
            Ends its session, with its streams, and the sessions that were made through it; a token that was \
            pasted goes on working.
            """,
            query: [.query(.keep, "Leave those signed in that were let in through it.", .flag)],
            answers: [.of("Signed out", status: 204).setsCookie], errors: .tokens,
            ControlAPI.signOut),
        Route(
            .put, Routes.session, "Give the page a name",
            """
            By which the log and causes call it, in marks. Quotation marks and what is not seen are left out; a \
            number follows if another has this name. At most \(AccessTokens.mostChanges) times an hour.
            """, body: .json("SessionName"), answers: [.one("Session", "As it is called now")], errors: .tokens,
            ControlAPI.nameSession),
        Route(
            .get, Routes.sessions, for: .full, "Who may use the home over TCP, by name",
            "Pages that are signed in, and the tokens of programs. No secrets. Over TCP and the unix socket only.",
            answers: [.list(of: "SignedIn", "Pages and programs")], ControlAPI.listSessions),
        Route(
            .put, Routes.sessions, for: .full, "Rename a page that is signed in, or change its end",
            """
            Nobody gives a page more time than they have themselves, nor changes their own. A page ends with the \
            one that let it in at the latest. Tokens of programs are changed by none.
            """, query: [.query(.id, "The page's id.", isRequired: true)], body: .json("SignedInRequest"),
            answers: [.one("SignedIn", "As it is now")], errors: .tokens, ControlAPI.changeSession),
        Route(
            .delete, Routes.sessions, for: .full, "Sign out a page, or all others",
            """
            With what it has let in, but never with the page that asks. Tokens of programs stay.
            """,
            query: [
                .query(.id, "The page's id."), .query(.others, "In place of an id: all but the one that asks.", .flag),
                .query(
                    .keep,
                    """
                    Leave those signed in that were let in by one who is signed out; they end with the one who had let \
                    that one in, if there is one.
                    """, .flag),
            ], answers: [.list(of: "SignedIn", "Who is left")], errors: .tokens, ControlAPI.endSessions),
        Route(
            .post, Routes.links, for: .full, "Make a link that signs one page in",
            """
            It can be used once, within \(OneTimeLinks.lifetime.components.seconds / 60) minutes, and until \
            lightd restarts. The page then has a token of its own, which ends with the token that made the link.
            """, body: .json("LinkRequest", isRequired: false),
            answers: [.one("Link", "The link, which is shown only here", status: 201)], errors: .tokens,
            ControlAPI.createLink),
        Route(
            .get, Routes.metrics, "Metrics, for Prometheus",
            """
            What the home shows, and what was counted since lightd started. In the text format 0.0.4, or in OpenMetrics \
            1.0.0 if 'Accept' prefers that. Bridges are not asked. docs/operations.md explains each family.
            """,
            answers: [
                .of(
                    "Metrics", [MetricsFormat.prometheus.mediaType: .text, MetricsFormat.openMetrics.mediaType: .text])
            ], ControlAPI.metrics),
        Route(
            .get, Routes.live, for: .none, "The process answers", answers: [.shared("Health")], errors: .health,
            ControlAPI.live),
        Route(
            .get, Routes.ready, for: .none, "lightd answers, whether or not a bridge does",
            answers: [.shared("Health")], errors: .health, ControlAPI.ready),
        Route(
            .get, Routes.openAPI, "This document", answers: [.of("OpenAPI 3.1", ["application/json": .object])],
            ControlAPI.openAPI),
    ]

    static func routes(at path: String) -> [Route] { routes.filter { $0.path == path } }
}
