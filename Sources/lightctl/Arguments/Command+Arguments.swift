// Public, for so are the types that conform.
public import ArgumentParser
public import ControlProtocol

extension Command.Value: ExpressibleByArgument {}
extension Command.Display: ExpressibleByArgument {}
extension Command.Powerup: ExpressibleByArgument {}
