/// What interrupts the service of the bridge's own ports.
enum LifecycleChange: Sendable {
    case reboot(Duration)
    case move(ListenAddress)
    /// Restarts the servers, with the certificate and the protocol that the active faults ask for.
    case restart
    case newCertificate
}
