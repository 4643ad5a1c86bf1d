#pragma once
#include <cstdint>

namespace rigcast::linalg {

/// The sum of `count` numbers by pairwise summation (Higham 1993, "The accuracy of floating point summation"): the
/// error grows with log(count). Blocks of up to 128 numbers are added in eight interleaved sums, as NumPy does it: the
/// same bytes as numpy.sum along a contiguous axis.
inline double pairwise_sum(const double* numbers, std::int64_t count) {
    constexpr std::int64_t lanes = 8;
    constexpr std::int64_t most = 128;
    double sum = 0.0;
    if (count < lanes) {
        for (std::int64_t i = 0; i < count; ++i) sum += numbers[i];
        return sum;
    }
    if (count > most) {
        const std::int64_t half = count / 2 - count / 2 % lanes;
        return pairwise_sum(numbers, half) + pairwise_sum(numbers + half, count - half);
    }
    double r[lanes];
    for (std::int64_t j = 0; j < lanes; ++j) r[j] = numbers[j];
    std::int64_t i = lanes;
    for (; i + lanes <= count; i += lanes) {
        for (std::int64_t j = 0; j < lanes; ++j) r[j] += numbers[i + j];
    }
    sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < count; ++i) sum += numbers[i];
    return sum;
}

}  // namespace rigcast::linalg
