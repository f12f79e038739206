public import Khipu

/// Creates the application: every feature, then the receivers, behind one input.
///
/// - Parameters:
///   - receivers: get every message and only listen: waiting callers, an event stream.
///   - output: where features put their messages: a mailbox whose loop delivers to the returned input.
@DomainActor
public func createAppDomain(
    store: AppStore,
    lights: LightStack,
    bridges: BridgeStack,
    rooms: RoomStack,
    scenes: SceneStack,
    archive: Archive,
    journal: Journal,
    clock: Clock,
    receivers: [Input<Message>] = [],
    output: @escaping Output<Message>
) -> Input<Message> {
    let backup = HistoryBackup(store)
    let arrangements = ArrangementQueue()
    // Never unsubscribed: the domain and the store are both made once, by the composition root.
    _ = store.subscribe { archive.remember($0.memory) }
    return makeAppDomain(
        features: [
            createLoggingFeature(store: store, journal: journal, clock: clock, output: output),
            createLightingFeature(
                store: store, stack: lights, arrangements: arrangements, archive: archive, clock: clock,
                backup: backup, output: output),
            createHistoryFeature(store: store, stack: lights, clock: clock, backup: backup, output: output),
            createBridgesFeature(store: store, stack: bridges, archive: archive, clock: clock, output: output),
            createRoomsFeature(store: store, stack: rooms, arrangements: arrangements, output: output),
            createScenesFeature(store: store, stack: scenes, arrangements: arrangements, output: output),
            createDashboardFeature(store: store, archive: archive, output: output),
        ],
        receivers: receivers
    )
}
