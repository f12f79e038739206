/// How long a client may make lightd wait.
struct ConnectionTimeouts: Equatable, Sendable {
    /// How long a new connection has to send a request before it may have to give way to another.
    var grace: Duration = .seconds(1)
    /// From the connection to the first whole request head.
    var firstHead: Duration = .seconds(10)
    /// From an answer to the next whole request head.
    var idle: Duration = .seconds(60)
    /// The same for a client without access that has been given a file of the page.
    var visitor: Duration = .seconds(5)
    /// From the connection to its end, for a client that has never shown a token, however it spends the time: reading
    /// or writing slowly must not keep a place for ever.
    var unknown: Duration = .seconds(20)
    /// For a request's whole body.
    var body: Duration = .seconds(10)
    /// For the few bytes with which a page signs in.
    var signIn: Duration = .seconds(3)
    /// Until the client takes the bytes that wait for it. After this long without progress it reads no more; over TCP,
    /// it is gone if it has not even acknowledged them.
    var write: Duration = .seconds(30)
    /// From the answer to a client without access until its connection is closed. It closes first, if it reads at all:
    /// closing earlier could destroy the answer ("lingering close", RFC 9112, 9.6).
    var lingeringClose: Duration = .seconds(1)
}
