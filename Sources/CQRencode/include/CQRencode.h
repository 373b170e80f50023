#pragma once

// libqrencode, which makes QR codes. It is loaded when it is first needed: without it a panel's links are text alone.

#include <qrencode.h>

/// The functions of the library that are used here.
struct qr_library {
  __typeof__(&QRcode_encodeData) encode_data;
  __typeof__(&QRcode_free) free;
};

/// The library; null when the machine has none. Thread-safe.
const struct qr_library *qr_load(void);
