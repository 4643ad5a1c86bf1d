// Vertex frames own what they need: the faces that they were made of may change or go.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "rigcast/mesh/vertex_frames.h"

int main() {
    const std::vector<float> points{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    std::vector<std::int32_t> corners{0, 1, 2, 3};
    const rigcast::mesh::VertexFrames frames({corners.data(), {1, 4}}, {points.data(), {4, 3}});
    std::fill(corners.begin(), corners.end(), 0);
    std::vector<float> normals(12), written(36);
    frames.evaluate(points.data(), normals.data(), written.data());
    for (int k = 0; k < 4; ++k) {
        if (std::abs(written[9 * k + 8] - 1.0f) > 1e-6f) return std::printf("vertex %d has no frame\n", k), 1;
    }
    return std::puts("all frames stand upright"), 0;
}
