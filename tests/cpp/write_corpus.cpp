// write_corpus FOLDER: small models of every kind, for the fuzz target to begin with.
#include <cstdio>
#include <filesystem>

#include "random_model.h"
#include "registry/make_model.h"

int main(int count, char** arguments) {
    using namespace rigwright::checks;
    if (count != 2) return std::puts("usage: write_corpus FOLDER"), 2;
    const std::filesystem::path folder = arguments[1];
    std::filesystem::create_directories(folder);
    for (const std::string& kind : rigwright::model_kinds()) {
        for (int seed = 0; seed < 3; ++seed) {
            const Sizes sizes{.joints = 2 + seed, .vertices = 6 + 3 * seed, .sets = 3, .hidden = 3, .components = 2};
            random_model(kind, sizes, seed).write((folder / (kind + std::to_string(seed))).string());
        }
    }
    return 0;
}
