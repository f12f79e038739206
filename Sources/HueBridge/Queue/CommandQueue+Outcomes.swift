import HueWire
import Lighting

/// The answers to callers, in the domain's words.
extension CommandQueue {
    /// - Parameter failure: why values were dropped; `nil` if they were too old.
    func outcome(_ completion: Completion, for caller: Caller, dropped failure: Failure? = nil) -> Outcome {
        switch completion.result {
        case .done: .succeeded
        case let .failed(misses): outcome(misses, of: caller.lights, dropped: failure)
        case let .late(isSent: isSent, _)
        where state == .connected && (caller.isReading || caller.isDecided && !isSent):
            .failed(
                .unreachable(
                    bridge,
                    because: isOverloaded ? "it is busy and has not answered in time" : "it has not answered in time"))
        case .late where caller.isDecided && state == .connected:
            .failed(
                .unconfirmed(by: bridge, words: "it has not answered in time, and may have carried it out or not"))
        case let .late(isSent: isSent, _) where isSent || caller.isReplacing && state != .connected:
            .failed(.unconfirmed(by: bridge, words: BridgeWords(wordsOfRest)))
        case .late:
            switch state {
            case .connected:
                .failed(
                    .unconfirmed(
                        by: bridge,
                        words: isOverloaded
                            ? "it is busy; the command is sent when its turn comes"
                            : "the command still waits for others; it is sent when its turn comes"))
            case let .lost(failure, since: _): .failed(failure)
            case .connecting, .closed: .failed(.unreachable(bridge, because: "not connected yet"))
            }
        }
    }

    /// What is known of a command that was sent in part. Why an answer is missing is known only if the bridge said so:
    /// it may have carried out what it did not answer.
    private var wordsOfRest: String {
        if state != .connected {
            "the connection was lost before it had taken all of it; the rest follows when it is back"
        } else if isOverloaded {
            "it is busy and has not taken all of it in time; the rest follows"
        } else {
            "it has not acknowledged all of it in time; the rest is still being sent"
        }
    }

    /// Whether the bridge's last word was that it is overloaded.
    private var isOverloaded: Bool { scheduler.recovery.isOverloaded }

    /// Light by light, if they did not all fail alike.
    private func outcome(
        _ misses: [Completion.Miss], of lights: [ResourceID], dropped failure: Failure?
    ) -> Outcome {
        let failures = misses.map { miss in
            (
                light: miss.light,
                failure: miss.reason == .expired ? failure ?? self.failure(.expired) : self.failure(miss.reason)
            )
        }
        guard let first = failures.first, lights.count > 1, failures.allSatisfy({ $0.light != nil }) else {
            return failures.first.map { .failed($0.failure) } ?? .succeeded
        }
        let byLight = Dictionary(failures.compactMap { miss in miss.light.map { ($0, miss.failure) } }) { one, _ in one
        }
        if byLight.count == lights.count, failures.allSatisfy({ $0.failure == first.failure }) {
            return .failed(first.failure)
        }
        return .all(
            lights.map { light in (.light(Light.ID(bridge, light)), byLight[light].map { .failed($0) } ?? .succeeded) })
    }

    private func failure(_ reason: Completion.Miss.Reason) -> Failure {
        switch reason {
        case let .refused(words): .refused(by: bridge, words: words)
        case let .doubted(words): .unconfirmed(by: bridge, words: words)
        case .withdrawn: .unconfirmed(by: bridge, words: "the lamp is gone, or somebody else changed it meanwhile")
        case .expired: .unreachable(bridge, because: "it was away for too long; the command was dropped")
        }
    }
}
