#include "CStage.h"
