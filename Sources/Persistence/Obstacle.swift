import GRDB
import Lighting

/// Why a piece of work on the database was not done.
enum Obstacle: Error, Equatable, CustomStringConvertible {
    case closed
    case refused(Failure)
    case database(String)

    init(_ error: any Error) {
        self =
            switch error {
            case let obstacle as Obstacle: obstacle
            case let failure as Failure: .refused(failure)
            case let error as DatabaseError: .database(error.words)
            case let damage as Damage: .database(damage.detail)
            default: .database("\(error)")
            }
    }

    var description: String {
        switch self {
        case .closed: "lightd is ending"
        case let .refused(failure): failure.description
        case let .database(words): words
        }
    }

    /// As the domain hears it of something that should have been saved.
    var failure: Failure {
        if case let .refused(failure) = self { failure } else { .notSaved(because: description) }
    }
}
