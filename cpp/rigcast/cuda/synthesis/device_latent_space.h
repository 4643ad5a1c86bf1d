#pragma once
#include <cstdint>
#include <memory>

#include "rigcast/core/view.h"
#include "rigcast/synthesis/latent/latent_space.h"

namespace rigcast::cuda {

/// A latent space in device memory: mean, variance and gradient of the variance at the points of many characters, in
/// one launch. Double precision; results differ from synthesis::LatentSpace's by rounding. A point's bytes do not
/// depend on the others. Calls from several threads run one after another.
class DeviceLatentSpace {
public:
    /// Copies the space. Throws CudaError.
    explicit DeviceLatentSpace(const synthesis::LatentSpace& space);
    ~DeviceLatentSpace();

    std::int64_t dimension() const;
    std::int64_t num_outputs() const;

    /// Writes the mean (T, P), the variance (T) and its gradient (T, D) at points (T, D). Throws ArgumentError on wrong
    /// shapes and numbers that are not finite, and CudaError.
    void evaluate(View<const double, 2> points, View<double, 2> mean, View<double, 1> variance,
                  View<double, 2> gradient);

private:
    struct Resident;
    std::unique_ptr<Resident> resident_;
};

}  // namespace rigcast::cuda
