#pragma once
#include "bindings/convert/arrays.h"
#include "rigcast/core/check.h"
#include "rigcast/optimize/products/shot.h"

namespace rigcast::bindings {

/// Converts the five arrays of a shot's terms, projections (T, N), linear, quadratic, lower and upper (T, K), and keeps
/// them alive. Throws ArgumentError on other shapes or numbers that are not finite.
struct ShotArrays {
    Array<double> projections;
    Array<double> linear;
    Array<double> quadratic;
    Array<double> lower;
    Array<double> upper;
    optimize::Shot shot{};

    ShotArrays(const char* function, std::int64_t num_variables, std::int64_t num_columns, const py::tuple& terms) {
        if (terms.size() != 5) throw bad_argument(function, "terms", "not five arrays", "five arrays");
        Array<double>* all[] = {&projections, &linear, &quadratic, &lower, &upper};
        constexpr const char* names[] = {"projections", "linear", "quadratic", "lower", "upper"};
        for (int i = 0; i < 5; ++i) {
            *all[i] = as_array<double, 2>(function, names[i], terms[i], "numbers (T, N) or (T, K)");
            const std::int64_t width = i == 0 ? num_columns : num_variables;
            check_shape<const double, 2>(function, names[i], view<double, 2>(*all[i]), {projections.shape(0), width});
            check_finite(function, names[i], view<double, 2>(*all[i]));
        }
        shot.projections = view<double, 2>(projections);
        shot.linear = view<double, 2>(linear);
        shot.quadratic = view<double, 2>(quadratic);
        shot.lower = view<double, 2>(lower);
        shot.upper = view<double, 2>(upper);
    }
};

}  // namespace rigcast::bindings
