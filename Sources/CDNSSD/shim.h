/* Avahi's dns_sd, as Debian's libavahi-compat-libdnssd-dev installs it (which brings libavahi-common-dev). No pkgConfig: its flags
   would only draw a warning of SwiftPM's. */
#ifndef LIGHTD_CDNSSD_SHIM_H
#define LIGHTD_CDNSSD_SHIM_H

#include <stdlib.h>
/* Not part of Swift's Glibc; what wakes the thread that waits for avahi. */
#include <sys/eventfd.h>
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

#endif
