#include <algorithm>

#include "body/blocks.h"
#include "body/body_model.h"
#include "core/parallel.h"
#include "core/scratch.h"

namespace rigwright::body {
namespace {

/// Poses of a batch that are evaluated together: enough to use the weights while they are in cache, few enough
/// for what lies between the layers to stay there.
constexpr int block = 32;

}  // namespace

void BodyModel::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    for_blocks(poses.extent(0), block, threads, [&](std::int64_t begin, int count, int inner) {
        evaluate_block({poses.row(begin), poses.extent(1)}, {vertices.row(begin), 3 * vertices.extent(1)}, count,
                       inner);
    });
}

void BodyModel::evaluate_block(Rows<const float> poses, Rows<float> vertices, int count, int threads) const {
    const rig::Skeleton& skeleton = character().skeleton;
    const std::int64_t transforms_size = Scratch::padded(12 * static_cast<std::size_t>(skeleton.num_joints()));
    const std::int64_t late_size = Scratch::padded(3 * static_cast<std::size_t>(late_));
    // A set needs two rows a pose, each layer from one to the other; sets side by side have their own.
    const std::int64_t work_size = 2 * count * width_;
    const std::int64_t num_sets = static_cast<std::int64_t>(sets_.size());
    float* scratch = Scratch::floats(count * (transforms_size + late_size) + work_size * (threads > 1 ? num_sets : 1));
    const Rows<float> transforms{scratch, transforms_size};
    const Rows<float> late{scratch + count * transforms_size, late_size};
    float* work = late.row(count);

    for (int p = 0; p < count; ++p) skeleton.globals(poses.row(p), transforms.row(p));
    parallel_for(num_sets, 1, threads, [&](std::int64_t i, std::int64_t) {
        const VertexSet& set = sets_[i];
        float* own = work + (threads > 1 ? i * work_size : 0);
        const Rows<float> a{own, width_}, b{a.row(count), width_};
        if (set.has_network()) {
            const network::Kernels& network = network::kernels();
            set.gather(poses, a, count);
            network.dense(set.layer[0], packed_, a, b, count);
            network.dense(set.layer[1], packed_, b, a, count);
            network.dense(set.layer[2], packed_, a, b, count);
        }
        patch_kernels().evaluate(set.patch, packed_, b, transforms.from(0, 12 * set.joint), vertices, late, count);
    });
    for (const VertexSet& set : sets_) add_late(set.patch, late, vertices, count);
}

}  // namespace rigwright::body
