#pragma once
#include <jack/jack.h>
#include <jack/transport.h>
#include <jack/metadata.h>
