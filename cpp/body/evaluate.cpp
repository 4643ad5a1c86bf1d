#include <algorithm>

#include "body/blocks.h"
#include "body/body_model.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "rig/overflow.h"

namespace rigwright::body {
namespace {

/// Poses that go through the networks together: enough to use the weights while they are in cache, few enough
/// for what lies between the layers to stay there.
constexpr int network_block = 32;
/// Poses whose vertices are made together: few enough for the vertices to stay in cache while set after set
/// adds its own.
constexpr int patch_block = 4;

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

void BodyModel::run_network(const VertexSet& set, Rows<const float> poses, Rows<float> coefficients, Rows<float> work,
                            int count) const {
    if (!set.has_network()) return;
    const Rows<float> a = work, b = work.from(count);
    const network::Kernels& network = network::kernels();
    set.gather(poses, a, count);
    network.dense(set.layer[0], packed_, a, b, count);
    network.dense(set.layer[1], packed_, b, a, count);
    network.dense(set.layer[2], packed_, a, coefficients.from(0, set.coefficients_begin), count);
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
        patch_kernels().evaluate(set.patch, packed_, space.coefficients.from(first, set.coefficients_begin),
                                 space.transforms.from(first, 12 * set.joint), vertices.from(first),
                                 space.late.from(first), size);
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
