/* C, because #embed costs the compiler nothing, and SwiftPM builds anew when a file has changed; an array literal of
   Swift takes seconds to compile. A new file needs its two lines here; a test compares the table with the folder. */
#include "CPageFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "../ControlServer/Page/Files/index.html"
};
static const unsigned char act_js[] = {
#embed "../ControlServer/Page/Files/act.js"
};
static const unsigned char api_js[] = {
#embed "../ControlServer/Page/Files/api.js"
};
static const unsigned char app_css[] = {
#embed "../ControlServer/Page/Files/app.css"
};
static const unsigned char app_js[] = {
#embed "../ControlServer/Page/Files/app.js"
};
static const unsigned char arrange_js[] = {
#embed "../ControlServer/Page/Files/arrange.js"
};
static const unsigned char automations_js[] = {
#embed "../ControlServer/Page/Files/automations.js"
};
static const unsigned char controls_js[] = {
#embed "../ControlServer/Page/Files/controls.js"
};
static const unsigned char de_json[] = {
#embed "../ControlServer/Page/Files/de.json"
};
static const unsigned char dom_js[] = {
#embed "../ControlServer/Page/Files/dom.js"
};
static const unsigned char events_js[] = {
#embed "../ControlServer/Page/Files/events.js"
};
static const unsigned char following_js[] = {
#embed "../ControlServer/Page/Files/following.js"
};
static const unsigned char forms_js[] = {
#embed "../ControlServer/Page/Files/forms.js"
};
static const unsigned char gestures_js[] = {
#embed "../ControlServer/Page/Files/gestures.js"
};
static const unsigned char house_js[] = {
#embed "../ControlServer/Page/Files/house.js"
};
static const unsigned char icon_192_png[] = {
#embed "../ControlServer/Page/Files/icon-192.png"
};
static const unsigned char icon_512_png[] = {
#embed "../ControlServer/Page/Files/icon-512.png"
};
static const unsigned char icon_svg[] = {
#embed "../ControlServer/Page/Files/icon.svg"
};
static const unsigned char kept_js[] = {
#embed "../ControlServer/Page/Files/kept.js"
};
static const unsigned char lamp_js[] = {
#embed "../ControlServer/Page/Files/lamp.js"
};
static const unsigned char log_js[] = {
#embed "../ControlServer/Page/Files/log.js"
};
static const unsigned char manifest_webmanifest[] = {
#embed "../ControlServer/Page/Files/manifest.webmanifest"
};
static const unsigned char menu_js[] = {
#embed "../ControlServer/Page/Files/menu.js"
};
static const unsigned char more_js[] = {
#embed "../ControlServer/Page/Files/more.js"
};
static const unsigned char outcome_js[] = {
#embed "../ControlServer/Page/Files/outcome.js"
};
static const unsigned char page_js[] = {
#embed "../ControlServer/Page/Files/page.js"
};
static const unsigned char pairing_js[] = {
#embed "../ControlServer/Page/Files/pairing.js"
};
static const unsigned char palette_js[] = {
#embed "../ControlServer/Page/Files/palette.js"
};
static const unsigned char people_js[] = {
#embed "../ControlServer/Page/Files/people.js"
};
static const unsigned char putaway_js[] = {
#embed "../ControlServer/Page/Files/putaway.js"
};
static const unsigned char questions_js[] = {
#embed "../ControlServer/Page/Files/questions.js"
};
static const unsigned char rooms_js[] = {
#embed "../ControlServer/Page/Files/rooms.js"
};
static const unsigned char sceneeditor_js[] = {
#embed "../ControlServer/Page/Files/sceneeditor.js"
};
static const unsigned char scenes_js[] = {
#embed "../ControlServer/Page/Files/scenes.js"
};
static const unsigned char search_js[] = {
#embed "../ControlServer/Page/Files/search.js"
};
static const unsigned char sender_js[] = {
#embed "../ControlServer/Page/Files/sender.js"
};
static const unsigned char sensors_js[] = {
#embed "../ControlServer/Page/Files/sensors.js"
};
static const unsigned char setup_js[] = {
#embed "../ControlServer/Page/Files/setup.js"
};
static const unsigned char sheet_js[] = {
#embed "../ControlServer/Page/Files/sheet.js"
};
static const unsigned char signin_js[] = {
#embed "../ControlServer/Page/Files/signin.js"
};
static const unsigned char stream_js[] = {
#embed "../ControlServer/Page/Files/stream.js"
};
static const unsigned char strip_js[] = {
#embed "../ControlServer/Page/Files/strip.js"
};
static const unsigned char sw_js[] = {
#embed "../ControlServer/Page/Files/sw.js"
};
static const unsigned char text_js[] = {
#embed "../ControlServer/Page/Files/text.js"
};
static const unsigned char tile_js[] = {
#embed "../ControlServer/Page/Files/tile.js"
};
static const unsigned char times_js[] = {
#embed "../ControlServer/Page/Files/times.js"
};
static const unsigned char timetable_js[] = {
#embed "../ControlServer/Page/Files/timetable.js"
};
static const unsigned char toast_js[] = {
#embed "../ControlServer/Page/Files/toast.js"
};
static const unsigned char upcoming_js[] = {
#embed "../ControlServer/Page/Files/upcoming.js"
};
static const unsigned char welcome_js[] = {
#embed "../ControlServer/Page/Files/welcome.js"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}

static const struct page_file page_files[] = {
    FILE("index.html", index_html),
    FILE("act.js", act_js),
    FILE("api.js", api_js),
    FILE("app.css", app_css),
    FILE("app.js", app_js),
    FILE("arrange.js", arrange_js),
    FILE("automations.js", automations_js),
    FILE("controls.js", controls_js),
    FILE("de.json", de_json),
    FILE("dom.js", dom_js),
    FILE("events.js", events_js),
    FILE("following.js", following_js),
    FILE("forms.js", forms_js),
    FILE("gestures.js", gestures_js),
    FILE("house.js", house_js),
    FILE("icon-192.png", icon_192_png),
    FILE("icon-512.png", icon_512_png),
    FILE("icon.svg", icon_svg),
    FILE("kept.js", kept_js),
    FILE("lamp.js", lamp_js),
    FILE("log.js", log_js),
    FILE("manifest.webmanifest", manifest_webmanifest),
    FILE("menu.js", menu_js),
    FILE("more.js", more_js),
    FILE("outcome.js", outcome_js),
    FILE("page.js", page_js),
    FILE("pairing.js", pairing_js),
    FILE("palette.js", palette_js),
    FILE("people.js", people_js),
    FILE("putaway.js", putaway_js),
    FILE("questions.js", questions_js),
    FILE("rooms.js", rooms_js),
    FILE("sceneeditor.js", sceneeditor_js),
    FILE("scenes.js", scenes_js),
    FILE("search.js", search_js),
    FILE("sender.js", sender_js),
    FILE("sensors.js", sensors_js),
    FILE("setup.js", setup_js),
    FILE("sheet.js", sheet_js),
    FILE("signin.js", signin_js),
    FILE("stream.js", stream_js),
    FILE("strip.js", strip_js),
    FILE("sw.js", sw_js),
    FILE("text.js", text_js),
    FILE("tile.js", tile_js),
    FILE("times.js", times_js),
    FILE("timetable.js", timetable_js),
    FILE("toast.js", toast_js),
    FILE("upcoming.js", upcoming_js),
    FILE("welcome.js", welcome_js),
};
const size_t page_file_count = sizeof page_files / sizeof page_files[0];

const struct page_file *cpagefiles_first(void) { return page_files; }
