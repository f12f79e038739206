// Gives a program another wall clock, which the test sets while the program runs: LD_PRELOAD this, with LIGHTD_TEST_CLOCK
// naming a file of eight bytes, the nanoseconds by which the program's clock is ahead of the machine's. Only the wall
// clock differs; what counts the time that passes does not. As the kernel does, a step of the clock ends the waits of
// timers that ask for it (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t none;
static volatile int64_t *ahead = &none;
// 1: a timer of the wall clock; 2: one that ends when the clock is set.
static volatile char timers[4096];

static int clock_of(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    return real(clock, time);
}

static void shift(struct timespec *time, int64_t by) {
    int64_t nanoseconds = time->tv_nsec + by % 1000000000;
    time->tv_sec += by / 1000000000 + (nanoseconds >= 1000000000) - (nanoseconds < 0);
    time->tv_nsec = (nanoseconds + 1000000000) % 1000000000;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int code = clock_of(clock, time);
    if (!code && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) shift(time, *ahead);
    return code;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

int timerfd_create(int clock, int flags) {
    static int (*real)(int, int);
    if (!real) real = dlsym(RTLD_NEXT, "timerfd_create");
    int timer = real(clock, flags);
    if (timer >= 0 && timer < 4096) timers[timer] = clock == CLOCK_REALTIME;
    return timer;
}

static int set(int timer, int flags, const struct itimerspec *value, struct itimerspec *old) {
    static int (*real)(int, int, const struct itimerspec *, struct itimerspec *);
    if (!real) real = dlsym(RTLD_NEXT, "timerfd_settime");
    return real(timer, flags, value, old);
}

int timerfd_settime(int timer, int flags, const struct itimerspec *value, struct itimerspec *old) {
    struct itimerspec other = *value;
    int is_absolute = timer >= 0 && timer < 4096 && timers[timer] && flags & TFD_TIMER_ABSTIME;
    if (is_absolute) timers[timer] = 1 + !!(flags & TFD_TIMER_CANCEL_ON_SET);
    if (is_absolute && (value->it_value.tv_sec || value->it_value.tv_nsec)) {
        shift(&other.it_value, -*ahead);
        // A moment before 1970, or a zero, which would stop it.
        if (other.it_value.tv_sec < 0 || !(other.it_value.tv_sec || other.it_value.tv_nsec))
            other.it_value = (struct timespec){0, 1};
    }
    return set(timer, flags, &other, old);
}

// A descriptor that was closed meanwhile and is another now is no timer: setting it fails.
static void *notice(void *nothing) {
    int64_t known = *ahead;
    for (;;) {
        struct timespec pause = {0, 10000000};
        nanosleep(&pause, NULL);
        if (*ahead == known) continue;
        known = *ahead;
        for (int timer = 0; timer < 4096; timer++)
            if (timers[timer] == 2) set(timer, 0, &(struct itimerspec){.it_value = {0, 1}}, NULL);
    }
    return nothing;
}

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("LIGHTD_TEST_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *shared = mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (shared == MAP_FAILED) abort();
    ahead = shared;
    // The program's signals are for its own threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    if (pthread_create(&thread, NULL, notice, NULL)) abort();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
