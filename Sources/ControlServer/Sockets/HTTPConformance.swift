import ControlProtocol
import ControlSurface
import HTTPTypes
import NIOCore
import NIOHTTP1

/// An event by which the API asks for the body of the current request.
struct BodyRequested: Sendable {}

/// What HTTP asks of a server beyond reading messages (RFC 9112; NIO itself refuses malformed ones). Whatever comes after
/// it finds a path as the target, the host that counts as `Host`, and `Connection: close` on a connection's last request.
/// What NIO refuses is answered in the API's form.
///
/// A client of HTTP/1.0 gets an answer without chunks, whose end is the end of the connection. One that waits for
/// "100 Continue" gets it when its body is asked for.
final class HTTPConformance: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private struct Request {
        let version: HTTPVersion
        let isLast: Bool
        var awaitsContinue: Bool
    }

    /// Those that are not answered yet; the first is answered now.
    private var requests = CircularBuffer<Request>()
    /// Whether a body is being read.
    private var isInBody = false
    /// Whether the head of a request was longer than it may be.
    private var isHeadTooLong = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = Self.unwrapInboundIn(data)
        guard case var .head(head) = part else {
            if case .end = part { isInBody = false }
            return context.fireChannelRead(data)
        }
        isInBody = true
        let isOld = head.version != .http1_1
        if let target = Self.absolute(head.uri) {
            head.uri = target.path
            // The target's host is the one that counts (RFC 9112, 3.2.2), but several remain a mistake, as does none.
            if isOld || head.headers["Host"].count == 1 {
                head.headers.replaceOrAdd(name: "Host", value: target.authority)
            }
        }
        if isOld, !head.headers.contains(name: "Host") { head.headers.add(name: "Host", value: "") }
        let isLast = isOld || !head.isKeepAlive
        if isLast { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        let awaitsContinue = !isOld && head.headers["Expect"].contains { $0.isSame(as: "100-continue") }
        requests.append(Request(version: head.version, isLast: isLast, awaitsContinue: awaitsContinue))
        context.fireChannelRead(Self.wrapInboundOut(.head(head)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .headerOverflow? = error as? HTTPParserError { isHeadTooLong = true }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // A body that became unreadable after the answer has no other: Hummingbird's would be taken for that to the
        // next request. It closes the connection.
        guard !requests.isEmpty || !isInBody else {
            promise?.succeed()
            return
        }
        var part = Self.unwrapOutboundIn(data)
        if requests.isEmpty, case .head = part {
            // Hummingbird's, to what was no request; its end follows.
            let (head, body) = Self.refusal(isHeadTooLong ? .headTooLong : .unreadable)
            context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
            return context.write(Self.wrapOutboundOut(.body(.byteBuffer(body))), promise: promise)
        }
        switch part {
        case var .head(head):
            if let request = requests.first {
                if request.version != .http1_1 { head.version = .http1_0 }
                // A client that was not asked for its body may send it or not: what follows cannot be told from it.
                if request.isLast || request.awaitsContinue {
                    head.headers.replaceOrAdd(name: "Connection", value: "close")
                }
            }
            part = .head(head)
        case .body: break
        case .end: _ = requests.popFirst()
        }
        context.write(Self.wrapOutboundOut(part), promise: promise)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyRequested else { return context.triggerUserOutboundEvent(event, promise: promise) }
        if let request = requests.first, request.awaitsContinue {
            requests[requests.startIndex].awaitsContinue = false
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(Self.wrapOutboundOut(.head(head)), promise: nil)
        }
        promise?.succeed()
    }

    private static func refusal(_ error: APIError) -> (HTTPResponseHead, ByteBuffer) {
        // JSON has a form for texts.
        let body = ByteBuffer(string: ((try? JSON.text(error.reply)) ?? "{}") + "\n")
        let headers: HTTPHeaders = [
            "Content-Type": "application/json", "Content-Length": "\(body.readableBytes)", "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff", "Connection": "close",
        ]
        let status = HTTPResponseStatus(statusCode: error.status.code)
        return (HTTPResponseHead(version: .http1_1, status: status, headers: headers), body)
    }

    /// "http://lights.home/v1/lights" in its parts; `nil` for a target in another form.
    private static func absolute(_ target: String) -> (authority: String, path: String)? {
        // Whatever its scheme: what reads the target next would skip the host of any.
        let bytes = Substring(target).utf8
        let (slash, ends) = (UInt8(ascii: "/"), Array("/?#".utf8))
        guard bytes.first != slash,
            case let rest = bytes.drop(while: { $0 != UInt8(ascii: ":") && !ends.contains($0) }),
            let location = Substring(rest).after("://")
        else { return nil }
        let authority = location.utf8.prefix { !ends.contains($0) }
        let path = location.utf8.dropFirst(authority.count)
        return (String(Substring(authority)), (path.first == slash ? "" : "/") + String(Substring(path)))
    }
}

extension APIError {
    fileprivate static let headTooLong = APIError(
        ErrorReply(
            .invalid, "the request's target and header fields are too long or too many",
            hint: "lightd takes 16 KiB in all, 8 KiB of one field, and 100 fields"),
        status: HTTPResponse.Status(code: 431, reasonPhrase: "Request Header Fields Too Large"))

    fileprivate static let unreadable = APIError(
        ErrorReply(.invalid, "this is no request of HTTP/1.1 that lightd can read"), status: .badRequest)
}
