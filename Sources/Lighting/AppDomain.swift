public import Khipu

/// The whole application behind one function: every feature, then the receivers, each handed every message in turn.
///
/// - Parameters:
///   - receivers: those who only listen (waiting callers, an event stream).
///   - output: where features put what they have to say: a mailbox whose loop delivers to the returned input.
@DomainActor
public func createAppDomain(
    store: AppStore,
    lights: LightStack,
    bridges: BridgeStack,
    archive: Archive,
    journal: Journal,
    clock: Clock,
    receivers: [Input<Message>] = [],
    output: @escaping Output<Message>
) -> Input<Message> {
    makeAppDomain(
        features: [
            createLightingFeature(store: store, stack: lights, archive: archive, clock: clock, output: output),
            createBridgesFeature(store: store, stack: bridges, archive: archive, clock: clock, output: output),
            createDashboardFeature(store: store, archive: archive, output: output),
            createLoggingFeature(journal: journal, clock: clock, output: output),
        ],
        receivers: receivers
    )
}
