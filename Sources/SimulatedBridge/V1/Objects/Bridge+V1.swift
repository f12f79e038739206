import FoundationEssentials
import FoundationInternationalization
import HueWire

extension SimulatedHome.Bridge {
    /// What everyone may read.
    var publicConfig: [String: JSONValue] {
        [
            "name": .string(name), "datastoreversion": "126", "swversion": .string(model.softwareVersion),
            "apiversion": .string(model.apiVersion), "mac": .string(BridgeID.mac(of: id)),
            "bridgeid": .string(id.uppercased()), "factorynew": false, "replacesbridgeid": .null,
            "modelid": .string(model.rawValue), "starterkitid": "",
        ]
    }

    /// 11, 15, 20 or 25.
    var zigbeeChannel: Int { extras["zigbeechannel"]?.int ?? 25 }

    /// What clients with a key may read as well, without the list of keys.
    func privateConfig(at date: Date, host: String) -> [String: JSONValue] {
        let gateway = host.split(separator: ".").dropLast().joined(separator: ".") + ".1"
        var config: [String: JSONValue] = [
            "zigbeechannel": .int(zigbeeChannel), "dhcp": true, "ipaddress": .string(host), "netmask": "255.255.255.0",
            "gateway": .string(gateway), "proxyaddress": "none", "proxyport": 0, "UTC": .string(date.stampV1),
            "localtime": .string(date.stamp(in: timeZone)), "timezone": .string(timeZone), "linkbutton": false,
            "touchlink": false, "portalservices": false, "portalconnection": "disconnected",
            "portalstate": ["signedon": false, "incoming": false, "outgoing": false, "communication": "disconnected"],
            "internetservices": [
                "internet": "disconnected", "remoteaccess": "disconnected", "time": "disconnected",
                "swupdate": "disconnected",
            ],
            "backup": ["status": "idle", "errorcode": 0],
            "swupdate2": [
                "checkforupdate": false, "lastchange": "2026-01-12T11:02:20", "state": .string(updateState("any")),
                "bridge": ["state": .string(updateState()), "lastinstall": "2026-01-12T11:02:20"],
                "autoinstall": ["updatetime": "T14:00:00", "on": true],
            ],
            "analyticsconsent": false,
        ]
        if model == .deconz { config["websocketport"] = 443 }
        config.merge(extras.object ?? [:]) { $1 }
        return config
    }

    /// - Parameter which: of what has an update: nothing for one device, "any" for the home.
    private func updateState(_ which: String = "") -> String {
        switch update {
        case nil: "noupdates"
        case .pending: "transferring"
        case .ready: which + "readytoinstall"
        case .installing: "installing"
        }
    }
}

extension Date {
    /// The local time in a time zone; UTC if the zone is unknown.
    func stamp(in zone: String) -> String {
        addingTimeInterval(Double(TimeZone(identifier: zone)?.secondsFromGMT(for: self) ?? 0)).stampV1
    }
}
