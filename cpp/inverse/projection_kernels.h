#pragma once
#include <cstdint>

namespace rigwright::inverse {

/// out (rows, 16) = targets (rows, length; rows `stride` apart) times panel (length, 16), summed in double.
using PanelProduct = void (*)(const double* targets, std::int64_t stride, std::int64_t rows, const float* panel,
                              std::int64_t length, double* out);

/// That of the instruction set that this process uses.
PanelProduct panel_product();

}  // namespace rigwright::inverse
