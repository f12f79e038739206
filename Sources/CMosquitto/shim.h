#ifndef LIGHTD_CMOSQUITTO_SHIM_H
#define LIGHTD_CMOSQUITTO_SHIM_H

#include <mosquitto.h>
#include <mqtt_protocol.h>

#endif
