// Shapes carried to another face by the installed library alone: a grid and the same grid, twice as large.
#include <cmath>
#include <cstdio>
#include <vector>

#include "rigcast/rigcast.h"

int main() {
    constexpr int n = 5;
    std::vector<float> source;
    std::vector<std::int32_t> faces;
    for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x) {
            source.insert(source.end(), {float(x), float(y), 0.0f});
            const int v = y * n + x;
            if (x + 1 < n && y + 1 < n) faces.insert(faces.end(), {v, v + 1, v + n + 1, v + n});
        }
    }
    std::vector<float> target(source);
    for (float& coordinate : target) coordinate *= 2.0f;
    std::vector<float> shape(source);
    shape[3 * (n * n / 2) + 2] = 0.5f;  // the vertex in the middle rises
    const std::vector<std::int32_t> fixed{0};
    const std::int64_t vertices = n * n;

    const rigcast::transfer::DeformationTransfer transfer(
        {source.data(), {vertices, 3}}, {target.data(), {vertices, 3}},
        {faces.data(), {static_cast<std::int64_t>(faces.size() / 4), 4}}, {fixed.data(), {1}}, {nullptr, {0, 2}}, 1.0);
    std::vector<float> made(shape.size());
    transfer.transfer({shape.data(), {1, vertices, 3}}, {made.data(), {1, vertices, 3}}, 1);

    for (std::size_t i = 0; i < made.size(); ++i) {
        if (std::abs(made[i] - 2.0f * shape[i]) < 1e-4f) continue;
        std::printf("coordinate %zu is %g; it must be %g\n", i, made[i], 2.0f * shape[i]);
        return 1;
    }
    return 0;
}
