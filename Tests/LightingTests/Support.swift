import FoundationEssentials
import Lighting

extension Message {
    func throughJSON() throws -> Message {
        try JSONDecoder().decode(Message.self, from: JSONEncoder().encode(self))
    }
}
