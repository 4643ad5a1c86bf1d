#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "rigcast/core/view.h"
#include "rigcast/network/activation.h"
#include "rigcast/network/packed.h"
#include "rigcast/network/storage.h"

namespace rigcast::network {

/// A dense layer y = f(W x + b) with activation f, packed for the kernels.
/// Layout: the rows of W, padded with zeros to a multiple of 16, in groups of 64; the last group may be smaller. A
/// group is stored input by input. The biases follow the last group. Padding outputs are therefore f(0) = 0.
/// int16 and int8: the weights of one input in one group are a block with a scale of its own. A group begins with the
/// scales of its inputs, padded to cache lines.
struct Dense {
    static constexpr int outputs_per_vector = 16;  // floats of an AVX-512 vector
    static constexpr int outputs_per_group = 64;   // accumulators of one row: 4 AVX-512 or 8 AVX2 vectors

    int inputs = 0;
    int outputs = 0;
    Activation activation = Activation::none;
    Storage storage = Storage::float32;  // of the weights; biases are float32
    float storage_error = 0.0f;          // the largest |w - stored w|; infinity if a float16 or bfloat16 overflows
    std::size_t weight = 0;              // offsets into the Packed that the layer was packed into
    std::size_t bias = 0;

    /// The outputs padded to a multiple of outputs_per_vector: floats of a result row.
    int padded() const { return (outputs + outputs_per_vector - 1) / outputs_per_vector * outputs_per_vector; }
    /// The inputs padded likewise: floats of a row of input gradients.
    int padded_inputs() const { return (inputs + outputs_per_vector - 1) / outputs_per_vector * outputs_per_vector; }
    /// Bytes of the scales at the beginning of each group.
    std::size_t bytes_of_scales() const { return has_blocks(storage) ? sizeof(float) * padded_inputs() : 0; }
};

/// Packs W (outputs, inputs) and b (outputs) into `packed`. Requires for int16 and int8: fits_blocks(weight).
Dense pack_dense(View<const float, 2> weight, View<const float, 1> bias, Activation activation, Packed& packed,
                 Storage storage = Storage::float32);

/// Writes the weights (outputs, inputs) of a packed layer, widened to float32: W as it was stored.
void unpack_weights(const Dense& layer, const Packed& packed, View<float, 2> weight);

/// A matrix whose rows are `stride` elements apart.
template <class T>
struct Rows {
    T* data = nullptr;
    std::int64_t stride = 0;

    Rows() = default;
    Rows(T* first_row, std::int64_t elements) : data(first_row), stride(elements) {}
    /// Writable rows convert to read-only ones.
    template <class U>
    requires std::is_same_v<T, const U> Rows(const Rows<U>& other) : data(other.data), stride(other.stride) {}

    T* row(std::int64_t index) const { return data + index * stride; }
    /// The rows from `index` on, without their first `offset` elements.
    Rows from(std::int64_t index, std::int64_t offset = 0) const { return {row(index) + offset, stride}; }
};

/// The operations of a dense layer on `count` rows, compiled for the instruction set in use.
/// Guarantee: the result of a row does not depend on the other rows.
/// Requires: result rows are padded (Dense::padded) and aligned to cache lines.
struct DenseKernels {
    /// y = f(W x + b).
    void (*dense)(const Dense& layer, const Packed& packed, Rows<const float> x, Rows<float> y, int count);
    /// Vector-Jacobian product: x_gradient = W^T (y_gradient * f'), with f' computed from y. y_gradient must be zero
    /// beyond the outputs and is overwritten by y_gradient * f'. x_gradient is zero beyond the inputs.
    void (*dense_vjp)(const Dense& layer, const Packed& packed, Rows<const float> y, Rows<float> y_gradient,
                      Rows<float> x_gradient, int count);
    /// Jacobian-vector product: y_tangent = (W x_tangent) * f', with f' computed from y.
    void (*dense_jvp)(const Dense& layer, const Packed& packed, Rows<const float> y, Rows<const float> x_tangent,
                      Rows<float> y_tangent, int count);
};
const DenseKernels& dense_kernels();

/// tanh of `count` values as in the layers. Error: at most 1.5 units in the last place.
void tanh(const float* x, float* y, std::size_t count);

}  // namespace rigcast::network
