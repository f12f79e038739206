import ControlSurface
import HueBridge
import Lighting
import MQTTSurface

// Figures that the parts of the daemon keep themselves, as metrics.

extension HueGateway.Load {
    var observations: [MetricsRegistry.Observation] {
        let labels = [("bridge", bridge.description)]
        return [.init(.queueWaiting, Double(waiting), labels), .init(.commandsFolded, Double(folded), labels)]
    }
}

extension BrokerStatus {
    var observations: [MetricsRegistry.Observation] {
        let connected = body.map { MetricsRegistry.Observation(.mqttConnected, $0.connected ? 1 : 0) }
        return [connected, waiting.map { .init(.mqttOutbox, Double($0)) }].compactMap(\.self)
    }
}

extension Reloader.State {
    var observations: [MetricsRegistry.Observation] {
        (tcp?.certificate).map { [.init(.certificateEnd, Double($0.end.milliseconds) / 1000)] } ?? []
    }
}

extension ProcessUsage {
    var observations: [MetricsRegistry.Observation] {
        [
            .init(.processMemory, memory), .init(.processCPU, cpu), .init(.processDescriptors, Double(descriptors)),
            .init(.processStart, started),
        ]
    }
}
