/* libqrencode, as Debian's libqrencode-dev installs it. */
#ifndef LIGHTD_CQRENCODE_SHIM_H
#define LIGHTD_CQRENCODE_SHIM_H

#include <qrencode.h>

#endif
