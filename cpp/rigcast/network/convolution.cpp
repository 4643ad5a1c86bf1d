#include "rigcast/network/convolution.h"

#include <algorithm>

namespace rigcast::network {
namespace {

constexpr int group = Map<float>::channels_per_vector;

/// One convolution's weights in double precision, with any number of rows and columns of taps.
class Taps {
public:
    Taps(int rows, int columns, int outputs, int inputs)
        : rows_(rows), columns_(columns), outputs_(outputs), inputs_(inputs) {
        value_.resize(static_cast<std::size_t>(rows) * columns * outputs * inputs);
    }
    double& at(int row, int column, int output, int input) {
        return value_[((std::size_t(row) * columns_ + column) * outputs_ + output) * inputs_ + input];
    }
    double at(int row, int column, int output, int input) const {
        return const_cast<Taps*>(this)->at(row, column, output, input);
    }
    int rows() const { return rows_; }
    int columns() const { return columns_; }
    int outputs() const { return outputs_; }
    int inputs() const { return inputs_; }

private:
    int rows_, columns_, outputs_, inputs_;
    std::vector<double> value_;
};

Taps taps_of(View<const float, 4> weight) {
    const int outputs = static_cast<int>(weight.extent(0)), inputs = static_cast<int>(weight.extent(1));
    Taps taps(3, 3, outputs, inputs);
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            for (int o = 0; o < outputs; ++o) {
                for (int i = 0; i < inputs; ++i) taps.at(row, column, o, i) = weight(o, i, row, column);
            }
        }
    }
    return taps;
}

/// The tap of the small map, 0 or 1, that tap 0, 1 or 2 of the upsampled map reads: at even places (parity 0) the
/// places p - 1, p, p + 1 are copies of texels p / 2 - 1, p / 2, p / 2; at odd ones of (p - 1) / 2 (twice) and the
/// next.
int small_tap(int parity, int tap) {
    return (tap + 1 - parity) / 2;
}

/// The 2 x 2 taps that texels of the given parities see: rows (2 parities x 2 taps), columns likewise.
Taps upsampling_taps(const Taps& taps) {
    Taps small(4, 4, taps.outputs(), taps.inputs());
    for (int place = 0; place < 4 * 9; ++place) {
        const int row_parity = place / 18, column_parity = place / 9 % 2, row = place % 9 / 3, column = place % 3;
        const int small_row = 2 * row_parity + small_tap(row_parity, row);
        const int small_column = 2 * column_parity + small_tap(column_parity, column);
        for (int o = 0; o < taps.outputs(); ++o) {
            for (int i = 0; i < taps.inputs(); ++i)
                small.at(small_row, small_column, o, i) += taps.at(row, column, o, i);
        }
    }
    return small;
}

/// The taps of the reverse of a 3 x 3 convolution: mirrored, inputs and outputs exchanged.
Taps reverse_taps(const Taps& taps) {
    Taps reverse(3, 3, taps.inputs(), taps.outputs());
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            for (int o = 0; o < taps.outputs(); ++o) {
                for (int i = 0; i < taps.inputs(); ++i) {
                    reverse.at(2 - row, 2 - column, i, o) = taps.at(row, column, o, i);
                }
            }
        }
    }
    return reverse;
}

/// The taps of the reverse of an upsampling: the small texel j gathers the gradients of texels 2 j - 1 to 2 j + 2,
/// which have parity 1, 0, 1, 0 and read texel j by tap 1, 1, 0, 0.
Taps reverse_upsampling_taps(const Taps& small) {
    constexpr int place[4] = {2 * 1 + 1, 2 * 0 + 1, 2 * 1 + 0, 2 * 0 + 0};
    Taps reverse(4, 4, small.inputs(), small.outputs());
    for (int row = 0; row < 4; ++row) {
        for (int column = 0; column < 4; ++column) {
            for (int o = 0; o < small.outputs(); ++o) {
                for (int i = 0; i < small.inputs(); ++i) {
                    reverse.at(row, column, i, o) = small.at(place[row], place[column], o, i);
                }
            }
        }
    }
    return reverse;
}

/// Packs taps group by group: rows, inputs, columns, 16 outputs.
std::size_t pack_taps(const Taps& taps, Packed& packed) {
    const int padded = padded_channels(taps.outputs());
    const std::size_t offset =
        packed.append(static_cast<std::size_t>(padded) * taps.rows() * taps.columns() * taps.inputs());
    float* out = packed.at(offset);
    for (int begin = 0; begin < padded; begin += group) {
        for (int row = 0; row < taps.rows(); ++row) {
            for (int i = 0; i < taps.inputs(); ++i) {
                for (int column = 0; column < taps.columns(); ++column, out += group) {
                    for (int o = 0; o < std::min(group, taps.outputs() - begin); ++o) {
                        out[o] = static_cast<float>(taps.at(row, column, begin + o, i));
                    }
                }
            }
        }
    }
    return offset;
}

}  // namespace

void clear_border(Map<float> map) {
    const std::int64_t row = map.floats_per_row();
    std::fill_n(map.data, row, 0.0f);
    std::fill_n(map.data + map.size() - row, row, 0.0f);
    for (int j = 0; j < map.resolution; ++j) {
        std::fill_n(map.texel(j, -1), map.stride, 0.0f);
        std::fill_n(map.texel(j, map.resolution), map.stride, 0.0f);
    }
}

Convolution pack_convolution(View<const float, 4> weight, View<const float, 1> bias, bool upsamples, Packed& packed,
                             Packed& reverse) {
    Convolution layer;
    layer.outputs = static_cast<int>(weight.extent(0));
    layer.inputs = static_cast<int>(weight.extent(1));
    layer.upsamples = upsamples;
    const Taps taps = upsamples ? upsampling_taps(taps_of(weight)) : taps_of(weight);
    layer.weight = pack_taps(taps, packed);
    layer.reverse = pack_taps(upsamples ? reverse_upsampling_taps(taps) : reverse_taps(taps), reverse);
    layer.bias = packed.append(static_cast<std::size_t>(padded_channels(layer.outputs)));
    std::copy(bias.begin(), bias.end(), packed.at(layer.bias));
    return layer;
}

}  // namespace rigcast::network
