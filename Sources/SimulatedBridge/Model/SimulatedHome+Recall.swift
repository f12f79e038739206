import FoundationEssentials
import HueWire

extension SimulatedHome {
    /// Recalls a scene and notes the time of the recall.
    func recalling(_ scene: ResourceID, as status: Scene.Status = .static, level: Int? = nil, at date: Date) -> [Change]
    {
        [
            .recalling(.scene(scene, as: status, level: level)),
            .updating(.scene(scene, by: [.setting(.recall(at: date))])),
        ]
    }
}
