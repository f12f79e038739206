/* zlib, as Debian's zlib1g-dev installs it. */
#ifndef LIGHTD_CZLIB_SHIM_H
#define LIGHTD_CZLIB_SHIM_H

#include <zlib.h>

/* A macro, which Swift does not import. 31: the widest window, in gzip's format. */
static inline int czlib_begin_gzip(z_stream *stream) {
    return deflateInit2(stream, Z_BEST_COMPRESSION, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY);
}

#endif
