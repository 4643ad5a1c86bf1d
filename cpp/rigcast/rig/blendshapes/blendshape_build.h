#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/view.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"
#include "rigcast/rig/blendshapes/drivers.h"

namespace rigcast::rig {

/// A correction: a delta (V, 3) that is multiplied by the product of its drivers. There are two drivers or more, or a
/// single tent; all are over different shapes.
struct Combination {
    std::vector<Driver> drivers;
    View<const float, 2> delta;
};

/// A blendshape rig in dense arrays: V vertices, K shapes, F faces.
struct DenseBlendshapes {
    View<const float, 2> neutral;  // (V, 3)
    View<const float, 3> deltas;   // (K, V, 3): offsets from the neutral
    std::vector<Combination> combinations = {};
    View<const float, 2> bounds = {};        // (K, 2): lowest and highest weights; default: 0 to 1
    View<const std::int32_t, 2> faces = {};  // (F, 4), -1 pads triangles; may be empty
};

/// How offsets are stored. int16 takes half the memory and rounds each coordinate to a multiple of its column's scale,
/// the largest magnitude in the column / 32767.
enum class DeltaStorage { float32, int16 };

/// Names and units of a rig.
struct BlendshapeNames {
    std::string name = {};
    std::vector<std::string> shapes = {};  // K different ones; default: shape0, shape1, ...
    double meters_per_unit = 1.0;
    std::string up_axis = "Y";  // "X", "Y" or "Z"
};

/// The tensors of a BlendshapeRig, as Drivers and GroupedColumns describe them, without metadata. Throws ArgumentError
/// (function "BlendshapeRig") if array shapes do not match, there is no vertex or no shape, a number is not finite, a
/// lower bound exceeds its upper bound, or a face index is out of range. Drivers are not checked here: the constructor
/// of BlendshapeRig checks them.
TensorFile blendshape_tensors(const DenseBlendshapes& dense, DeltaStorage storage = DeltaStorage::float32);

/// Makes a rig from dense arrays, which are copied. Throws what blendshape_tensors throws, and ArgumentError if drivers
/// or names are not as described above.
std::shared_ptr<const BlendshapeRig> make_blendshape_rig(const DenseBlendshapes& dense,
                                                         const BlendshapeNames& names = {},
                                                         DeltaStorage storage = DeltaStorage::float32);

}  // namespace rigcast::rig
