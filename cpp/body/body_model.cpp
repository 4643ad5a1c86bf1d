#include "body/body_model.h"

#include <algorithm>

#include "core/error.h"
#include "core/parallel.h"
#include "core/scratch.h"

namespace rigwright::body {
namespace {

/// Poses of a batch that are evaluated together: enough to use the weights while they are in cache, few enough
/// for what lies between the layers to stay there.
constexpr int block = 32;

}  // namespace

BodyModel::BodyModel(std::shared_ptr<const TensorFile> tensors) : Deformer(std::move(tensors)) {
    sets_ = read_vertex_sets(character(), packed_);
    for (const VertexSet& set : sets_) {
        width_ = std::max<std::int64_t>(width_, set.width());
        late_ += set.patch.members - set.patch.early;
    }
    width_ = static_cast<std::int64_t>(Scratch::padded(static_cast<std::size_t>(width_)));
}

void BodyModel::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    if (threads <= 0) threads = num_processors();
    const std::int64_t frames = poses.extent(0);
    if (frames < threads) {  // one after another, its sets side by side
        for (std::int64_t t = 0; t < frames; ++t) evaluate_block(poses, vertices, t, 1, threads);
        return;
    }
    const std::int64_t grain = std::min<std::int64_t>(block, (frames + threads - 1) / threads);
    parallel_for(frames, grain, threads, [&](std::int64_t begin, std::int64_t end) {
        evaluate_block(poses, vertices, begin, static_cast<int>(end - begin), 1);
    });
}

void BodyModel::evaluate_block(View<const float, 2> poses, View<float, 3> vertices, std::int64_t begin, int count,
                               int threads) const {
    const rig::Skeleton& skeleton = character().skeleton;
    const std::int64_t transforms_size = Scratch::padded(12 * static_cast<std::size_t>(skeleton.num_joints()));
    const std::int64_t late_size = Scratch::padded(3 * static_cast<std::size_t>(late_));
    // A set's evaluation needs two rows a pose, each layer from one to the other; sets side by side have their own.
    const std::int64_t rows = 2 * count * (threads > 1 ? static_cast<std::int64_t>(sets_.size()) : 1);
    float* scratch = Scratch::floats(count * (transforms_size + late_size) + rows * width_);
    const Rows<float> transforms{scratch, transforms_size};
    const Rows<float> late{scratch + count * transforms_size, late_size};
    float* work = scratch + count * (transforms_size + late_size);
    const Rows<float> out{vertices.row(begin), 3 * vertices.extent(1)};

    for (int p = 0; p < count; ++p) skeleton.globals(poses.row(begin + p), transforms.row(p));
    parallel_for(static_cast<std::int64_t>(sets_.size()), 1, threads, [&](std::int64_t first, std::int64_t) {
        const VertexSet& set = sets_[first];
        float* own = work + (threads > 1 ? 2 * count * width_ * first : 0);
        const Rows<float> a{own, width_}, b{own + count * width_, width_};
        if (set.has_network()) {
            for (int p = 0; p < count; ++p) {
                const float* pose = poses.row(begin + p);
                float* input = a.row(p);
                for (const std::int32_t column : set.column) *input++ = pose[column];
            }
            const network::Kernels& network = network::kernels();
            network.dense(set.layer[0], packed_, a, b, count);
            network.dense(set.layer[1], packed_, b, a, count);
            network.dense(set.layer[2], packed_, a, b, count);
        }
        patch_kernels().evaluate(set.patch, packed_, b, {transforms.row(0) + 12 * set.joint, transforms.stride}, out,
                                 late, count);
    });
    for (const VertexSet& set : sets_) add_late(set.patch, late, out, count);
}

void BodyModel::do_vjp(View<const float, 2>, View<const float, 3>, View<float, 2>, int) const {
    throw NumericalError("vjp: the learned body has no derivative yet");
}

}  // namespace rigwright::body
