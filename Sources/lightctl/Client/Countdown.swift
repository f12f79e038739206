/// Shows how long there is left while something is waited for: one line rewritten each second on a terminal, a line every ten seconds on
/// standard error where nobody watches standard output, or it is for JSON.
struct Countdown: Sendable {
    let console: Console
    let wait: Duration
    let bridge: String

    func run<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        let result: Result<Value, any Error>
        do {
            // Ends with this scope; what cannot be shown is no reason to give up what is waited for.
            async let _ = count()
            do { result = .success(try await work()) } catch { result = .failure(error) }
        }
        try clear()
        return try result.get()
    }

    private var rewrites: Bool { console.terminal.isTerminal && !console.json }

    private func count() async throws {
        let clock = ContinuousClock()
        let start = clock.now
        var left = Int((wait / .seconds(1)).rounded(.up))
        let all = left
        while left > 0 {
            let text = PairingText.request(bridge, seconds: left)
            if rewrites {
                try console.rewrite(cut(text, to: console.terminal.columns - 1) + " ")
            } else if left == all || left % 10 == 0 {
                console.note(text)
            }
            left -= 1
            // From the start, so that late ticks do not add up.
            try await clock.sleep(until: start + .seconds(all - left))
        }
    }

    private func clear() throws {
        guard rewrites else { return }
        try console.rewrite(String(repeating: " ", count: max(0, min(console.terminal.columns - 1, 200))) + "\r")
    }
}
