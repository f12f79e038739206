/// The paths of the control API, spoken over the unix socket and, where configured, over TCP.
public enum Routes {
    public static let lights = "/v1/lights"
    public static let rooms = "/v1/rooms"
    public static let scenes = "/v1/scenes"
    public static let bridges = "/v1/bridges"
    public static let dashboard = "/v1/dashboard"
    /// With `Accept: text/event-stream` it follows: every new entry as a `log` event.
    public static let log = "/v1/log"
    public static let status = "/v1/status"
    /// `POST` a ``Command``; answers with a ``CommandReply`` or an ``ErrorReply``.
    public static let messages = "/v1/messages"
    /// Server-sent events: see ``EventName``.
    public static let events = "/v1/events"
    public static let live = "/health/live"
    public static let ready = "/health/ready"
    public static let openAPI = "/openapi.json"

    /// The header in which a client over the socket says who it is ("lightctl"), for the journal and for `why`.
    public static let clientHeader = "X-Lightd-Client"
}
