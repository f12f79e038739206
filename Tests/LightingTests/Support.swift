import FoundationEssentials
import Lighting

extension Message {
    var isSettlement: Bool {
        if case .lighting(.settled, _) = self { true } else { false }
    }

    func throughJSON() throws -> Message {
        try JSONDecoder().decode(Message.self, from: JSONEncoder().encode(self))
    }
}
