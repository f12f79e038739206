/* Linux's timers by the wall clock, which are not part of Swift's Glibc. */
#ifndef LIGHTD_CTIMERFD_SHIM_H
#define LIGHTD_CTIMERFD_SHIM_H

#include <sys/timerfd.h>

#endif
