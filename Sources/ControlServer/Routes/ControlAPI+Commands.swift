import ControlProtocol
import ControlSurface
import HTTPTypes
import Hummingbird
import Lighting
import NIOCore

extension Command {
    /// Whether it names so much that to read it takes longer than a moment: each step of a timer is a command line.
    fileprivate var takesLongToRead: Bool {
        switch self {
        case .schedule: true
        case let .apply(lights, _): lights.count > 200
        default: false
        }
    }
}

/// `POST /v1/messages`: submits a command and answers with its outcome.
extension ControlAPI {
    func message(_ request: APIRequest) async throws -> Response {
        let command = try CommandRequest(json: try await body(of: request))
        guard command.command.takesLongToRead else { return try await submit(command, request) }
        try command.validate()
        // Others are answered meanwhile.
        return try await withTaskExecutorPreference(bulk) { try await submit(command, request) }
    }

    private func submit(_ command: CommandRequest, _ request: APIRequest) async throws -> Response {
        try request.admission.check(AccessLevel(command.command.neededRole), audit)
        let permit = try commands.enter(nil, "commands wait for their outcome")
        defer { withExtendedLifetime(permit) {} }
        do {
            // Of a request that another surface has brought nobody notices that its client is gone.
            guard command.wait, request.channel != nil else {
                return try .json(
                    try await recorded(command, by: request.admission.sender) {
                        try await self.perform(command, request)
                    })
            }
            // A long wait ends when its client goes away. To notice that, the connection is read on: no other request
            // can come over it, and it is closed afterwards. The body has been read; an empty one in its place reads
            // the connection.
            var http = request.http
            http.body = RequestBody(buffer: ByteBuffer())
            let gone = Promise<Void>()
            let reply = try await http.body.consumeWithInboundCloseHandler { _ in
                try await self.perform(command, request, unless: gone)
            } onInboundClosed: {
                gone.fulfil()
            }
            return try .json(reply, headers: [.connection: "close"])
        } catch is CancellationError {
            throw abandoning.isFulfilled ? APIError.abandoned : APIError.notWaited
        }
    }

    /// Does the work of a command, and notes how it ended if it concerns who may use lightd or the bridges, or what is
    /// known of that. None of these waits for a confirmation.
    private func recorded(
        _ request: CommandRequest, by sender: SenderName, _ work: () async throws -> CommandReply
    ) async throws -> CommandReply {
        guard let (kind, subject) = request.command.accessEvent, !request.dryRun else { return try await work() }
        do {
            let reply = try await work()
            // Whoever pairs need not say with which bridge.
            audit.record(kind, reply.bridge.map { "\($0.name) (\($0.id))" } ?? subject, by: sender)
            return reply
        } catch {
            audit.record(kind, subject, by: sender, error: error)
            throw error
        }
    }

    /// Performs a command until the daemon stops or its client is gone. The command itself runs its course.
    ///
    /// - Throws: `CancellationError` if it ended early.
    private func perform(
        _ command: CommandRequest, _ request: APIRequest, unless gone: Promise<Void> = Promise()
    ) async throws -> CommandReply {
        try await withThrowingTaskGroup(of: CommandReply?.self) { [surface, abandoning] group in
            group.addTask {
                try await surface.perform(command, from: request.client, submitted: request.submitted)
            }
            for end in [abandoning, gone] {
                group.addTask {
                    try? await end.value  // cancelled: nothing is waited for any more
                    return nil
                }
            }
            defer { group.cancelAll() }
            // After an early end the command is asked once more for what it knows by then.
            while let reply = try await group.next() {
                if let reply { return reply }
                group.cancelAll()
            }
            throw CancellationError()
        }
    }
}
