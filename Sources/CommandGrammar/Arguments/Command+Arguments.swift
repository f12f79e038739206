public import ArgumentParser
public import ControlProtocol

extension Command.Value: ExpressibleByArgument {}
