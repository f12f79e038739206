#ifndef LIGHTD_CMOSQUITTO_SHIM_H
#define LIGHTD_CMOSQUITTO_SHIM_H

#include <mosquitto.h>
#include <mqtt_protocol.h>

/* Enumerations without a name are no constants of one type in Swift. */
static inline int cmosquitto_is_success(int code) { return code == MOSQ_ERR_SUCCESS; }

#endif
