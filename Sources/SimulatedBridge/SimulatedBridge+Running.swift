public import Logging

extension SimulatedBridge {
    /// Runs a bridge for as long as the body takes, and ends it with the body: what a test needs.
    ///
    /// ```swift
    /// try await SimulatedBridge.running { bridge, ready in
    ///     await bridge.controls.pressButton()
    ///     // … and now the client under test, at ready.host and ready.httpsPort
    /// }
    /// ```
    /// - Parameters:
    ///   - settings: the small flat on free ports of 127.0.0.1, where nothing else is said.
    ///   - logger: takes what the bridge has to complain of; nobody, where nothing else is said.
    ///   - body: gets the bridge once it listens.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws; ``SimulatedBridgeError`` where the bridge cannot listen.
    public static func running<Value>(
        _ settings: Settings = Settings(home: .flat),
        logger: Logger = Logger(label: "SimulatedBridge") { _ in SwiftLogNoOpLogHandler() },
        isolation: isolated (any Actor)? = #isolation,
        _ body: (SimulatedBridge, Ready) async throws -> Value
    ) async throws -> Value {
        let bridge = try SimulatedBridge(settings, logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await bridge.run() }
            // The group waits for the bridge to be gone.
            defer { group.cancelAll() }
            return try await body(bridge, try await bridge.ready)
        }
    }
}
