#pragma once

#include <lo/lo_lowlevel.h>
