/* Avahi's dns_sd, as Debian's libavahi-compat-libdnssd-dev installs it (which brings libavahi-common-dev). No pkgConfig: its flags
   would only draw a warning of SwiftPM's. */
#ifndef LIGHTD_CDNSSD_SHIM_H
#define LIGHTD_CDNSSD_SHIM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bits/types/cookie_io_functions_t.h>
#include <avahi-common/malloc.h>
#include <dns_sd.h>

static inline void *cdnssd_zeroed(size_t size) { return calloc(1, size); }

/* sdref_new() of avahi-compat-libdns_sd/compat.c (seen in 0.8, Debian 12) sets no callback but the one asked for; the others stay what
   malloc left in them. When the daemon goes away, generic_client_callback() calls the first that is not null, so an open
   resolve or query jumps to an address out of an earlier object. Zeroed memory makes the unset callbacks null (with
   MALLOC_PERTURB_=85 the restart test crashes without this, and passes with it). Call it once, before the first use of dns_sd; what
   was allocated before is freed by the same free(). */
static inline void cdnssd_zero_allocations(void) {
    static const AvahiAllocator zeroing = {cdnssd_zeroed, free, realloc, calloc};
    avahi_set_allocator(&zeroing);
}

/* As in <stdio.h> with _GNU_SOURCE, which Swift does not define. */
extern FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions);

static inline ssize_t cdnssd_write_error(void *cookie, const char *text, size_t size) {
    static const char unhandled[] = "WARNING: Unhandled message: interface=org.freedesktop.DBus";
    (void)cookie;
    if (size >= sizeof unhandled - 1 && memcmp(text, unhandled, sizeof unhandled - 1) == 0) return (ssize_t)size;
    return write(STDERR_FILENO, text, size);
}

/* filter_func() of avahi-client/client.c (seen in 0.8, Debian 12) prints a warning for every signal of the D-Bus daemon that it does not
   know, such as ActivatableServicesChanged after the installation of any package. It cannot be told not to, so these
   lines are left out of what is written through stderr; all others pass unbuffered, as before. */
static inline void cdnssd_drop_unhandled_signals(void) {
    cookie_io_functions_t functions = {NULL, cdnssd_write_error, NULL, NULL};
    FILE *filtered = fopencookie(NULL, "w", functions);
    if (filtered == NULL) return;
    setvbuf(filtered, NULL, _IONBF, 0);
    stderr = filtered;
}

#endif
