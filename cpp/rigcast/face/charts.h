#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::face {

/// A mesh laid out in charts, each in a unit square of its own.
struct Charts {
    struct Chart {
        double stretch = 0.0;        // see `stretch` of minimum_stretch.h; 0 for a chart that could not be laid out
        std::int64_t num_cut = 0;    // edges that were cut open
        std::int64_t num_holes = 0;  // that were filled
    };
    std::vector<double> uvs;          // (V, 2), 1/2 for vertices of no chart
    std::vector<std::int32_t> chart;  // (V), -1 for vertices of no chart
    std::vector<bool> whole;          // (F) faces whose corners lie at their vertices' coordinates: not on a cut
    std::vector<Chart> charts;
};

/// Texture coordinates for a mesh without any: each piece is cut into a disk (disk.h) that is laid out with little
/// stretch (minimum_stretch.h). A vertex on a cut has the coordinates of its first copy.
/// Guarantee: the same bytes with every instruction set.
/// points (V, 3), faces (F, 4). Throws ArgumentError if a point is not finite or a face has an index out of range.
Charts chart_uvs(View<const float, 2> points, View<const std::int32_t, 2> faces);

}  // namespace rigcast::face
