// Public imports, because the conforming types are public.
public import ArgumentParser
public import ControlProtocol

extension Command.Display: ExpressibleByArgument {}
extension CauseBody.Kind: ExpressibleByArgument {}
