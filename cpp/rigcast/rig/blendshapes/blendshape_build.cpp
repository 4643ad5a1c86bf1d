#include "rigcast/rig/blendshapes/blendshape_build.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/rig/blendshapes/group_deltas.h"

namespace rigcast::rig {
namespace {

constexpr const char* function = "BlendshapeRig";

template <class T, int Rank>
void check_all_finite(const std::string& argument, const View<T, Rank>& numbers) {
    if (std::all_of(numbers.begin(), numbers.end(), [](float x) { return std::isfinite(x); })) return;
    throw bad_argument(function, argument, "not finite everywhere", "finite");
}

void check_bounds(View<const float, 2> bounds, std::int64_t num_shapes) {
    check_shape<const float, 2>(function, "bounds", bounds, {num_shapes, 2});
    check_all_finite("bounds", bounds);
    for (std::int64_t k = 0; k < num_shapes; ++k) {
        if (bounds(k, 0) <= bounds(k, 1)) continue;
        const nlohmann::json pair{bounds(k, 0), bounds(k, 1)};
        throw bad_argument(function, "bounds",
                           "[" + pair[0].dump() + ", " + pair[1].dump() + "] for shape " + std::to_string(k),
                           "the lower bound first");
    }
}

void check_corners(View<const std::int32_t, 2> faces, std::int64_t num_vertices) {
    check_shape<const std::int32_t, 2>(function, "faces", faces, {-1, 4});
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        for (int corner = 0; corner < 4; ++corner) {
            const std::int32_t v = faces(f, corner);
            if ((v >= 0 && v < num_vertices) || (corner == 3 && v == -1)) continue;
            throw bad_argument(function, "faces", "out of range somewhere",
                               "vertex indices below " + std::to_string(num_vertices));
        }
    }
}

/// Deltas of the shapes, then of the combinations, each checked.
std::vector<View<const float, 2>> columns_of(const DenseBlendshapes& dense) {
    const std::int64_t vertices = dense.neutral.extent(0);
    const std::int64_t shapes = dense.deltas.extent(0);
    check_shape<const float, 2>(function, "neutral", dense.neutral, {-1, 3});
    check_all_finite("neutral", dense.neutral);
    check_shape<const float, 3>(function, "deltas", dense.deltas, {-1, vertices, 3});
    check_all_finite("deltas", dense.deltas);
    std::vector<View<const float, 2>> columns;
    for (std::int64_t k = 0; k < shapes; ++k) columns.push_back({dense.deltas.row(k), {vertices, 3}});
    for (std::size_t c = 0; c < dense.combinations.size(); ++c) {
        const std::string name = "combinations[" + std::to_string(c) + "] delta";
        check_shape<const float, 2>(function, name.c_str(), dense.combinations[c].delta, {vertices, 3});
        check_all_finite(name, dense.combinations[c].delta);
        columns.push_back(dense.combinations[c].delta);
    }
    if (shapes == 0) throw bad_argument(function, "deltas", "empty", "one shape or more");
    if (vertices == 0) throw bad_argument(function, "neutral", "empty", "one vertex or more");
    return columns;
}

void add_drivers(const std::vector<Combination>& combinations, TensorFile& tensors) {
    std::vector<std::int32_t> offset{0};
    std::vector<std::int32_t> shape;
    std::vector<float> tent;
    for (const Combination& combination : combinations) {
        for (const Driver& driver : combination.drivers) {
            shape.push_back(driver.shape);
            const std::array<float, 3> points{driver.tent.x1, driver.tent.x2, driver.tent.x3};
            for (const float x : points) tent.push_back(driver.is_tent ? x : 0.0f);
        }
        offset.push_back(static_cast<std::int32_t>(shape.size()));
    }
    const auto count = static_cast<std::int64_t>(shape.size());
    tensors.add("blendshape.factor.offset", {static_cast<std::int64_t>(offset.size())}, offset.data());
    tensors.add("blendshape.factor.shape", {count}, shape.data());
    tensors.add("blendshape.factor.tent", {count, 3}, tent.data());
}

void add_bounds(View<const float, 2> bounds, std::int64_t num_shapes, TensorFile& tensors) {
    std::vector<float> zero_to_one;
    if (bounds.data() == nullptr) {
        for (std::int64_t k = 0; k < num_shapes; ++k) zero_to_one.insert(zero_to_one.end(), {0.0f, 1.0f});
        bounds = {zero_to_one.data(), {num_shapes, 2}};
    }
    check_bounds(bounds, num_shapes);
    tensors.add("control_ranges", {num_shapes, 2}, bounds.data());
}

std::string metadata_text(const BlendshapeNames& names, std::int64_t num_shapes) {
    std::vector<std::string> shapes = names.shapes;
    if (shapes.empty()) {
        for (std::int64_t k = 0; k < num_shapes; ++k) shapes.push_back("shape" + std::to_string(k));
    }
    const nlohmann::json about{{"kind", "blendshape"},
                               {"version", 1},
                               {"name", names.name},
                               {"meters_per_unit", names.meters_per_unit},
                               {"up_axis", names.up_axis},
                               {"licence", ""},
                               {"origin", ""},
                               {"constructed", nlohmann::json::array()},
                               {"joint_names", nlohmann::json::array()},
                               {"numeric_controls", shapes}};
    try {
        return about.dump();
    } catch (const nlohmann::json::exception&) {
        throw bad_argument(function, "names", "not UTF-8", "UTF-8 texts");
    }
}

}  // namespace

TensorFile blendshape_tensors(const DenseBlendshapes& dense, DeltaStorage storage) {
    const std::vector<View<const float, 2>> columns = columns_of(dense);
    const std::int64_t vertices = dense.neutral.extent(0);
    const std::int64_t shapes = dense.deltas.extent(0);
    TensorFile tensors;
    tensors.add("rest_vertices", {vertices, 3}, dense.neutral.data());
    const bool has_faces = dense.faces.extent(0) > 0;
    if (has_faces) check_corners(dense.faces, vertices);
    tensors.add("faces", {has_faces ? dense.faces.extent(0) : 0, 4}, dense.faces.data());
    add_bounds(dense.bounds, shapes, tensors);
    add_drivers(dense.combinations, tensors);
    if (storage == DeltaStorage::int16) {
        add_grouped_int16(columns, vertices, tensors);
    } else {
        add_grouped(columns, vertices, tensors);
    }
    return tensors;
}

std::shared_ptr<const BlendshapeRig> make_blendshape_rig(const DenseBlendshapes& dense, const BlendshapeNames& names,
                                                         DeltaStorage storage) {
    TensorFile tensors = blendshape_tensors(dense, storage);
    tensors.set_metadata(metadata_text(names, dense.deltas.extent(0)), function);
    return std::make_shared<const BlendshapeRig>(std::make_shared<const TensorFile>(std::move(tensors)));
}

}  // namespace rigcast::rig
