#include "rigcast/body/body_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/network/frame_batches.h"
#include "rigcast/rig/overflow.h"
#include "rigcast/rig/stated/error_bound.h"

namespace rigcast::body {
namespace {

double largest(const float* begin, const float* end) {
    float most = 0.0f;
    for (const float* x = begin; x != end; ++x) {
        if (!std::isfinite(*x)) return std::numeric_limits<double>::infinity();
        most = std::max(most, std::abs(*x));
    }
    return most;
}

/// The size of one tensor name's tensors over all sets.
struct Magnitude {
    double value = 0.0;    // the largest magnitude of an element
    double columns = 0.0;  // the longest row
};

Magnitude of_sets(const TensorFile& tensors, std::string_view end) {
    Magnitude found;
    for (const auto& [name, entry] : tensors.entries()) {
        if (entry.dtype != DType::f32 || !name.starts_with("set.") || !name.ends_with(end)) continue;
        double count = 1.0;
        for (const std::int64_t extent : entry.shape) count *= static_cast<double>(extent);
        const float* data = tensors.data(entry);
        found.value = std::max(found.value, largest(data, data + static_cast<std::int64_t>(count)));
        if (!entry.shape.empty()) found.columns = std::max(found.columns, static_cast<double>(entry.shape.back()));
    }
    return found;
}

/// An upper bound of a dense layer's outputs for inputs of magnitude 1.
double max_output(const TensorFile& tensors, const std::string& layer) {
    const Magnitude weight = of_sets(tensors, layer + ".weight");
    return of_sets(tensors, layer + ".bias").value + weight.columns * weight.value;
}

/// An upper bound of the coordinates of base points: (X^0)^-1 (v^0 - t^0) + mean.
double max_base(const rig::Character& character) {
    const auto rest = character.skeleton.rest_globals();
    const auto inverse = character.skeleton.inverse_rest_globals();
    const double distance =
        largest(character.rest_vertices.begin(), character.rest_vertices.end()) + largest(rest.begin(), rest.end());
    return 3.0 * largest(inverse.begin(), inverse.end()) * distance + of_sets(*character.tensors, ".mean").value;
}

/// Frames per pass through the networks. More reuse the weights while they are cached; fewer keep the rows between the
/// layers cached. Chosen, not tuned.
constexpr int frames_per_network_batch = 32;
/// Frames per pass over the patches: few enough for their vertices to stay cached while set after set writes to them.
/// Chosen, not tuned.
constexpr int frames_per_patch_batch = 4;

/// Copies a patch's contributions of frame 0 to the other frames.
void repeat_first(const Patch& patch, Rows<float> vertices, Rows<float> added, int num_frames) {
    const float* first_added = added.row(0) + 3 * patch.added_begin;
    for (int p = 1; p < num_frames; ++p) {
        for (int m = 0; m < patch.num_stored; ++m) {
            const std::int64_t at = 3 * std::int64_t{patch.vertex[m]};
            std::copy_n(vertices.row(0) + at, 3, vertices.row(p) + at);
        }
        std::copy_n(first_added, 3 * patch.num_added(), added.row(p) + 3 * patch.added_begin);
    }
}

/// Returns true if `num_rows` rows have the same bytes.
bool all_equal(Rows<const float> rows, std::int64_t width, int num_rows) {
    for (int p = 1; p < num_rows; ++p) {
        if (std::memcmp(rows.row(p), rows.row(0), width * sizeof(float)) != 0) return false;
    }
    return true;
}

}  // namespace

BodyModel::BodyModel(std::shared_ptr<const TensorFile> tensors) : Deformer(std::move(tensors)) {
    sets_ = read_vertex_sets(character(), packed_);
    limits_ = find_limits(character());
    if (rig::ErrorBound::stated(*character().tensors)) {  // checks it
        rig::ErrorBound(*character().tensors, character().num_vertices(), character().num_controls());
    }
    for (const VertexSet& set : sets_) {
        width_ = std::max<std::int64_t>(width_, set.width());
        num_added_ += set.patch.num_added();
        num_coefficients_ += set.patch.padded_components();
        num_results_ += set.results_size();
    }
    width_ = static_cast<std::int64_t>(Scratch::padded(static_cast<std::size_t>(width_)));
}

Limits find_limits(const rig::Character& character) {
    constexpr double limit = 0.25 * std::numeric_limits<float>::max();
    constexpr double rounding = 1.001;  // of tanh and of the sums
    const TensorFile& tensors = *character.tensors;
    const Magnitude first = of_sets(tensors, "layer1.weight");
    const Magnitude basis = of_sets(tensors, ".basis");
    const double hidden = rounding * max_output(tensors, "layer2");
    const double coefficients = rounding * max_output(tensors, "layer3");
    const double room = limit - of_sets(tensors, "layer1.bias").value;
    const double scale = first.columns * first.value;
    Limits limits;
    limits.pose = std::numeric_limits<float>::max();
    if (room < scale * limits.pose) limits.pose = static_cast<float>(std::max(0.0, room / scale));
    if (hidden <= limit && coefficients <= limit && room >= 0.0) {
        limits.transform =
            rig::transform_limit(max_base(character) + rounding * basis.columns * basis.value * coefficients);
    }
    return limits;
}

void BodyModel::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    network::for_frame_batches(poses.extent(0), frames_per_network_batch, threads,
                               [&](std::int64_t begin, int count, int inner) {
                                   evaluate_batch(begin, {poses.row(begin), poses.extent(1)},
                                                  {vertices.row(begin), 3 * vertices.extent(1)}, count, inner);
                               });
}

/// Working memory of a batch of frames.
struct BodyModel::Workspace {
    Workspace(const BodyModel& model, int num_frames, int threads) {
        const auto padded = [](std::int64_t size) {
            return static_cast<std::int64_t>(Scratch::padded(static_cast<std::size_t>(size)));
        };
        transforms.stride = padded(12 * model.character().skeleton.num_joints());
        coefficients.stride = model.num_coefficients_;
        added.stride = padded(3 * model.num_added_);
        work.stride = model.width_;
        const std::int64_t sets_in_parallel = threads > 1 ? static_cast<std::int64_t>(model.sets_.size()) : 1;
        work_rows_per_set = threads > 1 ? 2 * num_frames : 0;
        memory = Scratch::Lease<float>(num_frames * (transforms.stride + coefficients.stride + added.stride) +
                                       2 * num_frames * sets_in_parallel * work.stride);
        transforms.data = memory.data();
        coefficients.data = transforms.row(num_frames);
        added.data = coefficients.row(num_frames);
        work.data = added.row(num_frames);
    }

    Scratch::Lease<float> memory;
    Rows<float> transforms;    // the joints' global transforms
    Rows<float> coefficients;  // of all sets
    Rows<float> added;         // added contributions of all sets
    Rows<float> work;          // two rows per frame, between which layers alternate, for each set that runs in parallel
    std::int64_t work_rows_per_set;
};

/// Writes the coefficients of a set. Frames whose inputs equal those of the previous frame copy its coefficients.
void BodyModel::run_network(const VertexSet& set, Rows<const float> poses, Rows<float> coefficients, Rows<float> work,
                            int num_frames) const {
    if (!set.has_network()) return;
    const Rows<float> a = work;
    const Rows<float> b = work.from(num_frames);
    const network::DenseKernels& network = network::dense_kernels();
    const std::size_t input_bytes = set.column.size() * sizeof(float);
    std::array<int, frames_per_network_batch> row_of;
    int rows = 0;
    for (int p = 0; p < num_frames; ++p) {
        set.gather(poses.from(p), a.from(rows), 1);
        const bool repeated = rows > 0 && std::memcmp(a.row(rows), a.row(rows - 1), input_bytes) == 0;
        row_of[p] = repeated ? rows - 1 : rows++;
    }
    const Rows<float> out = coefficients.from(0, set.coefficients_begin);
    network.dense(set.layer[0], packed_, a, b, rows);
    network.dense(set.layer[1], packed_, b, a, rows);
    network.dense(set.layer[2], packed_, a, rows == num_frames ? out : b, rows);
    if (rows == num_frames) return;
    for (int p = 0; p < num_frames; ++p) std::copy_n(b.row(row_of[p]), set.layer[2].padded(), out.row(p));
}

void BodyModel::evaluate_batch(std::int64_t begin, Rows<const float> poses, Rows<float> vertices, int num_frames,
                               int threads) const {
    const Workspace space(*this, num_frames, threads);
    const std::int64_t num_sets = static_cast<std::int64_t>(sets_.size());
    for (int p = 0; p < num_frames; ++p) {
        character().skeleton.globals(poses.row(p), space.transforms.row(p));
        rig::check_overflow("evaluate", begin + p, space.transforms.row(p), 12 * character().skeleton.num_joints(),
                            limits_.transform);
    }
    const auto run_patch = [&](const VertexSet& set, int first, int size) {
        const Rows<const float> coefficients = space.coefficients.from(first, set.coefficients_begin);
        const Rows<const float> transforms = space.transforms.from(first, 12 * set.joint);
        const Rows<float> out = vertices.from(first);
        const Rows<float> added = space.added.from(first);
        const bool repeated =
            size > 1 && all_equal(transforms, 12, size) && all_equal(coefficients, set.patch.components, size);
        patch_kernels().evaluate(set.patch, packed_, coefficients, transforms, out, added, repeated ? 1 : size);
        if (repeated) repeat_first(set.patch, out, added, size);
    };
    if (threads > 1) {
        parallel_for(num_sets, 1, threads, [&](std::int64_t i, std::int64_t) {
            run_network(sets_[i], poses, space.coefficients, space.work.from(i * space.work_rows_per_set), num_frames);
            run_patch(sets_[i], 0, num_frames);
        });
        for (const VertexSet& set : sets_) add_contributions(set.patch, space.added, vertices, num_frames);
        return;
    }
    for (const VertexSet& set : sets_) run_network(set, poses, space.coefficients, space.work, num_frames);
    for (int first = 0; first < num_frames; first += frames_per_patch_batch) {
        const int size = std::min(frames_per_patch_batch, num_frames - first);
        for (const VertexSet& set : sets_) run_patch(set, first, size);
        for (const VertexSet& set : sets_)
            add_contributions(set.patch, space.added.from(first), vertices.from(first), size);
    }
}

}  // namespace rigcast::body
