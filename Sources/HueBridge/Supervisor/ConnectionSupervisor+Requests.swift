import Curl
import HueWire
import Lighting
import Logging
import ServerSentEvents

/// How each request is carried out, by a task of its own.
extension ConnectionSupervisor {
    nonisolated func carryOut(_ request: Request, _ report: @Sendable (RequestResult) -> Void) async {
        do throws(Failure) {
            switch request {
            case .stream: try await readStream(report)
            case .everything:
                let asked = connection.elapsed
                report(.everything(try await connection.client.fetch(.everything), askedAt: asked))
            case .identity: report(.identity(await finder.identity(of: connection.client.call)))
            case .keepAliveProbe:
                let canEcho = try await connection.inTurn(.other) { connection throws(Failure) in
                    try await connection.geofence.rename()
                }
                report(.input(.probed(canEcho: canEcho)))
            case let .audit(audit):
                let finding = try await connection.inTurn(.read) { connection throws(Failure) in
                    try await connection.audit(everything: audit == .whole)
                }
                if audit != .insteadOfProbe, finding != .nothing {
                    connection.logger.debug("the event stream had left something out")
                }
                if finding == .anotherHome, let config = await finder.identity(of: connection.client.call) {
                    publishIdentity(config)
                }
                report(.input(.audited(audit, foundDifference: finding != .nothing)))
            case .addressCheck:
                let isThere = await finder.isThere(connection.client.call, evenBusy: true)
                report(.input(.addressChecked(isThere: isThere)))
            case let .poll(everything: isWhole):
                if try await connection.audit(everything: isWhole) == .anotherHome,
                    let config = await finder.identity(of: connection.client.call)
                {
                    publishIdentity(config)
                }
                report(.input(.polled))
            case .rediscovery:
                report(.input(.rediscovered(await finder.find(connection.client.call, for: .seconds(3)))))
            }
        } catch {
            report(.input(.failed(request, error)))
        }
    }

    private nonisolated func readStream(_ report: @Sendable (RequestResult) -> Void) async throws(Failure) {
        do {
            let stream = try await connection.client.openStream()
            if let status = stream.refusal { return report(.input(.streamRefused(status: status))) }
            report(.input(.streamOpened))
            var parser = HueEventStream.parser
            for try await piece in stream.pieces {
                let frames = parser.read(piece)
                // A greeting is not an event: a stream may greet and say nothing more.
                guard !frames.isEmpty else { continue }
                // What comes meanwhile waits in the client, which ends a stream that is too far ahead.
                let (untilTaken, taken) = AsyncStream<Never>.makeStream()
                report(.frames(frames, taken: taken))
                for await _ in untilTaken {}
                await connection.untilTakenIn()
            }
        } catch CurlError.tooMuch {
            return report(.input(.streamFlooded))
        } catch let error as CurlError {
            throw error.failure(of: connection.id)
        } catch {
            throw .unreachable(connection.id, because: "\(error)")
        }
        throw .unreachable(connection.id, because: "it ended the event stream")
    }

    nonisolated func publishIdentity(_ config: PublicConfig) {
        connection.publish(
            .seen(
                connection.id, at: connection.client.call.address,
                name: connection.home.bridgeName ?? config.name ?? "Hue Bridge", model: config.modelid ?? ""))
    }
}

extension HTTPStream {
    /// The status with which the stream was refused; `nil` if it was not.
    fileprivate var refusal: Int? {
        head.status == 200 && head["content-type"]?.contains("text/event-stream") == true ? nil : head.status
    }
}

/// Holds the events of a stream until everything was fetched, so that none is lost and none is applied too early.
struct EventBuffer: Sendable {
    /// `nil` once it is released.
    private var held: [ServerSentEvent]? = []
    private var size = 0

    /// A bridge sends about one frame a second, and everything is fetched in a few: more are not held.
    static let capacity = 1024
    /// In bytes: a single frame may have as many.
    static let largest = 8 << 20

    /// - Returns: what is to be applied now; `nil` if no more can be held.
    mutating func take(_ frame: ServerSentEvent) -> [ServerSentEvent]? {
        guard let count = held?.count else { return [frame] }
        size += frame.data.utf8.count
        guard count < Self.capacity, size <= Self.largest else { return nil }
        held?.append(frame)
        return []
    }

    /// - Returns: what was held. From now on nothing is.
    mutating func release() -> [ServerSentEvent] {
        defer { held = nil }
        return held ?? []
    }
}
