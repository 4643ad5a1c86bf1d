#pragma once
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace rigcast::checks {

using Bytes = std::vector<std::byte>;

/// Damages a model file somewhere: a byte, a run of bytes, a number or a name in the header (whose length stays
/// true), an element of the data, its length. Half of the damage keeps the file readable far enough to reach the
/// construction of the model.
void mutate(Bytes& bytes, std::mt19937_64& random);

}  // namespace rigcast::checks
