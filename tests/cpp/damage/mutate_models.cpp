// mutate_models COUNT [SEED]: damages COUNT model files of all kinds and reads each. A crash, a sanitizer's
// report or any exception but ArgumentError ends it.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "model_reader.h"
#include "mutation.h"
#include "random_model.h"
#include "rigcast/registry/make_model.h"

int main(int count, char** arguments) {
    using namespace rigcast::checks;
    const long files = count > 1 ? std::atol(arguments[1]) : 1000;
    std::mt19937_64 random(count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 0);
    const Sizes sizes{.joints = 3, .vertices = 12, .sets = 3, .hidden = 4, .components = 2};
    std::vector<Bytes> good;
    for (const std::string& kind : rigcast::model_kinds()) {
        for (const int seed : {1, 2}) good.push_back(random_model(kind, sizes, seed).serialize());
    }
    for (const Bytes& bytes : good) {
        if (!read_model(bytes)) return std::puts("an undamaged model is refused"), 1;
    }
    long read = 0;
    for (long i = 0; i < files; ++i) {
        Bytes bytes = good[static_cast<std::size_t>(i) % good.size()];
        mutate(bytes, random);
        read += read_model(bytes);
    }
    std::printf("%ld damaged model files: %ld refused, %ld read and evaluated, no crash\n", files, files - read, read);
    return 0;
}
