// The libFuzzer target of latent spaces in files: any bytes are refused with an ArgumentError or a NumericalError, or
// make a space in which a particle is stepped. Damage follows the file's structure half of the time.
#include <algorithm>
#include <cstring>
#include <random>

#include "mutation.h"
#include "synthesis_reader.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rigcast::checks::read_synthesis({reinterpret_cast<const std::byte*>(data), size});
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
    if (seed % 2 == 0 && size > 1) return LLVMFuzzerMutate(data, size, most);
    std::mt19937_64 random(seed);
    const std::byte* begin = reinterpret_cast<const std::byte*>(data);
    rigcast::checks::Bytes bytes(begin, begin + size);
    if (size <= 1) {  // the empty corpus: a good file to damage
        bytes = rigcast::checks::synthesis_file(9, seed % 4 < 2 ? 0 : 3, seed);
    } else {
        rigcast::checks::mutate(bytes, random);
    }
    bytes.resize(std::min(bytes.size(), most));
    if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
    return bytes.size();
}
