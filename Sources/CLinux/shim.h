/* What Linux has and Swift's Glibc leaves out: timers by the wall clock, names of threads, and what
   wakes one. */
#ifndef LIGHTD_CLINUX_SHIM_H
#define LIGHTD_CLINUX_SHIM_H

#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>

/* Names the calling thread; the kernel keeps 15 bytes (prctl(2)). Swift cannot call a function with "...". */
static inline void clinux_set_thread_name(const char *name) { prctl(PR_SET_NAME, name); }

#endif
