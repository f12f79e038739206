import HueWire

extension ResourceType {
    /// The types that current bridges have a path for (home-assistant-libs/aiohue, `resource.py`), even if this home
    /// has no resource of that type.
    static let served: Set = [
        "behavior_instance", "behavior_script", "bell_button", "bridge", "bridge_home", "button", "camera_motion",
        "clip", "contact", "convenience_area_motion", "device", "device_power", "device_software_update",
        "entertainment",
        "entertainment_configuration", "geofence_client", "geolocation", "grouped_light", "grouped_light_level",
        "grouped_motion", "homekit", "light", "light_level", "matter", "matter_fabric", "motion",
        "motion_area_configuration", "relative_rotary", "room", "scene", "security_area_motion", "service_group",
        "smart_scene", "speaker", "switch_input_configuration", "tamper", "temperature", "wifi_connectivity",
        "zgp_connectivity", "zigbee_connectivity", "zigbee_device_discovery", "zone",
    ]
}
