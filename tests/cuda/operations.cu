#include "operations.h"
#include "rigcast/cuda/libraries/libraries.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/kernels.h"
#include "rigcast/cuda/products/library_product.h"
#include "rigcast/cuda/products/resident_product.h"

namespace rigcast::cuda {
namespace {

/// A view's elements on the device.
template <class T>
struct Uploaded {
    template <int Rank>
    Uploaded(Machine& machine, View<const T, Rank> view) {
        machine.upload(view.data(), view.size(), buffer);
    }
    const T* data() const { return buffer.data(); }

    Buffer<T> buffer;
};

/// Runs `queue(device memory of the result)` and copies the result to `target`.
template <int Rank, class F>
void finish(Machine& machine, View<float, Rank> target, const F& queue) {
    Buffer<float> result;
    result.reserve(target.size());
    queue(result.data());
    machine.download(result, target.size(), target.data());
    machine.synchronize();
}

}  // namespace

void gather(View<const float, 2> source, View<const std::int32_t, 1> columns, View<float, 2> target) {
    const DeviceScope scope;
    Machine machine;
    const Uploaded<float> from(machine, source);
    const Uploaded<std::int32_t> index(machine, columns);
    finish(machine, target, [&](float* result) {
        machine.for_each(source.extent(0), columns.extent(0),
                         Gather{from.data(), source.extent(1), index.data(), columns.extent(0), result});
    });
}

void global_transforms(View<const float, 2> poses, View<const std::int32_t, 1> parents,
                       View<const std::int32_t, 1> joints, View<float, 3> transforms) {
    const DeviceScope scope;
    Machine machine;
    const Uploaded<float> pose(machine, poses);
    const Uploaded<std::int32_t> parent(machine, parents), joint(machine, joints);
    finish(machine, transforms, [&](float* result) {
        machine.for_each(
            poses.extent(0), joints.extent(0),
            GlobalTransforms{pose.data(), poses.extent(1), parent.data(), joint.data(), joints.extent(0), result});
    });
}

void grouped_product(const ProductPlan& plan, View<const float, 2> input, View<float, 2> output) {
    const DeviceScope scope;
    Machine machine;
    const ResidentProduct product(machine, plan);
    const Uploaded<float> x(machine, input);
    finish(machine, output,
           [&](float* result) { product.run(machine, input.extent(0), x.data(), input.extent(1), result); });
}

void library_product(const ProductPlan& plan, View<const float, 2> input, View<float, 2> output) {
    const DeviceScope scope;
    Machine machine;
    const std::unique_ptr<Libraries> libraries = make_libraries(machine);
    const LibraryProduct product(machine, *libraries, plan);
    const Uploaded<float> x(machine, input);
    finish(machine, output,
           [&](float* result) { product.run(machine, input.extent(0), x.data(), input.extent(1), result); });
}

void sparse_product(const CompressedRows& matrix, View<const float, 2> input, View<float, 2> output) {
    const DeviceScope scope;
    Machine machine;
    const std::unique_ptr<Libraries> libraries = make_libraries(machine);
    const std::unique_ptr<SparseProduct> product = libraries->load(matrix);
    const Uploaded<float> x(machine, input);
    finish(machine, output,
           [&](float* result) { product->multiply(output.extent(0), x.data(), input.extent(1), result); });
}

void blend(View<const float, 3> points, View<const float, 3> transforms, const BlendEntries& entries,
           View<float, 3> vertices) {
    const DeviceScope scope;
    Machine machine;
    const Uploaded<float> point(machine, points), transform(machine, transforms), weight(machine, entries.weight);
    const Uploaded<std::int32_t> offset(machine, entries.offset), of_point(machine, entries.point),
        of_transform(machine, entries.transform);
    finish(machine, vertices, [&](float* result) {
        machine.for_each(vertices.extent(0), vertices.extent(1),
                         Blend{point.data(), points.extent(1), transform.data(), transforms.extent(1), offset.data(),
                               of_point.data(), of_transform.data(), weight.data(), vertices.extent(1), result});
    });
}

}  // namespace rigcast::cuda
