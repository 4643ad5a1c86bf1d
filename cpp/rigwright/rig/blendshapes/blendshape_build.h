#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rigwright/core/tensor_file.h"
#include "rigwright/core/view.h"
#include "rigwright/rig/blendshapes/blendshape_rig.h"
#include "rigwright/rig/blendshapes/drivers.h"

namespace rigwright::rig {

/// A delta (V, 3) that is multiplied by the product of its drivers: two or more, or a single tent; each shape once.
struct Combination {
    std::vector<Driver> drivers;
    View<const float, 2> delta;
};

/// A blendshape rig in dense arrays: V vertices, K shapes, F faces.
struct DenseBlendshapes {
    View<const float, 2> neutral;  // (V, 3)
    View<const float, 3> deltas;   // (K, V, 3): offsets from the neutral
    std::vector<Combination> combinations = {};
    View<const float, 2> bounds = {};        // (K, 2): lowest and highest weights; empty: 0 to 1
    View<const std::int32_t, 2> faces = {};  // (F, 4), -1 pads triangles; may be empty
};

/// How offsets are stored. int16 takes half the memory: each column holds whole multiples of its scale, which is the
/// largest magnitude of its coordinates / 32767.
enum class DeltaStorage { float32, int16 };

/// What a rig's file says beside its arrays.
struct BlendshapeNames {
    std::string name = {};
    std::vector<std::string> shapes = {};  // K, all different; empty: shape0, shape1, ...
    double meters_per_unit = 1.0;
    std::string up_axis = "Y";  // "X", "Y" or "Z"
};

/// The tensors of a BlendshapeRig, as Drivers and GroupedColumns describe them. Metadata are left to the caller.
/// Throws ArgumentError, in the name of "BlendshapeRig", if shapes of arrays differ, there is no vertex or no shape, a
/// number is not finite, bounds are upside down, or a face has a corner that is no vertex. Drivers are checked when the
/// rig is made of the tensors.
TensorFile blendshape_tensors(const DenseBlendshapes& dense, DeltaStorage storage = DeltaStorage::float32);

/// A rig of dense arrays, which are copied. Throws ArgumentError as blendshape_tensors does, and on drivers or names
/// that make no rig.
std::shared_ptr<const BlendshapeRig> make_blendshape_rig(const DenseBlendshapes& dense,
                                                         const BlendshapeNames& names = {},
                                                         DeltaStorage storage = DeltaStorage::float32);

}  // namespace rigwright::rig
