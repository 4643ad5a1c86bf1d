#include "bindings/c/calls.h"
#include "rigcast/rig/blendshapes/blendshape_build.h"

namespace c = rigcast::c;
using rigcast::View;

namespace {

constexpr const char* function = "BlendshapeRig";

/// Throws ArgumentError unless the offsets of the corrections begin at 0 and end at the number of factors.
void check_offsets(const rigcast_blendshapes& from) {
    const std::int32_t* offsets = from.correction_offsets.data;
    if (offsets[0] == 0 && offsets[from.corrections] == from.factor_shapes.count) return;
    throw rigcast::bad_argument(
        function, "correction_offsets",
        "from " + std::to_string(offsets[0]) + " to " + std::to_string(offsets[from.corrections]),
        "from 0 to the number of factors, " + std::to_string(from.factor_shapes.count));
}

/// Drivers of the correction `index`, from the lists of all.
std::vector<rigcast::rig::Driver> drivers_of(const rigcast_blendshapes& from, std::int64_t index) {
    const std::int32_t begin = from.correction_offsets.data[index], end = from.correction_offsets.data[index + 1];
    if (begin < 0 || end < begin || end > from.factor_shapes.count) {
        throw rigcast::bad_argument(function, "correction_offsets", "not ascending within the factors",
                                    "from 0 up to " + std::to_string(from.factor_shapes.count));
    }
    std::vector<rigcast::rig::Driver> drivers;
    for (std::int32_t i = begin; i < end; ++i) {
        rigcast::rig::Driver driver{from.factor_shapes.data[i]};
        if (from.factor_tents.data != nullptr) {
            const float* tent = from.factor_tents.data + 3 * static_cast<std::int64_t>(i);
            driver.is_tent = tent[0] != 0.0f || tent[1] != 0.0f || tent[2] != 0.0f;
            if (driver.is_tent) driver.tent = {tent[0], tent[1], tent[2]};
        }
        drivers.push_back(driver);
    }
    return drivers;
}

rigcast::rig::DenseBlendshapes dense_of(const rigcast_blendshapes& from) {
    const std::int64_t vertices = from.vertices, shapes = from.shapes, corrections = from.corrections;
    const std::int64_t factors = from.factor_shapes.count;
    if (vertices < 1) throw rigcast::bad_argument(function, "vertices", std::to_string(vertices), "1 or more");
    rigcast::rig::DenseBlendshapes dense;
    dense.neutral = c::needed_array<2>(function, "neutral", from.neutral, {vertices, 3});
    dense.deltas = c::needed_array<3>(function, "deltas", from.deltas, {shapes, vertices, 3});
    dense.bounds = c::given_array<2>(function, "bounds", from.bounds, {shapes, 2});
    dense.faces = c::given_array<2>(function, "face_corners", from.face_corners, {from.face_corners.count / 4, 4});
    const auto deltas =
        c::needed_array<3>(function, "correction_deltas", from.correction_deltas, {corrections, vertices, 3});
    if (corrections == 0) return dense;
    c::needed_array<1>(function, "correction_offsets", from.correction_offsets, {corrections + 1});
    c::needed_array<1>(function, "factor_shapes", from.factor_shapes, {factors});
    c::given_array<2>(function, "factor_tents", from.factor_tents, {factors, 3});
    check_offsets(from);
    for (std::int64_t i = 0; i < corrections; ++i) {
        dense.combinations.push_back({drivers_of(from, i), {deltas.row(i), {vertices, 3}}});
    }
    return dense;
}

}  // namespace

std::shared_ptr<const rigcast::rig::BlendshapeRig> c::blendshapes_of(const char* called, const rigcast_model* model) {
    const auto& shared = object("model", model).model;
    auto rig = std::dynamic_pointer_cast<const rigcast::rig::BlendshapeRig>(shared);
    if (rig == nullptr) {
        throw bad_argument(called, "model", "of kind '" + shared->character().kind + "'", "of kind 'blendshape'");
    }
    return rig;
}

rigcast_status rigcast_make_blendshapes(const rigcast_blendshapes* from, rigcast_model** model) {
    return c::guarded([&] {
        rigcast_model*& out = c::place("model", model);
        const rigcast_blendshapes given = c::structure(function, "from", from);
        rigcast::rig::BlendshapeNames names;
        if (given.meters_per_unit != 0.0) names.meters_per_unit = given.meters_per_unit;
        if (given.up_axis != nullptr) names.up_axis = given.up_axis;
        const rigcast::rig::DenseBlendshapes dense = dense_of(given);
        for (std::int64_t k = 0; given.shape_names != nullptr && k < given.shapes; ++k) {
            if (given.shape_names[k] == nullptr) {
                throw rigcast::bad_argument(function, "shape_names[" + std::to_string(k) + "]", "NULL", "a name");
            }
            names.shapes.push_back(given.shape_names[k]);
        }
        out = c::handed_out(std::make_unique<rigcast_model>(rigcast::rig::make_blendshape_rig(dense, names)));
    });
}
