#include "rigcast/cuda/face/resident_layers.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/resident_product.h"
#include "rigcast/network/convolution.h"
#include "tiles.h"

namespace rigcast::cuda {
namespace {

/// Rows of floats on the device, and where their products go.
struct Rows {
    std::int64_t num_frames;
    const float* input;
    std::int64_t input_width;
    float* output;
    std::int64_t output_width;
};

struct ProductShape {
    std::string name;
    void (*run)(const ResidentProduct&, Machine&, const Rows&);
};

template <int Frames, bool InPieces, int Depths, int RowTiles>
ProductShape product_shape() {
    const std::string name = std::to_string(Frames) + " frames, steps of " + std::to_string(16 * Depths) +
                             ", warps of " + std::to_string(16 * RowTiles) + (InPieces ? ", in pieces" : "");
    return {name, [](const ResidentProduct& product, Machine& machine, const Rows& rows) {
                product.run_in<GroupedProduct<BiasAndActivation, Frames, InPieces, Depths, RowTiles>>(
                    machine, rows.num_frames, rows.input, rows.input_width, rows.output);
            }};
}

const std::vector<ProductShape>& all_product_shapes() {
    static const std::vector<ProductShape> shapes = {
        {"as chosen",
         [](const ResidentProduct& product, Machine& machine, const Rows& rows) {
             product.run(machine, rows.num_frames, rows.input, rows.input_width, rows.output);
         }},
        product_shape<8, false, 2, 1>(),
        product_shape<8, false, 4, 1>(),
        product_shape<16, false, 4, 1>(),
        product_shape<32, false, 2, 1>(),
        product_shape<32, false, 4, 1>(),
        product_shape<32, false, 4, 2>(),
        product_shape<64, false, 2, 1>(),
        product_shape<64, false, 2, 2>(),
        product_shape<64, false, 4, 2>(),
        product_shape<128, false, 2, 2>(),
        product_shape<128, false, 2, 4>(),
        product_shape<32, true, 4, 1>(),
        product_shape<64, true, 2, 2>(),
        product_shape<128, true, 2, 2>(),
        product_shape<128, true, 4, 2>(),
    };
    return shapes;
}

struct TexelShape {
    std::string name;
    void (*run)(const ResidentConvolution&, Machine&, Detail, const Rows&);
};

template <int Frames, int Columns, int Depths>
TexelShape texel_shape() {
    const std::string name = std::to_string(Frames) + " frames, warps of " + std::to_string(8 * Columns) +
                             " cells, steps of " + std::to_string(16 * Depths);
    return {name, [](const ResidentConvolution& layer, Machine& machine, Detail detail, const Rows& rows) {
                layer.run_in<TexelProduct<BiasAndActivation, Frames, Columns, Depths>>(
                    machine, rows.num_frames, detail, rows.input, rows.input_width, rows.output, rows.output_width);
            }};
}

const std::vector<TexelShape>& all_texel_shapes() {
    static const std::vector<TexelShape> shapes = {
        {"as chosen",
         [](const ResidentConvolution& layer, Machine& machine, Detail detail, const Rows& rows) {
             layer.run(machine, rows.num_frames, detail, rows.input, rows.input_width, rows.output, rows.output_width);
         }},
        texel_shape<1, 1, 1>(),
        texel_shape<1, 1, 2>(),
        texel_shape<1, 1, 4>(),
        texel_shape<2, 2, 1>(),
        texel_shape<4, 2, 1>(),
        texel_shape<2, 4, 1>(),
        texel_shape<4, 4, 1>(),
        texel_shape<8, 4, 1>(),
    };
    return shapes;
}

template <class Shape>
std::vector<std::string> names_of(const std::vector<Shape>& shapes) {
    std::vector<std::string> names;
    for (const Shape& shape : shapes) names.push_back(shape.name);
    return names;
}

/// Numbers between -0.5 and 0.5 that have nothing to do with one another.
struct Fill {
    float* to;
    std::int64_t width;

    RIGCAST_DEVICE void operator()(std::int64_t row, std::int64_t column) const {
        const auto number = static_cast<std::uint32_t>(row * width + column) * 2654435761u;
        to[row * width + column] = static_cast<float>(number >> 8) / 16777216.0f - 0.5f;
    }
};

/// Times of run(shape, rows), after a run to warm up.
template <class Shape, class Run>
std::vector<std::vector<double>> milliseconds(Machine& machine, const std::vector<Shape>& shapes, const Rows& sizes,
                                              int repeats, const Run& run) {
    Buffer<float> input, output;
    input.reserve(sizes.num_frames * sizes.input_width);
    machine.for_each(sizes.num_frames, sizes.input_width, Fill{input.data(), sizes.input_width});
    output.reserve(sizes.num_frames * sizes.output_width);
    const Rows rows{sizes.num_frames, input.data(), sizes.input_width, output.data(), sizes.output_width};
    std::vector<std::vector<double>> times;
    for (const Shape& shape : shapes) {
        run(shape, rows);
        std::vector<double>& of_shape = times.emplace_back();
        for (int i = 0; i < repeats; ++i) of_shape.push_back(machine.milliseconds([&] { run(shape, rows); }));
    }
    return times;
}

/// Runs run(rows) from and to host memory.
template <class Run>
void run_once(Machine& machine, View<const float, 2> input, View<float, 2> output, const Run& run) {
    Buffer<float> from, to;
    machine.upload(input.data(), input.size(), from);
    machine.upload(output.data(), output.size(), to);
    run(Rows{input.extent(0), from.data(), input.extent(1), to.data(), output.extent(1)});
    machine.download(to, output.size(), output.data());
    machine.synchronize();
}

std::int64_t width_of(const TexelLayer& layer) {
    return layer.needed.count() * layer.bias.extent(0);
}

TexelPlan plan_of(const std::vector<TexelLayer>& layers) {
    TexelPlan plan;
    std::int64_t output = 0;
    for (const TexelLayer& layer : layers) {
        const int side = layer.needed.resolution() / (layer.upsamples ? 2 : 1);
        network::TexelMask whole(side);
        for (int i = 0; i < side * side; ++i) whole.set(i / side, i % side);
        network::Packed packed, reverse;
        const network::Convolution convolution =
            network::pack_convolution(layer.weight, layer.bias, layer.upsamples, packed, reverse);
        const auto index = static_cast<std::int32_t>(&layer - layers.data());
        plan.add(convolution, packed, {TexelPlaces(whole), layer.first}, {TexelPlaces(layer.needed), output}, index);
        output += width_of(layer);
    }
    return plan;
}

}  // namespace

std::vector<std::string> product_shapes() {
    return names_of(all_product_shapes());
}
std::vector<std::string> texel_shapes() {
    return names_of(all_texel_shapes());
}

void product_in(int shape, const ProductPlan& plan, View<const float, 2> input, View<float, 2> output) {
    const DeviceScope scope;
    Machine machine;
    const ResidentProduct product(machine, plan);
    run_once(machine, input, output,
             [&](const Rows& rows) { all_product_shapes().at(shape).run(product, machine, rows); });
}

std::vector<std::vector<double>> product_milliseconds(const ProductPlan& plan, std::int64_t input_width,
                                                      std::int64_t num_frames, int repeats) {
    const DeviceScope scope;
    Machine machine;
    const ResidentProduct product(machine, plan);
    return milliseconds(machine, all_product_shapes(),
                        Rows{num_frames, nullptr, input_width, nullptr, plan.output_width}, repeats,
                        [&](const ProductShape& shape, const Rows& rows) { shape.run(product, machine, rows); });
}

std::int64_t texel_width(const std::vector<TexelLayer>& layers) {
    std::int64_t width = 0;
    for (const TexelLayer& layer : layers) width += width_of(layer);
    return width;
}

void texel_product_in(int shape, const std::vector<TexelLayer>& layers, View<const float, 2> detail,
                      View<const float, 2> input, View<float, 2> output) {
    const DeviceScope scope;
    Machine machine;
    const TexelPlan plan = plan_of(layers);
    const ResidentConvolution layer(machine, plan);
    Buffer<float> factors;
    machine.upload(detail.data(), detail.size(), factors);
    const Detail of = detail.size() == 0 ? Detail{} : Detail{factors.data(), detail.extent(1)};
    run_once(machine, input, output,
             [&](const Rows& rows) { all_texel_shapes().at(shape).run(layer, machine, of, rows); });
}

std::vector<std::vector<double>> texel_milliseconds(const std::vector<TexelLayer>& layers, std::int64_t input_width,
                                                    std::int64_t num_frames, int repeats) {
    const DeviceScope scope;
    Machine machine;
    const TexelPlan plan = plan_of(layers);
    const ResidentConvolution layer(machine, plan);
    return milliseconds(machine, all_texel_shapes(),
                        Rows{num_frames, nullptr, input_width, nullptr, texel_width(layers)}, repeats,
                        [&](const TexelShape& shape, const Rows& rows) { shape.run(layer, machine, {}, rows); });
}

}  // namespace rigcast::cuda
