#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "rigwright/body/body_model.h"

namespace rigwright::body {

/// What a matrix costs in accuracy if it alone is int8.
struct Int8Price {
    std::string name;         // of the tensor
    double squared_per_byte;  // squared distances of vertices, summed over vertices and poses, per byte saved
};

/// The prices of the matrices of a set that int8 can hold, on `poses` (T, C). `exact` is the model in float32. Joints
/// are taken to keep lengths: a joint that scales also scales distances.
std::vector<Int8Price> int8_prices(const BodyModel& exact, std::int64_t set, View<const float, 2> poses);

}  // namespace rigwright::body
