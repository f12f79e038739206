/// Shows the remaining seconds during a wait: on a terminal one line that is rewritten every second, otherwise (in a
/// pipe, with `--json`) a line on standard error every ten seconds.
struct Countdown: Sendable {
    let console: Console
    let wait: Duration
    let bridge: String

    func run<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        let result: Result<Value, any Error>
        do {
            // Cancelled at the end of this scope. If it cannot print, the wait goes on.
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
        let total = left
        while left > 0 {
            let text = PairingText.request(bridge, seconds: left)
            if rewrites {
                try console.rewrite(cut(text, to: console.terminal.columns - 1) + " ")
            } else if left == total || left % 10 == 0 {
                console.note(text)
            }
            left -= 1
            // Measured from the start, so that late ticks do not add up.
            try await clock.sleep(until: start + .seconds(total - left))
        }
    }

    private func clear() throws {
        guard rewrites else { return }
        try console.rewrite(String(repeating: " ", count: max(0, min(console.terminal.columns - 1, 200))) + "\r")
    }
}
