#include "CAbletonLink.h"
