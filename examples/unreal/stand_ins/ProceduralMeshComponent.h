// Stand-in: what this header of Unreal declares.
#pragma once
#include "StandIns.h"
