#ifndef LIGHTD_CPAGEFILES_H
#define LIGHTD_CPAGEFILES_H

#include <stddef.h>

/* The files of the page, as they lie in Sources/ControlServer/Page/Files. */
struct page_file {
    const char *name;
    const unsigned char *bytes;
    size_t size;
};

extern const size_t page_file_count;

/* The first of page_file_count, in no order. (Swift does not import an array of unknown size.) */
const struct page_file *cpagefiles_first(void);

#endif
