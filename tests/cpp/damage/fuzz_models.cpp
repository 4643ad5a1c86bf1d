// The libFuzzer target of the model reader: any bytes are refused with an ArgumentError or make a model that
// evaluates. Damage follows the file's structure half of the time.
#include <cstring>
#include <random>

#include "model_reader.h"
#include "mutation.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rigcast::checks::read_model({reinterpret_cast<const std::byte*>(data), size});
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
    if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
    std::mt19937_64 random(seed);
    const std::byte* begin = reinterpret_cast<const std::byte*>(data);
    rigcast::checks::Bytes bytes(begin, begin + size);
    rigcast::checks::mutate(bytes, random);
    if (bytes.size() > most) bytes.resize(most);
    if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
    return bytes.size();
}
