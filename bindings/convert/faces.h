#pragma once
#include <cstdint>
#include <limits>

#include "bindings/convert/arrays.h"

namespace rigcast::bindings {

/// Converts faces (F, 3) or (F, 4) of any integer type to (F, 4) int32, with -1 in the last column of triangles. Does
/// not check that indices are below the number of vertices.
inline Array<std::int32_t> as_faces(const char* function, const py::handle& object) {
    const auto given = as_array<std::int64_t, 2>(function, "faces", object, "integers (F, 3) or (F, 4)");
    const py::ssize_t corners = given.shape(1);
    if (corners != 3 && corners != 4) {
        throw bad_argument(function, "faces", describe(given), "integers (F, 3) or (F, 4)");
    }
    Array<std::int32_t> faces({given.shape(0), py::ssize_t{4}});
    for (py::ssize_t f = 0; f < given.shape(0); ++f) {
        std::int32_t* out = faces.mutable_data(f);
        out[3] = -1;
        for (py::ssize_t c = 0; c < corners; ++c) {
            const std::int64_t v = given.at(f, c);
            if (v < -1 || v > std::numeric_limits<std::int32_t>::max()) {
                throw bad_argument(function, "faces", std::to_string(v) + " in face " + std::to_string(f),
                                   "a vertex index");
            }
            out[c] = static_cast<std::int32_t>(v);
        }
    }
    return faces;
}

}  // namespace rigcast::bindings
