// The 16-bit formats of network weights: every number of a format, rounding between them, errors, choice.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "rigcast/network/dense.h"

namespace {

using namespace rigcast;
using namespace rigcast::network;

int faults = 0;

void expect(bool good, const char* what) {
    if (good) return;
    ++faults;
    std::printf("wrong: %s\n", what);
}

struct Format {
    const char* name;
    std::uint16_t (*to)(float);
    float (*from)(std::uint16_t);
    int digits, smallest, bias;  // bits of the fraction, exponent of subnormals, bias of the exponent
    std::uint16_t infinity;
};

constexpr Format formats[] = {{"float16", to_float16, from_float16, 10, -14, 15, 0x7c00},
                              {"bfloat16", to_bfloat16, from_bfloat16, 7, -126, 127, 0x7f80}};

/// The positive number with these bits, by the definition of IEEE 754 formats.
double exact(const Format& format, std::uint16_t bits) {
    const int exponent = bits >> format.digits, fraction = bits & ((1 << format.digits) - 1);
    if (exponent == 0) return std::ldexp(fraction, format.smallest - format.digits);
    return std::ldexp((1 << format.digits) + fraction, exponent - format.bias - format.digits);
}

void check_numbers(const Format& format) {
    bool read = true, written = true, between = true, ties = true;
    for (std::uint16_t bits = 0; bits < format.infinity; ++bits) {
        const std::uint16_t next = static_cast<std::uint16_t>(bits + 1), sign = 0x8000;
        const float value = format.from(bits);
        read = read && value == exact(format, bits) && format.from(bits | sign) == -value;
        written = written && format.to(value) == bits && format.to(-value) == (bits | sign);
        const double above = exact(format, next);  // beyond the largest: 2^16 or 2^128, where infinity begins
        const double middle = (static_cast<double>(value) + above) / 2;
        const float tie = static_cast<float>(middle);
        if (tie != middle || std::isinf(tie)) continue;
        ties = ties && format.to(tie) == (bits % 2 == 0 ? bits : next);
        between = between && format.to(std::nextafter(tie, 0.0f)) == bits;
        between = between && format.to(std::nextafter(tie, std::numeric_limits<float>::infinity())) == next;
    }
    std::printf("%s\n", format.name);
    expect(read, "a number read");
    expect(written, "a number written");
    expect(between, "rounding to the nearest");
    expect(ties, "ties go to even bits");
    const float infinity = std::numeric_limits<float>::infinity();
    expect(format.to(infinity) == format.infinity && format.from(format.infinity) == infinity, "infinity");
    expect(format.to(std::numeric_limits<float>::max()) == format.infinity, "numbers beyond the range");
    expect(std::isnan(format.from(format.to(std::numeric_limits<float>::quiet_NaN()))), "NaN");
}

float error(const std::vector<float>& weight, Storage storage) {
    return storage_error({weight.data(), {1, static_cast<std::int64_t>(weight.size())}}, storage);
}
Storage chosen(const std::vector<float>& weight) {
    return choose_storage({weight.data(), {1, static_cast<std::int64_t>(weight.size())}});
}

void check_choice() {
    expect(error({1.0f, -0.1f}, Storage::float32) == 0.0f, "the error of float32");
    expect(error({1.0f, -0.1f}, Storage::float16) == std::abs(-0.1f - from_float16(to_float16(-0.1f))),
           "the error of float16");
    expect(std::isinf(error({1.0f, 70000.0f}, Storage::float16)), "the error beyond the range of float16");
    expect(chosen({1.0f, -0.1f, 1e-5f}) == Storage::float16, "ordinary weights are float16");
    expect(chosen({1.0f, 70000.0f}) == Storage::bfloat16, "large weights are bfloat16");
    expect(chosen({1e-9f, -3e-9f}) == Storage::bfloat16, "tiny weights are bfloat16");
    expect(chosen({0.0f, 1.0f}) == Storage::float16, "weights that both formats hold are float16");
    expect(chosen({3.4e38f, 1.0f}) == Storage::float32, "weights beyond both formats are float32");
}

void check_blocks() {
    const auto scale = [](float largest) { return block_scale(Storage::int8, largest); };
    expect(scale(127.0f) == 1.0f && scale(254.0f) == 2.0f, "the scale of a block that is just full");
    expect(scale(std::nextafter(127.0f, 128.0f)) == 2.0f, "the scale of a block beyond that");
    expect(block_scale(Storage::int16, 32767.0f) == 1.0f, "the scale of a full block of int16");
    expect(block_scale(Storage::int16, 32768.0f) == 2.0f, "the scale of a block beyond int16");
    expect(scale(0.0f) == 1.0f, "the scale of zeros");
    expect(scale(1e-30f) == 0x1p-60f, "the smallest scale");
    expect(scale(std::numeric_limits<float>::max()) == 0x1p122f, "the largest scale");
    expect(to_whole(127.0f, 1.0f) == 127 && to_whole(-0.75f, 0.5f) == -2 && to_whole(0.25f, 0.5f) == 0,
           "rounding to the nearest whole number, ties to even");
    const std::vector<float> good{1.0f, -2.0f}, bad{1.0f, std::numeric_limits<float>::infinity()};
    expect(fits_blocks({good.data(), {1, 2}}) && !fits_blocks({bad.data(), {1, 2}}), "what blocks hold");
}

void check_packed() {
    const std::vector<float> weight(64 * 30, 0.1f), bias(64);
    std::size_t bytes[2];
    for (const Storage storage : {Storage::float32, Storage::float16}) {
        Packed packed;
        const Dense layer =
            pack_dense({weight.data(), {64, 30}}, {bias.data(), {64}}, Activation::none, packed, storage);
        bytes[storage == Storage::float16] = packed.num_bytes();
        expect(layer.storage_error == error(weight, storage), "a layer states its error");
    }
    expect(bytes[0] == (30 + 1) * 64 * 4, "the bytes of a float32 layer");
    expect(bytes[1] == 30 * 64 * 2 + 64 * 4, "the bytes of a 16-bit layer");
}

}  // namespace

int main() {
    for (const Format& format : formats) check_numbers(format);
    check_choice();
    check_blocks();
    check_packed();
    std::printf("%d faults\n", faults);
    return faults == 0 ? 0 : 1;
}
