import ControlProtocol
import Lighting

extension Check {
    var body: CheckBody {
        let (kind, status): (CheckBody.Result, ExitStatus?) =
            switch result {
            case .ok: (.ok, nil)
            case .warning: (.warning, nil)
            case .failure(.unreachable): (.failure, .unreachable)
            case .failure(.notAllowed): (.failure, .notAllowed)
            case .failure(.badConfiguration): (.failure, .badConfiguration)
            }
        return CheckBody(name, of: subject, kind, text, remedy: remedy?.hint, exitStatus: status)
    }
}
