#include "configs/occupancy.h"
