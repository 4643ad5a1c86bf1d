// Views of a build with RIGCAST_CHECK_INDICES throw at a bad index and at no good one. Links nothing of the engine,
// whose views may be compiled without the checks.
#ifndef RIGCAST_CHECK_INDICES
#define RIGCAST_CHECK_INDICES
#endif
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "rigcast/core/view.h"

namespace {

using rigcast::View;

/// Returns 0 if the call throws what names axis, index and extent; 1 if it throws something else or nothing.
template <class Call>
int refuses(const char* text, const Call& call) {
    std::string said = "nothing was thrown";
    try {
        call();
    } catch (const std::out_of_range& error) {
        said = error.what();
    }
    if (said == text) return 0;
    std::printf("expected: %s; got: %s\n", text, said.c_str());
    return 1;
}

int check_good() {
    const float numbers[6] = {0, 1, 2, 3, 4, 5};
    const View<const float, 2> view(numbers, {2, 3});
    const View<const float, 2> empty(nullptr, {0, 3});
    int wrong = 0;
    for (int i = 0; i < 2; ++i) {
        for (std::int64_t j = 0; j < 3; ++j) wrong += view(i, j) != static_cast<float>(3 * i + j);
    }
    wrong += view.row(1) != numbers + 3;
    wrong += view.row(2) != view.end();  // an end pointer
    wrong += empty.row(0) != nullptr;
    return wrong;
}

int check_bad() {
    float numbers[6] = {};
    const View<float, 2> view(numbers, {2, 3});
    const View<float, 2> empty(numbers, {0, 3});
    return refuses("index 2 of axis 0 is outside of the extent 2", [&] { view(2, 0) = 1.0f; }) +
           refuses("index 3 of axis 1 is outside of the extent 3", [&] { view(0, std::uint8_t{3}) = 1.0f; }) +
           refuses("index -1 of axis 1 is outside of the extent 3", [&] { view(1, -1) = 1.0f; }) +
           refuses("index 0 of axis 0 is outside of the extent 0", [&] { empty(0, 0) = 1.0f; }) +
           refuses("index 3 of axis 0 is outside of the extent 2", [&] { view.row(3); }) +
           refuses("index -1 of axis 0 is outside of the extent 2", [&] { view.row(-1); });
}

/// A constant expression still, as long as its indices are good.
constexpr int table[4] = {1, 2, 3, 4};
static_assert(View<const int, 2>(table, {2, 2})(1, 0) == 3);

}  // namespace

int main() {
    const int wrong = check_good() + check_bad();
    std::printf("indices of views: %d faults\n", wrong);
    return wrong == 0 ? 0 : 1;
}
