public import Khipu

/// Creates the application: every feature, then the receivers, behind one input.
///
/// - Parameters:
///   - time: the home's civil time and sun. After replacing it, call all alarms of the clock.
///   - resolve: reads the commands of automations.
///   - tickets: issues tickets for what the domain itself asks for.
///   - receivers: get every message and only listen: waiting callers, an event stream.
///   - output: where features put their messages: a mailbox whose loop delivers to the returned input.
@DomainActor
public func createAppDomain(
    store: AppStore,
    lights: LightStack,
    bridges: BridgeStack,
    rooms: RoomStack,
    scenes: SceneStack,
    sensors: SensorStack,
    archive: Archive,
    journal: Journal,
    clock: Clock,
    time: Live<HomeTime>,
    resolve: CommandResolver,
    tickets: @escaping TicketIssuer,
    receivers: [Input<Message>] = [],
    output: @escaping Output<Message>
) -> Input<Message> {
    let commands = CommandsUnderWay(store: store, stack: lights)
    let arrangements = ArrangementQueue()
    let tickets: TicketIssuer = { tickets($0, $1, $2).own }
    // Never unsubscribed: the domain and the store are both made once, by the composition root.
    _ = store.subscribe { archive.remember($0.memory) }
    return makeAppDomain(
        features: [
            createLoggingFeature(store: store, journal: journal, clock: clock, output: output),
            createLightingFeature(
                store: store, stack: lights, arrangements: arrangements, archive: archive, clock: clock,
                commands: commands, output: output),
            createUndoFeature(store: store, commands: commands, clock: clock, output: output),
            createCircadianFeature(
                store: store, commands: commands, archive: archive, clock: clock, home: time, tickets: tickets,
                output: output),
            createBridgesFeature(store: store, stack: bridges, archive: archive, clock: clock, output: output),
            createRoomsFeature(store: store, stack: rooms, arrangements: arrangements, output: output),
            createScenesFeature(
                store: store, stack: scenes, archive: archive, arrangements: arrangements, output: output),
            createDashboardFeature(store: store, archive: archive, output: output),
            createSwitchesFeature(
                store: store, stack: sensors, archive: archive, tickets: tickets, output: output),
            createAutomationFeature(
                store: store, commands: commands, archive: archive, clock: clock, time: time, resolve: resolve,
                tickets: tickets, output: output),
            createPresenceFeature(
                store: store, journal: journal, archive: archive, home: time, clock: clock, tickets: tickets,
                output: output),
        ],
        receivers: receivers
    )
}
