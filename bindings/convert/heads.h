#pragma once
#include "bindings/convert/arrays.h"
#include "rigcast/crowd/clips.h"

namespace rigcast::bindings {

/// The heads of a call, one value each.
struct HeadArrays {
    HeadArrays(const char* function, const ArrayLike& clips, const ArrayLike& frames, const ArrayLike& prefixes)
        : clip(as_indices(function, "clip", clips)),
          frame(as_array<double, 1>(function, "frame", frames, "numbers (H,)")),
          prefix(as_indices(function, "prefix", prefixes)) {}

    crowd::Heads heads() const {
        return {view<std::int32_t, 1>(clip), view<double, 1>(frame), view<std::int32_t, 1>(prefix)};
    }

    Array<std::int32_t> clip;
    Array<double> frame;
    Array<std::int32_t> prefix;
};

}  // namespace rigcast::bindings
