/// Shows the remaining seconds during a wait: on a terminal one line that is rewritten every second, otherwise (in a
/// pipe, with `--json`) a line on standard error every ten seconds.
struct Countdown {
    let console: Console
    let wait: Duration
    /// What is waited for, given the seconds left.
    let text: (Int) -> String
    /// Whether a script's log is told of it, too.
    var isNoted = true

    /// - Parameter work: is given what to call while it waits.
    func run<Value>(_ work: (@escaping Transport.Meanwhile) throws -> Value) throws -> Value {
        let start = ContinuousClock.now
        let total = Int((wait / .seconds(1)).rounded(.up))
        let result = Result {
            try work {
                // Measured from the start, so that late calls do not add up.
                let passed = Int((ContinuousClock.now - start) / .seconds(1))
                if passed < total { show(left: total - passed, of: total) }
                return start + .seconds(passed + 1) - .now
            }
        }
        try clear()
        return try result.get()
    }

    private var rewrites: Bool { console.terminal.isTerminal && !console.json }

    private func show(left: Int, of total: Int) {
        let text = text(left)
        if rewrites {
            // If it cannot be printed, the wait goes on.
            try? console.rewrite(cut(text, to: console.terminal.columns - 1) + " ")
        } else if isNoted, left == total || left % 10 == 0 {
            console.note(text)
        }
    }

    private func clear() throws {
        guard rewrites else { return }
        try console.rewrite(String(repeating: " ", count: max(0, min(console.terminal.columns - 1, 200))) + "\r")
    }
}
