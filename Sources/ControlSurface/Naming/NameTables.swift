import HashTreeCollections
import Lighting
import Synchronization

/// What follows from a home's names and rooms alone, each made when it is first needed. Nearly all changes of a home are
/// changes of its lights' values, so that many states share one.
struct NameTables: Sendable {
    let lightOrder = Lazily<[Light.ID]>()
    let rooms = Lazily<[Room]>()
    let scenes = Lazily<[Scene]>()
    let roomOfLight = Lazily<[Light.ID: Room]>()
    let zonesOfLight = Lazily<[Light.ID: [Room]]>()
    let pagePlaces = Lazily<[PagePlace]>()
    let lightIndex = Lazily<NameIndex<Target>>()
    let roomIndex = Lazily<NameIndex<Target>>()
    let sensors = Lazily<[Sensor.ID]>()
    let sensorIndex = Lazily<NameIndex<Sensor.ID>>()
    let sceneIndex = Lazily<NameIndex<Scene.ID>>()
    let bridgeIndex = Lazily<NameIndex<Bridge.ID>>()
    let homeNames = Lazily<HomeNames>()
}

/// The tables of the state that was asked for last.
final class NameMemory: Sendable {
    private let newest = Mutex<(state: AppState, tables: NameTables)?>(nil)

    func tables(of state: AppState) -> NameTables {
        newest.withLock { newest in
            let tables = newest.flatMap { $0.state.isNamed(like: state) ? $0.tables : nil } ?? NameTables()
            newest = (state, tables)
            return tables
        }
    }
}

extension AppState {
    /// Whether the same things have the same names and places in both.
    fileprivate func isNamed(like other: AppState) -> Bool {
        rooms == other.rooms && scenes == other.scenes
            && bridges.matches(other.bridges) { $0.name == $1.name }
            && lights.matches(other.lights) { $0.name == $1.name }
            && sensors.matches(other.sensors) { $0.name == $1.name && $0.room == $1.room }
    }
}

extension TreeDictionary {
    fileprivate func matches(_ other: Self, by areAlike: (Value, Value) -> Bool) -> Bool {
        count == other.count && allSatisfy { key, value in other[key].map { areAlike($0, value) } ?? false }
    }
}
