// Dense layers of odd sizes, with every activation, against slow products in double precision; layers whose weights
// have 16 or 8 bits against float32 layers of the rounded weights, and what unpacking gives back.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "rigcast/core/error.h"
#include "rigcast/core/instruction_set.h"
#include "rigcast/network/dense.h"

namespace {

using namespace rigcast;
using namespace rigcast::network;

constexpr Activation activations[] = {Activation::none, Activation::tanh, Activation::relu, Activation::leaky_relu,
                                      Activation::smooth_leaky_relu};

double value(Activation activation, double x) {
    switch (activation) {
        case Activation::none:
            return x;
        case Activation::tanh:
            return std::tanh(x);
        case Activation::relu:
            return x > 0.0 ? x : 0.0;
        case Activation::leaky_relu:
            return x > 0.0 ? x : leaky_slope * x;
        case Activation::smooth_leaky_relu:
            if (x > 1.0) return x;
            return leaky_slope * x + (x > -1.0 ? 0.25 * (1.0 - leaky_slope) * (x + 1.0) * (x + 1.0) : 0.0);
    }
    return NAN;
}

/// The derivative by the value y.
double slope(Activation activation, double y) {
    switch (activation) {
        case Activation::none:
            return 1.0;
        case Activation::tanh:
            return 1.0 - y * y;
        case Activation::relu:
            return y > 0.0 ? 1.0 : 0.0;
        case Activation::leaky_relu:
            return y > 0.0 ? 1.0 : leaky_slope;
        case Activation::smooth_leaky_relu:
            if (y > 1.0) return 1.0;
            return y > -leaky_slope ? std::sqrt(leaky_slope + (1.0 - leaky_slope) * y) : leaky_slope;
    }
    return NAN;
}

/// Rows of `width` numbers, NaN behind them up to whole cache lines, aligned.
class Block {
public:
    Block(int rows, int width) : rows_(rows), stride_((width + 15) / 16 * 16) {
        offset_ = memory_.append(static_cast<std::size_t>(rows) * stride_);
        std::fill_n(memory_.at(offset_), rows * stride_, NAN);
    }
    template <class Random>
    void fill(int width, Random& random) {
        std::normal_distribution<float> normal;
        for (int p = 0; p < rows_; ++p) {
            std::fill_n(row(p), stride_, 0.0f);
            std::generate_n(row(p), width, [&] { return normal(random); });
        }
    }
    float* row(int p) { return memory_.at(offset_) + p * stride_; }
    Rows<float> rows(int first = 0) { return {row(first), stride_}; }
    std::int64_t stride() const { return stride_; }

private:
    int rows_;
    std::int64_t stride_;
    Packed memory_;
    std::size_t offset_;
};

int faults = 0;

void expect(bool good, const char* what, const Dense& layer, int count) {
    if (good) return;
    ++faults;
    std::printf("%s is wrong: %d outputs, %d inputs, activation %d, %d rows\n", what, layer.outputs, layer.inputs,
                static_cast<int>(layer.activation), count);
}

/// A layer with random numbers, and what the kernels make of random rows.
struct Case {
    template <class Random>
    Case(int outputs, int inputs, Activation activation, int rows, Random& random)
        : count(rows),
          weight(outputs * inputs),
          bias(outputs),
          x(rows, inputs),
          x_tangent(rows, inputs),
          y(rows, outputs),
          y_tangent(rows, outputs),
          y_gradient(rows, outputs),
          x_gradient(rows, inputs) {
        std::normal_distribution<float> normal;
        for (float& w : weight) w = normal(random) / std::sqrt(static_cast<float>(inputs));
        for (float& b : bias) b = normal(random);
        x.fill(inputs, random);
        x_tangent.fill(inputs, random);
        y_gradient.fill(outputs, random);
        gradient.assign(y_gradient.row(0), y_gradient.row(rows));
        layer = pack_dense({weight.data(), {outputs, inputs}}, {bias.data(), {outputs}}, activation, packed);
        const DenseKernels& kernels = dense_kernels();
        kernels.dense(layer, packed, x.rows(), y.rows(), count);
        kernels.dense_jvp(layer, packed, y.rows(), x_tangent.rows(), y_tangent.rows(), count);
        kernels.dense_vjp(layer, packed, y.rows(), y_gradient.rows(), x_gradient.rows(), count);
    }

    float w(int output, int input) const { return weight[output * layer.inputs + input]; }
    float seed(int p, int output) const { return gradient[p * y_gradient.stride() + output]; }

    int count;
    std::vector<float> weight, bias, gradient;
    Block x, x_tangent, y, y_tangent, y_gradient, x_gradient;
    Packed packed;
    Dense layer;
};

bool near(double result, double exact, double scale) {
    return std::abs(result - exact) <= 4e-7 * scale;
}

void check_values(Case& c) {
    bool values = true, derivatives = true;
    for (int p = 0; p < c.count; ++p) {
        for (int o = 0; o < c.layer.padded(); ++o) {
            const bool real = o < c.layer.outputs;
            double sum = real ? c.bias[o] : 0.0, tangent = 0.0, scale = 1.0 + std::abs(sum);
            for (int k = 0; real && k < c.layer.inputs; ++k) {
                sum += static_cast<double>(c.w(o, k)) * c.x.row(p)[k];
                tangent += static_cast<double>(c.w(o, k)) * c.x_tangent.row(p)[k];
                scale += std::abs(c.w(o, k)) * (std::abs(c.x.row(p)[k]) + std::abs(c.x_tangent.row(p)[k]));
            }
            const float y = c.y.row(p)[o];
            values = values && near(y, value(c.layer.activation, sum), scale);
            derivatives = derivatives && near(c.y_tangent.row(p)[o], tangent * slope(c.layer.activation, y), scale);
        }
    }
    expect(values, "dense", c.layer, c.count);
    expect(derivatives, "dense_jvp", c.layer, c.count);
}

void check_gradients(Case& c) {
    bool gradients = true;
    for (int p = 0; p < c.count; ++p) {
        for (int k = 0; k < c.layer.padded_inputs(); ++k) {
            double sum = 0.0, scale = 1.0;
            for (int o = 0; k < c.layer.inputs && o < c.layer.outputs; ++o) {
                const double term = static_cast<double>(c.w(o, k)) * c.seed(p, o);
                sum += term * slope(c.layer.activation, c.y.row(p)[o]);
                scale += std::abs(term);
            }
            gradients = gradients && near(c.x_gradient.row(p)[k], sum, scale);
        }
    }
    expect(gradients, "dense_vjp", c.layer, c.count);
}

/// A row has the same bytes alone as between others.
void check_batches(Case& c) {
    const DenseKernels& kernels = dense_kernels();
    bool same = true;
    for (int p = 0; p < c.count; ++p) {
        Block y(1, c.layer.outputs), tangent(1, c.layer.outputs);
        kernels.dense(c.layer, c.packed, c.x.rows(p), y.rows(), 1);
        kernels.dense_jvp(c.layer, c.packed, y.rows(), c.x_tangent.rows(p), tangent.rows(), 1);
        const std::size_t bytes = c.layer.padded() * sizeof(float);
        same = same && std::memcmp(y.row(0), c.y.row(p), bytes) == 0;
        same = same && std::memcmp(tangent.row(0), c.y_tangent.row(p), bytes) == 0;
    }
    expect(same, "a row alone", c.layer, c.count);
}

/// The bytes of dense, dense_jvp and dense_vjp of a layer, one after another.
std::vector<float> results(Case& c, View<const float, 2> weight, Storage storage) {
    Packed packed;
    const Dense layer = pack_dense(weight, {c.bias.data(), {c.layer.outputs}}, c.layer.activation, packed, storage);
    Block y(c.count, layer.outputs), y_tangent(c.count, layer.outputs), y_gradient(c.count, layer.outputs);
    Block x_gradient(c.count, layer.inputs);
    std::copy(c.gradient.begin(), c.gradient.end(), y_gradient.row(0));
    const DenseKernels& kernels = dense_kernels();
    kernels.dense(layer, packed, c.x.rows(), y.rows(), c.count);
    kernels.dense_jvp(layer, packed, y.rows(), c.x_tangent.rows(), y_tangent.rows(), c.count);
    kernels.dense_vjp(layer, packed, y.rows(), y_gradient.rows(), x_gradient.rows(), c.count);
    std::vector<float> all;
    for (Block* block : {&y, &y_tangent, &x_gradient}) all.insert(all.end(), block->row(0), block->row(c.count));
    return all;
}

void check_storages(Case& c) {
    const View<const float, 2> weight(c.weight.data(), {c.layer.outputs, c.layer.inputs});
    for (const Storage storage : {Storage::float16, Storage::bfloat16}) {
        std::vector<float> narrow;
        for (const float w : c.weight) narrow.push_back(rounded(storage, w));
        const auto stored = results(c, weight, storage);
        const auto expected = results(c, {narrow.data(), weight.extents()}, Storage::float32);
        const bool same = std::memcmp(stored.data(), expected.data(), stored.size() * sizeof(float)) == 0;
        expect(same, storage == Storage::float16 ? "float16" : "bfloat16", c.layer, c.count);
    }
}

/// What slow arithmetic makes of weights in int16 or int8: per input and group of 64 outputs, whole numbers of
/// magnitude at most `most` times the smallest power of two with which they hold the largest magnitude.
std::vector<float> slow_blocks(const Case& c, double most) {
    std::vector<float> stored(c.weight.size());
    for (int begin = 0; begin < c.layer.outputs; begin += Dense::outputs_per_group) {
        const int end = std::min(begin + Dense::outputs_per_group, c.layer.outputs);
        for (int k = 0; k < c.layer.inputs; ++k) {
            double largest = 0.0;
            for (int o = begin; o < end; ++o) largest = std::max<double>(largest, std::abs(c.w(o, k)));
            const double scale = largest == 0.0 ? 1.0 : std::exp2(std::ceil(std::log2(largest / most)));
            for (int o = begin; o < end; ++o) {
                stored[o * c.layer.inputs + k] = static_cast<float>(std::nearbyint(c.w(o, k) / scale) * scale);
            }
        }
    }
    return stored;
}

void check_blocks(Case& c, Storage storage, double most) {
    const View<const float, 2> weight(c.weight.data(), {c.layer.outputs, c.layer.inputs});
    const std::vector<float> narrow = slow_blocks(c, most);
    const auto stored = results(c, weight, storage);
    const auto expected = results(c, {narrow.data(), weight.extents()}, Storage::float32);
    expect(std::memcmp(stored.data(), expected.data(), stored.size() * sizeof(float)) == 0, "a product of blocks",
           c.layer, c.count);
    Packed packed;
    const Dense layer = pack_dense(weight, {c.bias.data(), {c.layer.outputs}}, c.layer.activation, packed, storage);
    std::vector<float> unpacked(narrow.size());
    unpack_weights(layer, packed, {unpacked.data(), weight.extents()});
    float error = 0.0f;
    for (std::size_t i = 0; i < narrow.size(); ++i) error = std::max(error, std::abs(narrow[i] - c.weight[i]));
    expect(unpacked == narrow && layer.storage_error == error, "unpacked blocks", c.layer, c.count);
}

/// Unpacking gives the weights as they were stored, and writes nothing else.
void check_unpacking(Case& c) {
    const View<const float, 2> weight(c.weight.data(), {c.layer.outputs, c.layer.inputs});
    for (const Storage storage : {Storage::float32, Storage::float16, Storage::bfloat16}) {
        Packed packed;
        const Dense layer = pack_dense(weight, {c.bias.data(), {c.layer.outputs}}, c.layer.activation, packed, storage);
        std::vector<float> unpacked(c.weight.size() + 1, NAN);
        unpack_weights(layer, packed, {unpacked.data(), weight.extents()});
        bool same = std::isnan(unpacked.back());
        for (std::size_t i = 0; i < c.weight.size(); ++i) same = same && unpacked[i] == rounded(storage, c.weight[i]);
        expect(same, "unpack_weights", c.layer, c.count);
    }
}

}  // namespace

int main() {
    try {
        std::printf("%s: ", instruction_set().c_str());
    } catch (const ArgumentError& error) {
        std::printf("%s\n", error.what());
        return 77;  // this processor lacks it: skipped
    }
    std::mt19937 random(5);
    int cases = 0;
    for (const Activation activation : activations) {
        for (const int outputs : {1, 15, 16, 17, 63, 64, 65, 150}) {
            for (const int inputs : {1, 3, 16, 33, 130}) {
                for (const int count : {1, 2, 3, 5, 6, 13}) {
                    Case made(outputs, inputs, activation, count, random);
                    check_values(made);
                    check_gradients(made);
                    check_batches(made);
                    check_storages(made);
                    check_blocks(made, Storage::int16, 32767.0);
                    check_blocks(made, Storage::int8, 127.0);
                    check_unpacking(made);
                    ++cases;
                }
            }
        }
    }
    std::printf("%d cases, %d faults\n", cases, faults);
    return faults == 0 ? 0 : 1;
}
