/// The archetypes of devices, and of rooms and zones. A bridge refuses any other word.
enum Archetypes {
    static let devices = words(
        """
        bridge_v2 bridge_v3 unknown_archetype classic_bulb sultan_bulb flood_bulb spot_bulb candle_bulb luster_bulb
        pendant_round pendant_long ceiling_round ceiling_square floor_shade floor_lantern table_shade recessed_ceiling
        recessed_floor single_spot double_spot table_wash wall_lantern wall_shade flexible_lamp ground_spot wall_spot
        plug hue_go hue_lightstrip hue_iris hue_bloom bollard wall_washer hue_play vintage_bulb vintage_candle_bulb
        ellipse_bulb triangle_bulb small_globe_bulb large_globe_bulb edison_bulb christmas_tree string_light
        hue_centris hue_lightstrip_tv hue_lightstrip_pc hue_tube hue_signe pendant_spot ceiling_horizontal
        ceiling_tube hue_chime up_and_down up_and_down_up up_and_down_down hue_floodlight_camera twilight
        twilight_front twilight_back hue_play_wallwasher hue_omniglow hue_omniglow_arc hue_neon hue_flux_arc
        hue_go_xxl hue_switch_module string_globe string_permanent string_icicle string_grid string_net rigid_tube
        flexible_tube pendant_tube vertical_tube recessed_ceiling_tube panels wall_rectangle
        """)

    static let groups = words(
        """
        living_room kitchen dining bedroom kids_bedroom bathroom nursery recreation office gym hallway toilet
        front_door garage terrace garden driveway carport home downstairs upstairs top_floor attic guest_room
        staircase lounge man_cave computer studio music tv reading closet storage laundry_room balcony porch barbecue
        pool other
        """)

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}
