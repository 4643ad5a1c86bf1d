#pragma once
#include <cstdint>

#include "rigcast/core/view.h"
#include "rigcast/optimize/products/product_model.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"

namespace rigcast::inverse {

/// Describes how the columns of a rig depend on variables if the weight of shape k is variable ties[k]: K variables,
/// of which only those that are named in `ties` (K) are used. Throws ArgumentError if `ties` are not K shapes of the
/// rig.
optimize::ProductModel rig_products(const rig::BlendshapeRig& rig, View<const std::int32_t, 1> ties);

}  // namespace rigcast::inverse
