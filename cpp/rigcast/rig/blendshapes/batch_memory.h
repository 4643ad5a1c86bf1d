#pragma once
#include <algorithm>
#include <cstdint>

#include "rigcast/core/scratch.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"
#include "rigcast/rig/blendshapes/kernels.h"

/// The working memory of BlendshapeRig::evaluate_batch, in a thread's scratch. For evaluate.cpp alone.
namespace rigcast::rig {

constexpr std::int64_t coordinates_per_window = 3 * GroupedColumns::vertices_per_window;

/// Splits a thread's scratch memory into arrays, each on cache lines of its own.
class ScratchArrays {
public:
    /// Floats that an array of `count` elements takes.
    template <class T>
    static std::size_t floats(std::int64_t count) {
        return Scratch::padded((static_cast<std::size_t>(count) * sizeof(T) + sizeof(float) - 1) / sizeof(float));
    }
    explicit ScratchArrays(std::size_t floats) : memory_(floats), next_(memory_.data()) {}

    template <class T>
    T* next(std::int64_t count) {
        T* array = reinterpret_cast<T*>(next_);
        next_ += floats<T>(count);
        return array;
    }

private:
    Scratch::Lease<float> memory_;
    float* next_;
};

/// Working memory of both ways to evaluate a part.
struct BlendshapeRig::Lists {
    static std::size_t floats(const BlendshapeRig& rig) {
        const std::int64_t rows = rig.grouped_.row_list_size();
        return ScratchArrays::floats<std::int64_t>(rows) + ScratchArrays::floats<std::int32_t>(rows) +
               ScratchArrays::floats<std::int32_t>(rig.num_shapes());
    }

    Lists(const BlendshapeRig& rig, const Batch& batch, ScratchArrays& arrays)
        : row_begin(arrays.next<std::int64_t>(rig.grouped_.row_list_size())),
          row_column(arrays.next<std::int32_t>(rig.grouped_.row_list_size())),
          rank(arrays.next<std::int32_t>(rig.num_shapes())) {
        if (batch.prefix == nullptr) return;
        for (std::int64_t k = 0; k < rig.num_shapes(); ++k) {
            rank[batch.prefix->order(k)] = static_cast<std::int32_t>(k);
        }
    }

    std::int64_t* row_begin;  // for GroupRows
    std::int32_t* row_column;
    std::int32_t* rank;  // (K) position of each shape in the prefix's order; unset without a prefix
};

/// Working memory of evaluate_in_lanes. Frames are padded to whole vectors and cut into kernel calls of at most
/// max_frames_per_call; each call has an activation matrix and a sum matrix of its own, one call's after the other's.
struct BlendshapeRig::LaneMemory {
    LaneMemory(const BlendshapeRig& rig, const Batch& batch, std::int64_t num_frames)
        : num_columns(rig.num_columns()),
          padded_frames(padded(num_frames)),
          num_values(rig.grouped_.is_int16() ? rig.grouped_.max_values_per_group() : 0),
          arrays(ScratchArrays::floats<float>(num_columns * padded_frames) + ScratchArrays::floats<float>(num_columns) +
                 ScratchArrays::floats<float>(coordinates_per_window * padded_frames) +
                 ScratchArrays::floats<float>(num_values) +
                 ScratchArrays::floats<std::uint32_t>(rig.grouped_.num_words()) + Lists::floats(rig)),
          activations(arrays.next<float>(num_columns * padded_frames)),
          frame_activations(arrays.next<float>(num_columns)),
          sums(arrays.next<float>(coordinates_per_window * padded_frames)),
          values(arrays.next<float>(num_values)),
          used(arrays.next<std::uint32_t>(rig.grouped_.num_words())),
          lists(rig, batch, arrays) {
        std::fill_n(used, rig.grouped_.num_words(), 0u);
        std::fill_n(activations, num_columns * padded_frames, 0.0f);
    }

    static std::int64_t padded(std::int64_t num_frames) {
        const std::int64_t lanes = blendshape_kernels().lanes;
        return (num_frames + lanes - 1) / lanes * lanes;
    }

    /// Calls body(first frame, frames, activations, sums) for each kernel call.
    template <class Body>
    void for_calls(const Body& body) const {
        const std::int64_t most = blendshape_kernels().max_frames_per_call;
        for (std::int64_t first = 0; first < padded_frames; first += most) {
            body(first, std::min(most, padded_frames - first), activations + num_columns * first,
                 sums + coordinates_per_window * first);
        }
    }

    /// Copies frame_activations to the lane of frame t.
    void store_frame(std::int64_t t) const {
        const std::int64_t most = blendshape_kernels().max_frames_per_call;
        const std::int64_t first = t / most * most;
        const std::int64_t frames = std::min(most, padded_frames - first);
        float* lane = activations + num_columns * first + (t - first);
        for (std::int64_t n = 0; n < num_columns; ++n) lane[n * frames] = frame_activations[n];
    }

    std::int64_t num_columns;
    std::int64_t padded_frames;
    std::int64_t num_values;
    ScratchArrays arrays;
    float* activations;        // (N, frames) per kernel call
    float* frame_activations;  // (N) of one frame
    float* sums;               // (coordinates_per_window, frames) per kernel call
    float* values;             // (num_values) of one group, converted from int16
    std::uint32_t* used;       // set of the columns that some frame uses
    Lists lists;
};

/// Working memory of evaluate_serially.
struct BlendshapeRig::SerialMemory {
    SerialMemory(const BlendshapeRig& rig, const Batch& batch, std::int64_t num_frames)
        : arrays(ScratchArrays::floats<float>(num_frames * rig.num_columns()) +
                 ScratchArrays::floats<std::uint32_t>(num_frames * rig.grouped_.num_words()) + Lists::floats(rig)),
          activations(arrays.next<float>(num_frames * rig.num_columns())),
          used(arrays.next<std::uint32_t>(num_frames * rig.grouped_.num_words())),
          lists(rig, batch, arrays) {
        std::fill_n(used, num_frames * rig.grouped_.num_words(), 0u);
    }

    ScratchArrays arrays;
    float* activations;   // (frames, N)
    std::uint32_t* used;  // (frames, words): the columns that each frame uses
    Lists lists;
};

}  // namespace rigcast::rig
