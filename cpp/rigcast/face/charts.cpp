#include "rigcast/face/charts.h"

#include "rigcast/core/check.h"
#include "rigcast/face/disk.h"
#include "rigcast/face/minimum_stretch.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::face {
namespace {

constexpr const char* chart_uvs_name = "chart_uvs";

/// Places the first copies of vertices that have no place yet; marks faces with corners at other copies.
void place(const Disk& disk, const std::vector<double>& layout, std::int32_t number, Charts* charts) {
    std::vector<bool> used(disk.vertex.size(), false);
    for (std::size_t d = 0; d < disk.vertex.size() && !layout.empty(); ++d) {
        const std::int32_t v = disk.vertex[d];
        if (v < 0 || charts->chart[v] >= 0) continue;
        used[d] = true;
        charts->chart[v] = number;
        for (int axis = 0; axis < 2; ++axis) charts->uvs[2 * v + axis] = layout[2 * d + axis];
    }
    for (std::int64_t t = 0; t < disk.num_triangles; ++t) {
        for (const std::int32_t d : disk.triangles[t]) {
            if (!used[d]) charts->whole[disk.faces[t]] = false;
        }
    }
}

}  // namespace

Charts chart_uvs(View<const float, 2> points, View<const std::int32_t, 2> faces) {
    check_shape<const float, 2>(chart_uvs_name, "rest_vertices", points, {-1, 3});
    check_finite(chart_uvs_name, "rest_vertices", points);
    mesh::check_faces(chart_uvs_name, faces, points.extent(0));
    const auto count = static_cast<std::size_t>(points.extent(0));
    Charts charts{std::vector<double>(2 * count, 0.5),
                  std::vector<std::int32_t>(count, -1),
                  std::vector<bool>(faces.extent(0), true),
                  {}};
    for (const Disk& disk : cut_to_disks(points, faces)) {
        const std::vector<double> layout = minimum_stretch(disk);
        place(disk, layout, static_cast<std::int32_t>(charts.charts.size()), &charts);
        charts.charts.push_back({layout.empty() ? 0.0 : stretch(disk, layout), disk.num_cut, disk.num_holes});
    }
    return charts;
}

}  // namespace rigcast::face
