#include <algorithm>
#include <array>
#include <cstring>

#include "rigwright/body/blocks.h"
#include "rigwright/body/body_model.h"
#include "rigwright/core/parallel.h"
#include "rigwright/core/scratch.h"
#include "rigwright/rig/overflow.h"

namespace rigwright::body {
namespace {

/// Poses that go through the networks together: enough to use the weights while they are in cache, few enough
/// for what lies between the layers to stay there.
constexpr int network_block = 32;
/// Poses whose vertices are made together: few enough for the vertices to stay in cache while set after set
/// adds its own.
constexpr int patch_block = 4;

/// Copies what a patch wrote for row 0 to the rows after it.
void repeat_first(const Patch& patch, Rows<float> vertices, Rows<float> late, int count) {
    const float* late_from = late.row(0) + 3 * patch.late_begin;
    for (int p = 1; p < count; ++p) {
        for (int m = 0; m < patch.early; ++m) {
            const std::int64_t at = 3 * std::int64_t{patch.vertex[m]};
            std::copy_n(vertices.row(0) + at, 3, vertices.row(p) + at);
        }
        std::copy_n(late_from, 3 * (patch.members - patch.early), late.row(p) + 3 * patch.late_begin);
    }
}

/// Whether `count` rows have the same bytes.
bool all_equal(Rows<const float> rows, std::int64_t width, int count) {
    for (int p = 1; p < count; ++p) {
        if (std::memcmp(rows.row(p), rows.row(0), width * sizeof(float)) != 0) return false;
    }
    return true;
}

}  // namespace

void BodyModel::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    for_blocks(poses.extent(0), network_block, threads, [&](std::int64_t begin, int count, int inner) {
        evaluate_block(begin, {poses.row(begin), poses.extent(1)}, {vertices.row(begin), 3 * vertices.extent(1)}, count,
                       inner);
    });
}

/// Working memory of a block of poses: the transforms of the joints, the coefficients of all sets, the late
/// contributions, and for each set that is evaluated at once the two rows a pose between which layers alternate.
struct BodyModel::Workspace {
    Workspace(const BodyModel& model, int count, int threads) {
        const auto padded = [](std::int64_t size) {
            return static_cast<std::int64_t>(Scratch::padded(static_cast<std::size_t>(size)));
        };
        transforms.stride = padded(12 * model.character().skeleton.num_joints());
        coefficients.stride = model.coefficients_;
        late.stride = padded(3 * model.late_);
        work.stride = model.width_;
        const std::int64_t at_once = threads > 1 ? static_cast<std::int64_t>(model.sets_.size()) : 1;
        work_rows = threads > 1 ? 2 * count : 0;
        memory = Scratch::Lease<float>(count * (transforms.stride + coefficients.stride + late.stride) +
                                       2 * count * at_once * work.stride);
        transforms.data = memory.data();
        coefficients.data = transforms.row(count);
        late.data = coefficients.row(count);
        work.data = late.row(count);
    }

    Scratch::Lease<float> memory;
    Rows<float> transforms, coefficients, late, work;
    std::int64_t work_rows;  // from the rows of a set to those of the next
};

/// A pose whose inputs are those of the pose before takes its coefficients from there.
void BodyModel::run_network(const VertexSet& set, Rows<const float> poses, Rows<float> coefficients, Rows<float> work,
                            int count) const {
    if (!set.has_network()) return;
    const Rows<float> a = work, b = work.from(count);
    const network::DenseKernels& network = network::dense_kernels();
    const std::size_t input_bytes = set.column.size() * sizeof(float);
    std::array<int, network_block> row_of;
    int rows = 0;
    for (int p = 0; p < count; ++p) {
        set.gather(poses.from(p), a.from(rows), 1);
        const bool repeated = rows > 0 && std::memcmp(a.row(rows), a.row(rows - 1), input_bytes) == 0;
        row_of[p] = repeated ? rows - 1 : rows++;
    }
    const Rows<float> out = coefficients.from(0, set.coefficients_begin);
    network.dense(set.layer[0], packed_, a, b, rows);
    network.dense(set.layer[1], packed_, b, a, rows);
    network.dense(set.layer[2], packed_, a, rows == count ? out : b, rows);
    if (rows == count) return;
    for (int p = 0; p < count; ++p) std::copy_n(b.row(row_of[p]), set.layer[2].padded(), out.row(p));
}

void BodyModel::evaluate_block(std::int64_t begin, Rows<const float> poses, Rows<float> vertices, int count,
                               int threads) const {
    const Workspace space(*this, count, threads);
    const std::int64_t num_sets = static_cast<std::int64_t>(sets_.size());
    for (int p = 0; p < count; ++p) {
        character().skeleton.globals(poses.row(p), space.transforms.row(p));
        rig::check_overflow("evaluate", begin + p, space.transforms.row(p), 12 * character().skeleton.num_joints(),
                            limits_.transform);
    }
    const auto run_patch = [&](const VertexSet& set, int first, int size) {
        const Rows<const float> coefficients = space.coefficients.from(first, set.coefficients_begin);
        const Rows<const float> transforms = space.transforms.from(first, 12 * set.joint);
        const Rows<float> out = vertices.from(first), late = space.late.from(first);
        const bool repeated =
            size > 1 && all_equal(transforms, 12, size) && all_equal(coefficients, set.patch.components, size);
        patch_kernels().evaluate(set.patch, packed_, coefficients, transforms, out, late, repeated ? 1 : size);
        if (repeated) repeat_first(set.patch, out, late, size);
    };
    if (threads > 1) {
        parallel_for(num_sets, 1, threads, [&](std::int64_t i, std::int64_t) {
            run_network(sets_[i], poses, space.coefficients, space.work.from(i * space.work_rows), count);
            run_patch(sets_[i], 0, count);
        });
        for (const VertexSet& set : sets_) add_late(set.patch, space.late, vertices, count);
        return;
    }
    for (const VertexSet& set : sets_) run_network(set, poses, space.coefficients, space.work, count);
    for (int first = 0; first < count; first += patch_block) {
        const int size = std::min(patch_block, count - first);
        for (const VertexSet& set : sets_) run_patch(set, first, size);
        for (const VertexSet& set : sets_) add_late(set.patch, space.late.from(first), vertices.from(first), size);
    }
}

}  // namespace rigwright::body
