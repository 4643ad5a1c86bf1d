#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::synthesis {

/// Points (n, D), one after another, D at least 1.
struct Points {
    std::int64_t width = 1;
    std::vector<double> numbers;

    std::int64_t size() const { return std::ssize(numbers) / width; }
    const double* operator[](std::int64_t i) const { return numbers.data() + width * i; }
    double* operator[](std::int64_t i) { return numbers.data() + width * i; }
    void add(const double* point) { numbers.insert(numbers.end(), point, point + width); }
    /// Points begin to end - 1.
    Points slice(std::int64_t begin, std::int64_t end) const {
        return {width, std::vector<double>((*this)[begin], (*this)[end])};
    }
    /// One point `count` times.
    static Points repeated(const double* point, std::int64_t width, std::int64_t count) {
        Points points{width, {}};
        for (std::int64_t i = 0; i < count; ++i) points.add(point);
        return points;
    }
    View<const double, 2> view() const { return {numbers.data(), {size(), width}}; }
};

}  // namespace rigcast::synthesis
