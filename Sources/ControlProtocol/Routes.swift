/// The paths of the control API, on the unix socket and, if configured, on TCP.
public enum Routes {
    /// With ``Query/target``, only the lights of that target, resolved as for a command: errors 404 and 409 list
    /// candidates.
    public static let lights = "/v1/lights"
    public static let rooms = "/v1/rooms"
    public static let scenes = "/v1/scenes"
    /// Sensors and switches (``SensorBody``); with ``Query/target``, only that one, or those in that room.
    public static let sensors = "/v1/sensors"
    /// One scene, named by ``Query/scene``, with what it sets on each light: a ``SceneValuesBody``, read from its bridge.
    public static let scene = "/v1/scene"
    public static let bridges = "/v1/bridges"
    /// What lights follow: ``FollowingBody``.
    public static let followings = "/v1/followings"
    /// The curves that lights can follow: ``CurveBody``.
    public static let curves = "/v1/curves"
    public static let dashboard = "/v1/dashboard"
    /// The switches that are bound to lights, by name: ``BindingBody``.
    public static let bindings = "/v1/bindings"
    /// An ``AwayBody``: the presence replay.
    public static let away = "/v1/away"
    /// A ``NamesBody``.
    public static let names = "/v1/names"
    /// The newest entries, oldest first, filtered by ``Query/target``, ``Query/by``, ``Query/cause``, ``Query/since``,
    /// ``Query/until``, ``Query/after``, ``Query/feature`` and ``Query/limit``. With `Accept: text/event-stream` the response goes on, with every new entry as a `log` event.
    public static let log = "/v1/log"
    /// Who was let in or refused, and what became of tokens, backups and bridges' keys: ``AccessLogBody``, oldest first,
    /// filtered by ``Query/since``, ``Query/until`` and ``Query/limit``.
    public static let accessLog = "/v1/access-log"
    /// `GET` lists the automations (``AutomationBody``), with `Accept: application/yaml` as a file. `PUT` such a file makes
    /// the automations what it says, and answers with an ``AutomationChangesBody``; with ``Query/keep`` those that are not
    /// in it stay, with ``Query/dryRun`` nothing is changed.
    public static let automations = "/v1/automations"
    /// `GET` lists what a form can make (``AutomationFormKind``). `POST` an ``AutomationFormRequest`` answers with the form
    /// filled in, an ``AutomationFormBody``, and changes nothing: the text in it is for `PUT` ``automations``.
    public static let forms = "/v1/automations/forms"
    /// One day, of ``Query/date``, with what the clock would start: an ``AutomationPreviewBody``.
    public static let preview = "/v1/automations/preview"
    /// `POST` a file of automations; answers with what they would have done from ``Query/since`` to ``Query/until``, by the
    /// journal: an ``AutomationSimulationBody``. Nothing changes, and nothing is sent.
    public static let simulation = "/v1/automations/simulation"
    /// Timers, as automations.
    public static let timers = "/v1/timers"
    public static let status = "/v1/status"
    /// A ``SunBody``, of today or of ``Query/date``.
    public static let sun = "/v1/sun"
    /// A ``DiagnosisBody``: what `lightctl doctor` prints. Takes some seconds if a bridge is silent.
    public static let diagnosis = "/v1/diagnosis"
    /// Over the unix socket only. `GET` lists the access tokens (``TokenBody``), `POST` a ``TokenRequest`` makes one and
    /// answers with a ``NewTokenBody``, `DELETE` with ``Query/name`` revokes one and answers with its ``TokenBody``.
    public static let tokens = "/v1/tokens"
    /// Over the unix socket only. `GET` answers with a backup, in which keys and tokens are only with ``Query/keys``. `PUT`
    /// one restores it, and answers with a ``BackupBody`` before lightd begins anew; with ``Query/dryRun`` nothing changes.
    public static let backup = "/v1/backup"
    /// The type of a backup.
    public static let backupType = "application/vnd.lightd.backup"
    /// In bytes: the longest backup that is restored.
    public static let longestBackup = 16 << 20
    /// What a backup begins with, and no other file that lightctl takes.
    public static let backupMark = "lightd-backup "
    /// `GET` says who the page is (``SessionBody``). `POST` `{"token": TEXT}` or `{"link": TEXT}` signs it in, by a
    /// cookie, and with `"replace": true` in place of the session that the browser has; `DELETE` signs it out, and with
    /// ``Query/keep`` leaves those that it has let in. Both only from lightd's own page. `PUT` a ``SessionNameRequest``
    /// gives the page a name.
    public static let session = "/v1/session"
    /// `GET` lists who may use the home over TCP (``SignedInBody``). Of the pages among them, named by ``Query/id``, `PUT` a
    /// ``SignedInRequest`` changes one, and `DELETE` signs one out, with ``Query/others`` all but the one that asks; with
    /// ``Query/keep`` those stay that they have let in.
    public static let sessions = "/v1/sessions"
    /// `POST` a ``LinkRequest`` makes a one-time link, and answers with a ``LinkBody``.
    public static let links = "/v1/links"
    /// `POST` an ``CommandRequest``, which is a ``Command`` and when to answer it; answers with a ``CommandReply`` or
    /// an ``ErrorReply``.
    public static let messages = "/v1/messages"
    /// Server-sent events: see ``EventName``.
    public static let events = "/v1/events"
    /// The page's view model: its shape is in `/openapi.json`.
    public static let page = "/v1/page"
    /// All automations, worded for a page.
    public static let pageAutomations = "/v1/page/automations"
    /// Server-sent events: `page` (the whole view model), then `tile`, `frame` and `automations` for what changes in it.
    public static let pageEvents = "/v1/page/events"
    /// What happened, in lines for people, filtered by ``Query/target`` and ``Query/scope``. With `Accept: text/event-stream`
    /// the response goes on: `log` (the newest lines), then `lines` for what changes in them.
    public static let pageLog = "/v1/page/log"
    /// A command that can be undone, or that has undone others, for people: ``Query/ticket``.
    public static let pageCommand = "/v1/page/command"
    /// The sensors as the page shows them, with their last day. With `Accept: text/event-stream` the response goes on, with
    /// the whole of it as a `sensors` event whenever something of it changes.
    public static let pageSensors = "/v1/page/sensors"
    /// The home and what has happened since the start, for Prometheus: not JSON, and without a version of its own, where
    /// Prometheus looks unless it is told otherwise.
    public static let metrics = "/metrics"
    public static let live = "/health/live"
    public static let ready = "/health/ready"
    public static let openAPI = "/openapi.json"

    /// The header of a list of lights, rooms or sensors that lacks those of some bridges, because lightd has not reached
    /// them since it started: the bridges' ids, separated by commas.
    public static let unreadBridgesHeader = "X-Lightd-Unread-Bridges"
    /// The header in which a client names itself ("kitchen panel"), for the journal and for `why`, which show it in
    /// quotation marks after what lightd knows itself.
    public static let clientHeader = "X-Lightd-Client"
    /// The name that the page gives itself there.
    public static let pageClient = "page"
    /// In Unicode scalars; what is longer is cut, as is what follows "with token" or "over TCP". Quotation marks and what is
    /// not seen are left out.
    public static let longestClientName = 64

    /// The fields of a query. A path refuses an unknown field with `invalid`.
    public enum Query: String, Sendable, CaseIterable {
        /// On ``lights`` and ``log``: a light's name, `@room`, `all`, or an id. On ``sensors`` and
        /// ``log`` also a sensor's name. On ``log``: only entries about these; the id of one that has gone is accepted.
        case target
        /// On ``log``: only what came from a sender, switch or sensor with this in its name; case is ignored.
        case by
        /// On ``log``: only what was caused in this way: one of ``CauseBody/Kind``.
        case cause
        /// On ``scene``: its name, ROOM/SCENE, BRIDGE/ROOM/SCENE, or its id.
        case scene
        /// On ``log`` and ``accessLog``: only entries from this time on, ISO 8601 in UTC ("2026-11-21T10:00:00Z"). On ``simulation``: when
        /// it begins, a week before its end if absent.
        case since
        /// On ``log`` and ``accessLog``: only entries before this time. On ``simulation``: when it ends, now if absent.
        case until
        /// On ``log``: only entries after this number.
        case after
        /// On ``pageLog``: only what is older, by the answer before.
        case before
        /// On ``pageLog``: "people", "programs" or "everything".
        case scope
        /// On ``pageCommand``: the number of the command's ticket.
        case ticket
        /// On ``log``: "lighting", "bridges", "rooms", "scenes", "switches", "following", "automations", "presence",
        /// "dashboard" or "logging".
        case feature
        /// On ``log`` and ``accessLog``: at most this many, the newest; 1…10000, 100 if absent.
        case limit
        /// On ``sun`` and ``preview``: a day, "2026-12-24", "today", "tomorrow" or "yesterday".
        case date
        /// On ``tokens``, to revoke one: its name. On ``automations``: only this one.
        case name
        /// On ``automations`` and ``backup``: "true" changes nothing and says what would change.
        case dryRun = "dry_run"
        /// On ``automations``: "true" keeps those that are not in the file. On ``session`` and ``sessions``: those that were
        /// let in by one who is signed out.
        case keep
        /// On ``sessions``: the one that is meant.
        case id
        /// On ``sessions``, to sign out: "true" means all but the one that asks.
        case others
        /// On ``backup``, to make one: "true" puts in the keys of the bridges and the tokens.
        case keys
    }

    /// A path with its query, percent-encoded: `path(Routes.lights, [(.target, "@Küche")])` is
    /// "/v1/lights?target=%40K%C3%BCche".
    public static func path(_ path: String, _ query: [(Query, String)]) -> String {
        guard !query.isEmpty else { return path }
        return path + "?" + query.map { "\($0.rawValue)=\(percentEncoded($1))" }.joined(separator: "&")
    }

    /// Encodes everything but the unreserved characters of RFC 3986, byte by byte in UTF-8.
    public static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default:
                "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
