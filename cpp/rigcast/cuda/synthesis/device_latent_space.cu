#include <algorithm>
#include <mutex>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/synthesis/device_latent_space.h"
#include "rigcast/cuda/synthesis/latent_kernel.h"

namespace rigcast::cuda {
namespace {

constexpr const char* evaluator = "DeviceLatentSpace.evaluate";

/// Rows of `stride` numbers without their padding, and transposed.
std::vector<double> packed(const double* matrix, std::int64_t rows, std::int64_t columns, std::int64_t stride) {
    std::vector<double> result;
    for (std::int64_t i = 0; i < rows; ++i)
        result.insert(result.end(), matrix + i * stride, matrix + i * stride + columns);
    return result;
}

std::vector<double> transposed(const double* matrix, std::int64_t rows, std::int64_t columns, std::int64_t stride) {
    std::vector<double> result(static_cast<std::size_t>(rows * columns));
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) result[j * rows + i] = matrix[i * stride + j];
    }
    return result;
}

}  // namespace

struct DeviceLatentSpace::Resident {
    std::mutex turn;
    Machine machine;
    DeviceGaussianProcess process;
    Buffer<double> centers, weights, root, root_transposed, posterior_root, posterior_root_transposed;
    Buffer<double> points, mean, variance, gradient, memory;
};

DeviceLatentSpace::DeviceLatentSpace(const synthesis::LatentSpace& space) {
    const DeviceScope scope;
    resident_ = std::make_unique<Resident>();
    Resident& r = *resident_;
    const synthesis::Centers& centers = space.centers();
    const std::int64_t count = centers.size();
    const auto upload_root = [&](const double* root, Buffer<double>& to, Buffer<double>& to_transposed) {
        r.machine.upload(packed(root, count, count, space.root_stride()), to);
        r.machine.upload(transposed(root, count, count, space.root_stride()), to_transposed);
    };
    r.machine.upload(packed(centers.coordinate(0), space.dimension(), count, centers.stride()), r.centers);
    r.machine.upload(transposed(space.mean_weights(), space.num_outputs(), count, centers.stride()), r.weights);
    upload_root(space.root(), r.root, r.root_transposed);
    if (space.posterior_root() != nullptr) {
        upload_root(space.posterior_root(), r.posterior_root, r.posterior_root_transposed);
    }
    r.machine.synchronize();
    r.process = {count,
                 space.dimension(),
                 space.num_outputs(),
                 space.kernel().variance,
                 space.kernel().length,
                 r.centers.data(),
                 r.weights.data(),
                 r.root.data(),
                 r.root_transposed.data(),
                 space.posterior_root() == nullptr ? nullptr : r.posterior_root.data(),
                 space.posterior_root() == nullptr ? nullptr : r.posterior_root_transposed.data()};
}

DeviceLatentSpace::~DeviceLatentSpace() = default;

std::int64_t DeviceLatentSpace::dimension() const {
    return resident_->process.dimension;
}

std::int64_t DeviceLatentSpace::num_outputs() const {
    return resident_->process.num_outputs;
}

void DeviceLatentSpace::evaluate(View<const double, 2> points, View<double, 2> mean, View<double, 1> variance,
                                 View<double, 2> gradient) {
    Resident& r = *resident_;
    const std::int64_t count = points.extent(0);
    check_shape<const double, 2>(evaluator, "points", points, {-1, dimension()});
    check_finite(evaluator, "points", points);
    check_shape<double, 2>(evaluator, "mean", mean, {count, num_outputs()});
    check_shape<double, 1>(evaluator, "variance", variance, {count});
    check_shape<double, 2>(evaluator, "gradient", gradient, {count, dimension()});
    if (count == 0) return;
    const std::lock_guard<std::mutex> turn(r.turn);
    const DeviceScope scope;
    r.machine.upload(points.data(), points.size(), r.points);
    r.mean.reserve(mean.size());
    r.variance.reserve(variance.size());
    r.gradient.reserve(gradient.size());
    EvaluateGaussianProcess kernel{r.process,        count, r.points.data(), r.mean.data(), r.variance.data(),
                                   r.gradient.data()};
    const std::int64_t numbers_per_team = 3 * r.process.num_centers;
    const std::int64_t shared = numbers_per_team <= Machine::most_shared ? numbers_per_team : 0;
    const std::int64_t teams = std::min(r.machine.num_teams<EvaluateGaussianProcess>(shared), count);
    if (shared == 0) {
        r.memory.reserve(teams * numbers_per_team);
        kernel.memory = r.memory.data();
    }
    r.machine.run_teams(teams, shared, kernel);
    r.machine.download(r.mean, mean.size(), mean.data());
    r.machine.download(r.variance, variance.size(), variance.data());
    r.machine.download(r.gradient, gradient.size(), gradient.data());
    r.machine.synchronize();
}

}  // namespace rigcast::cuda
