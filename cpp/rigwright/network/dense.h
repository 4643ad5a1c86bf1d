#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "rigwright/core/view.h"
#include "rigwright/network/activation.h"
#include "rigwright/network/packed.h"
#include "rigwright/network/storage.h"

namespace rigwright::network {

/// A dense layer y = f(W x + b), f an activation, its weights packed for the kernels: output rows in
/// groups of 64 (the last group: what is left, in whole panels of 16), inside a group one input column after
/// another. Rows beyond `outputs` are zero, so they come out as zero. After the weights of the last group come
/// the biases.
struct Dense {
    static constexpr int panel = 16;
    static constexpr int group = 64;

    int inputs = 0;
    int outputs = 0;
    Activation activation = Activation::none;
    Storage storage = Storage::float32;  // of the weights; biases are float32
    float storage_error = 0.0f;          // the largest |w - stored w|
    std::size_t weight = 0;              // offsets into the Packed that the layer was packed into
    std::size_t bias = 0;

    /// Outputs in whole panels: the size of a row of results.
    int padded() const { return (outputs + panel - 1) / panel * panel; }
    /// Inputs in whole panels: the size of a row of gradients with respect to them.
    int padded_inputs() const { return (inputs + panel - 1) / panel * panel; }
};

/// Packs W (n, k) and b (n).
Dense pack_dense(View<const float, 2> weight, View<const float, 1> bias, Activation activation, Packed& packed,
                 Storage storage = Storage::float32);

/// Writes the weights (outputs, inputs) of a packed layer, widened to float32: W as it was stored.
void unpack_weights(const Dense& layer, const Packed& packed, View<float, 2> weight);

/// Rows of vectors, `stride` floats apart.
template <class T>
struct Rows {
    T* data = nullptr;
    std::int64_t stride = 0;

    Rows() = default;
    Rows(T* first, std::int64_t distance) : data(first), stride(distance) {}
    /// Writable rows read, too.
    template <class U>
    requires std::is_same_v<T, const U> Rows(const Rows<U>& other) : data(other.data), stride(other.stride) {}

    T* row(std::int64_t index) const { return data + index * stride; }
    /// The rows from `index` on, each from its element `offset` on.
    Rows from(std::int64_t index, std::int64_t offset = 0) const { return {row(index) + offset, stride}; }
};

/// The operations of a network, for the instruction set in use. Each treats `count` rows, and the result of a
/// row does not depend on the rows beside it. Rows of results are padded and aligned to cache lines.
struct DenseKernels {
    /// y = f(W x + b).
    void (*dense)(const Dense& layer, const Packed& packed, Rows<const float> x, Rows<float> y, int count);
    /// Reverse of `dense`: x_gradient = W^T (y_gradient * f'), f' from y. `y_gradient`, zero beyond the outputs,
    /// is overwritten with y_gradient * f'; x_gradient comes out zero beyond the inputs.
    void (*dense_vjp)(const Dense& layer, const Packed& packed, Rows<const float> y, Rows<float> y_gradient,
                      Rows<float> x_gradient, int count);
    /// Derivative of `dense`: y_tangent = (W x_tangent) * f', f' from y.
    void (*dense_jvp)(const Dense& layer, const Packed& packed, Rows<const float> y, Rows<const float> x_tangent,
                      Rows<float> y_tangent, int count);
};
const DenseKernels& dense_kernels();

/// tanh of `count` values, as in the layers: within 1.5 units in the last place of the exact value.
void tanh(const float* x, float* y, std::size_t count);

}  // namespace rigwright::network
