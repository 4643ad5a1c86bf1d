#pragma once
#include <algorithm>
#include <cstdint>

#include "rigcast/core/interruption.h"
#include "rigcast/core/view.h"

namespace rigcast::bindings {

/// Bytes of results between two checks for Ctrl-C: some hundredths of a second to some tenths, for any model.
inline constexpr std::int64_t piece_bytes = std::int64_t{1} << 25;

/// Some rows of a view along its first axis.
template <class T, int Rank>
View<T, Rank> some_rows(View<T, Rank> whole, std::int64_t begin, std::int64_t count) {
    auto extents = whole.extents();
    extents[0] = count;
    return View<T, Rank>(whole.row(begin), extents);
}

/// Frames that a piece has whose frames give so many bytes.
inline std::int64_t frames_of_piece(std::int64_t bytes_of_frame) {
    return std::max<std::int64_t>(64, piece_bytes / std::max<std::int64_t>(bytes_of_frame, 1));
}

/// Calls work(begin, count) for pieces of `frames`, and checks between them whether the call shall end. Frames do not
/// depend on each other, so bytes stay the same.
template <class Work>
void in_pieces(std::int64_t frames, std::int64_t bytes_of_frame, Work&& work) {
    const std::int64_t step = frames_of_piece(bytes_of_frame);
    for (std::int64_t begin = 0; begin < frames; begin += step) {
        if (begin > 0) check_interruption();
        work(begin, std::min(step, frames - begin));
    }
}

}  // namespace rigcast::bindings
