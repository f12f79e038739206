/* C, because #embed costs the compiler nothing, and SwiftPM builds anew when a file has changed; an array literal of
   Swift takes seconds to compile. A new file needs its two lines here; a test compares the table with the folder. */
#include "CPageFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "../ControlServer/Page/Files/index.html"
};
static const unsigned char app_css[] = {
#embed "../ControlServer/Page/Files/app.css"
};
static const unsigned char app_js[] = {
#embed "../ControlServer/Page/Files/app.js"
};
static const unsigned char icon_svg[] = {
#embed "../ControlServer/Page/Files/icon.svg"
};
static const unsigned char manifest_webmanifest[] = {
#embed "../ControlServer/Page/Files/manifest.webmanifest"
};
static const unsigned char sw_js[] = {
#embed "../ControlServer/Page/Files/sw.js"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}

static const struct page_file page_files[] = {
    FILE("index.html", index_html),
    FILE("app.css", app_css),
    FILE("app.js", app_js),
    FILE("icon.svg", icon_svg),
    FILE("manifest.webmanifest", manifest_webmanifest),
    FILE("sw.js", sw_js),
};
const size_t page_file_count = sizeof page_files / sizeof page_files[0];

const struct page_file *cpagefiles_first(void) { return page_files; }
