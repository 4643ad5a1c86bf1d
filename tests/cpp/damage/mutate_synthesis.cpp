// mutate_synthesis COUNT [SEED]: damages COUNT files of latent spaces and plays in each. A crash, a sanitizer's report
// or any exception but ArgumentError and NumericalError ends it.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "mutation.h"
#include "synthesis_reader.h"

int main(int count, char** arguments) {
    using namespace rigcast::checks;
    const long files = count > 1 ? std::atol(arguments[1]) : 1000;
    std::mt19937_64 random(count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 0);
    const std::vector<Bytes> good = {synthesis_file(9, 0, 1), synthesis_file(17, 4, 2), synthesis_file(1, 1, 3)};
    for (const Bytes& bytes : good) {
        if (!read_synthesis(bytes)) return std::puts("an undamaged file is refused"), 1;
    }
    long read = 0;
    for (long i = 0; i < files; ++i) {
        Bytes bytes = good[static_cast<std::size_t>(i) % good.size()];
        mutate(bytes, random);
        read += read_synthesis(bytes);
    }
    std::printf("%ld damaged latent spaces: %ld refused, %ld read and played, no crash\n", files, files - read, read);
    return 0;
}
