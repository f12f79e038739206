import GRDB
import Lighting

/// Why work on the open database failed.
enum PersistenceError: Error, Equatable, CustomStringConvertible {
    case closed
    case refused(Failure)
    case database(String)

    init(_ error: any Error) {
        self =
            switch error {
            case let error as PersistenceError: error
            case let failure as Failure: .refused(failure)
            case let error as DatabaseError: .database(error.summary)
            case let row as CorruptRow: .database(row.detail)
            default: .database("\(error)")
            }
    }

    /// - Parameter obstacle: why the database can only be read, if that is so.
    init(_ error: any Error, onReading obstacle: PersistenceError?) {
        if let obstacle, (error as? DatabaseError)?.resultCode == .SQLITE_READONLY {
            self = obstacle
        } else {
            self.init(error)
        }
    }

    var description: String {
        switch self {
        case .closed: "lightd is shutting down"
        case let .refused(failure): failure.description
        case let .database(cause): cause
        }
    }

    /// The failure that the domain reports for something that should have been saved.
    var failure: Failure {
        if case let .refused(failure) = self { failure } else { .notSaved(because: description) }
    }
}
