// The vectorised tanh against double precision, in units in the last place, over every 37th float32.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "rigcast/core/error.h"
#include "rigcast/core/instruction_set.h"
#include "rigcast/network/dense.h"

namespace {

/// Distance of y to the exact value in units in the last place of the exact value.
double error_of(float y, double exact) {
    const float nearest = static_cast<float>(exact);
    const double unit = std::nextafter(std::abs(nearest), 2.0f) - static_cast<double>(std::abs(nearest));
    return std::abs(y - exact) / unit;
}

}  // namespace

int main() {
    try {
        std::printf("%s: ", rigcast::instruction_set().c_str());
    } catch (const rigcast::ArgumentError& error) {
        std::printf("%s\n", error.what());
        return 77;  // this processor lacks it: skipped
    }
    const float limit = std::numeric_limits<float>::infinity();
    double worst = 0.0;
    float where = 0.0f;
    bool odd = true;
    for (std::uint32_t bits = 0; bits <= std::bit_cast<std::uint32_t>(limit);) {
        std::vector<float> x, y(1000), negative(1000);
        for (; x.size() < 1000; bits += 37) x.push_back(std::bit_cast<float>(std::min(bits, 0x7f800000u)));
        rigcast::network::tanh(x.data(), y.data(), x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double error = error_of(y[i], std::tanh(static_cast<double>(x[i])));
            if (error > worst) worst = error, where = x[i];
        }
        for (float& value : x) value = -value;
        rigcast::network::tanh(x.data(), negative.data(), x.size());
        for (std::size_t i = 0; i < x.size(); ++i) odd = odd && negative[i] == -y[i];
    }
    std::vector<float> invalid(37, std::numeric_limits<float>::quiet_NaN());
    rigcast::network::tanh(invalid.data(), invalid.data(), invalid.size());
    const bool stays = std::all_of(invalid.begin(), invalid.end(), [](float y) { return std::isnan(y); });
    std::printf("largest error of tanh %.3f units in the last place, at %g; odd: %s; NaN stays: %s\n", worst, where,
                odd ? "yes" : "no", stays ? "yes" : "no");
    return worst <= 1.5 && odd && stays ? 0 : 1;
}
