#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/view.h"
#include "rigcast/network/convolution.h"
#include "rigcast/network/dense.h"
#include "rigcast/network/packed.h"

namespace rigcast::capture {

/// A network that reads weights and landmarks in pictures of a face: T pictures of S x S pixels, each beside the
/// actor's neutral.
///
/// With m the mean of the neutral's numbers (at least 1), x = picture / m - 1 and n = neutral / m - 1, six channels
/// (x - n, n) are folded two by two to 24 channels of S/2 texels: channel 4 c + 2 i + j is channel c at odd rows (i)
/// and columns (j). L is a 3 x 3 convolution with zero padding and a leaky ReLU, P the mean of 2 x 2 texels, U a
/// doubling of the resolution by nearest neighbors:
///     a1 = L1(folded), a = L2(a1) + a1;  b1 = L3(P a), b = L4(b1) + b1;  c1 = L5(P b), c = L6(c1) + c1.
/// Weights are dense2(leaky(dense1(L7(c), known leaky(points(motion))))): L7's channels row by row, then what is seen
/// of a detector's Q points, where it found them (known is 1, else 0). A landmark's heat map is the softmax over all
/// texels of heat = L10(L9(U (L8(U c) + b)) + a); its mean is the landmark's, and exp(s) times its covariance plus
/// exp(t) on the diagonal, in shares of the picture: texel (i, j), column and row, lies at ((i, j) + 0.5) / (S/2).
///
/// A file of kind "capture_network" has conv1 ... conv7, up1, up2 and heat (.weight F32[C', C, 3, 3], .bias F32[C']),
/// heat.spread F32[P, 2] (s and t of each landmark); dense1, dense2 and, if Q > 0, points (.weight F32[n, m], .bias
/// F32[n]); metadata "size" is S, a multiple of 16. Other entries are not read. Immutable and thread-safe.
class FaceNetwork {
public:
    static constexpr std::int64_t largest_size = 256;
    static constexpr std::int64_t most_channels = 1024;

    /// Throws ArgumentError if the file is of another kind, an entry is missing or of another shape, or a number is not
    /// finite.
    explicit FaceNetwork(std::shared_ptr<const TensorFile> tensors);

    const TensorFile& tensors() const { return *tensors_; }
    std::int64_t size() const { return size_; }
    std::int64_t num_weights() const { return dense2_.outputs; }
    std::int64_t num_landmarks() const { return heat_.outputs; }
    /// Q.
    std::int64_t num_points() const { return points_.inputs / 2; }

    /// What is read; the arrays belong to the caller.
    struct Reading {
        View<float, 2> weights;     // (T, K), unbounded
        View<float, 3> landmarks;   // (T, P, 2)
        View<float, 3> covariance;  // (T, P, 3): xx, xy, yy
    };

    /// Reads pictures (T, S, S, 3); neutrals (T or 1, S, S, 3); motion (T, 2 Q), a row with NaN: not found. Guarantee:
    /// the same bytes for any number of threads. Throws ArgumentError if a shape is wrong.
    void read(View<const std::uint8_t, 4> pictures, View<const std::uint8_t, 4> neutrals, View<const float, 2> motion,
              const Reading& reading, int threads) const;

private:
    struct Maps;

    network::Convolution convolution(const std::string& name, std::int64_t inputs, std::int64_t outputs);
    network::Dense dense(const std::string& name, std::int64_t inputs, std::int64_t outputs,
                         network::Activation activation);
    void read_frame(const std::uint8_t* picture, const std::uint8_t* neutral, const float* motion, float* weights,
                    float* landmarks, float* covariance) const;
    void draw(const std::uint8_t* picture, const std::uint8_t* neutral, Maps& maps) const;
    void convolve(const network::Convolution& layer, network::Map<const float> x, network::Map<float> y) const;
    void read_weights(Maps& maps, const float* motion, float* weights) const;
    void read_landmarks(Maps& maps, float* landmarks, float* covariance) const;

    std::shared_ptr<const TensorFile> tensors_;
    std::int64_t size_ = 0;
    network::Packed packed_;
    network::Convolution conv1_, conv2_, conv3_, conv4_, conv5_, conv6_, conv7_, up1_, up2_, heat_;
    network::Dense dense1_, dense2_, points_;
    std::vector<double> spread_;  // (P, 2): exp(s), exp(t)
};

}  // namespace rigcast::capture
