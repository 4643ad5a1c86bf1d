#include "rigcast/face/maps/segment_frames.h"

#include <cstring>

namespace rigcast::face {

std::size_t segment_memory(const MapSegment& segment, int frames) {
    if (!segment.has_network()) return 0;
    network::SplitMemory split(nullptr);
    MapMemory(split, segment.network, static_cast<int>(segment.column.extent(0)), frames);
    return split.used();
}

void run_segment(const MapSegment& segment, const MapSegment* next, const Packed& packed, Rows<const float> poses,
                 Rows<const float> detail, int frames, SegmentOffsets& offsets, float* memory) {
    if (!segment.has_network()) return;
    network::SplitMemory split(memory);
    const int inputs = static_cast<int>(segment.column.extent(0));
    const MapMemory space(split, segment.network, inputs, frames);
    const bool fades = detail.data != nullptr && segment.refinement >= 0;
    int rows = 0;
    for (int t = 0; t < frames; ++t) {
        if (fades && detail.row(t)[segment.refinement] == 0.0f) continue;
        for (int i = 0; i < inputs; ++i) space.row[0].row(rows)[i] = poses.row(t)[segment.column(i)];
        const bool repeated =
            rows > 0 && std::memcmp(space.row[0].row(rows), space.row[0].row(rows - 1), inputs * sizeof(float)) == 0;
        offsets.of[t] = repeated ? rows - 1 : rows++;
    }
    run_dense(segment.network, packed, space, rows);
    for (int row = 0; row < rows; ++row) {
        const bool is_last = row + 1 == rows && next != nullptr && next->has_network();
        draw_maps(segment.network, packed, base_rows(segment.network, space).row(row), space,
                  is_last ? dense_constants(next->network, packed) : network::Ahead());
        sample_kernels().evaluate(segment.samples, packed, space.map[segment.network.num_maps() - 1], true,
                                  offsets.row.row(row));
    }
}

}  // namespace rigcast::face
