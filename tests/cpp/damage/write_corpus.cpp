// write_corpus FOLDER: for each kind of model a folder of small ones, restricted ones among them, and one whose
// metadata nest too deep, for the fuzz target to begin with. Prints the kinds.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "random_model.h"
#include "rigcast/registry/make_model.h"

namespace {

using Bytes = std::vector<std::byte>;

/// The same file with a version that is `depth` lists inside each other.
Bytes nested(const Bytes& model, std::size_t depth) {
    std::uint64_t size = 0;
    std::memcpy(&size, model.data(), sizeof(size));
    std::string header(reinterpret_cast<const char*>(model.data()) + sizeof(size), size);
    const std::string version = R"(\"version\": 1)";
    header.replace(header.find(version), version.size(),
                   R"(\"version\": )" + std::string(depth, '[') + std::string(depth, ']'));
    const std::uint64_t longer = header.size();
    Bytes bytes(sizeof(longer) + header.size());
    std::memcpy(bytes.data(), &longer, sizeof(longer));
    std::memcpy(bytes.data() + sizeof(longer), header.data(), header.size());
    bytes.insert(bytes.end(), model.begin() + static_cast<std::ptrdiff_t>(sizeof(size) + size), model.end());
    return bytes;
}

void write_bytes(const std::filesystem::path& path, const Bytes& bytes) {
    std::ofstream stream(path, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

int main(int count, char** arguments) {
    using namespace rigcast::checks;
    if (count != 2) return std::puts("usage: write_corpus FOLDER"), 2;
    const std::filesystem::path folder = arguments[1];
    for (const std::string& kind : rigcast::model_kinds()) {
        const std::filesystem::path own = folder / kind;
        std::filesystem::create_directories(own);
        for (int seed = 0; seed < 3; ++seed) {
            const Sizes sizes{.joints = 2 + seed, .vertices = 6 + 3 * seed, .sets = 3, .hidden = 3, .components = 2};
            rigcast::TensorFile file = random_model(kind, sizes, seed);
            file.write((own / std::to_string(seed)).string());
            const std::int32_t chosen[4] = {3, 0, 3, 1};
            const auto model = rigcast::make_model(std::make_shared<const rigcast::TensorFile>(std::move(file)));
            if (!has_derivatives(*model)) continue;
            model->restricted({chosen, {4}})->save((own / ("restricted" + std::to_string(seed))).string());
        }
        write_bytes(own / "nested", nested(random_model(kind, {}, 0).serialize(), 200000));
        std::puts(kind.c_str());
    }
    return 0;
}
