#pragma once
#include <array>

#include "rigcast/face/maps/map_segments.h"

namespace rigcast::face {

/// Frames that share one pass over a segment's dense layers. More reuse their weights, fewer keep offsets cached.
/// Chosen, not tuned.
constexpr int frames_per_batch = 8;

/// Floats of working memory that run_segment needs for `frames` frames.
std::size_t segment_memory(const MapSegment& segment, int frames);

/// The offsets of a segment for some frames.
struct SegmentOffsets {
    Rows<float> row;                         // (frames, 4 M)
    std::array<int, frames_per_batch> of{};  // the row of each frame; unset if it leaves the segment out
};

/// Writes the offsets of a segment for the frames whose `detail` is not 0; a null `detail` stands for 1. Frames whose
/// inputs equal those of the frame before have the same row: its map is drawn once. `memory` is segment_memory floats.
/// `next` (or null) is the segment that is run next: its constants are loaded while maps are drawn.
void run_segment(const MapSegment& segment, const MapSegment* next, const Packed& packed, Rows<const float> poses,
                 Rows<const float> detail, int frames, SegmentOffsets& offsets, float* memory);

}  // namespace rigcast::face
