// The same models on two machines, or two instruction sets of one: check_machines write FOLDER writes small models of
// every kind, bodies of every storage among them, and poses; write-large FOLDER models of a whole character, on a
// sheet; evaluate FOLDER FILE writes their vertices and gradients to FILE; agree FOLDER FILE compares them with FILE,
// within rounding of float32.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "random_model.h"
#include "rigcast/body/body_model.h"
#include "rigcast/core/error.h"
#include "rigcast/core/instruction_set.h"
#include "rigcast/registry/make_model.h"

namespace {

using namespace rigcast;
namespace fs = std::filesystem;

constexpr int num_frames = 13;  // more than the rows of a register tile, and some left over
constexpr int character_vertices = 14000, character_row = 125;
constexpr float tolerance = 2e-5f;  // of the largest number: sums of a few hundred terms in another order

void write_numbers(const fs::path& path, const std::vector<float>& numbers) {
    std::ofstream stream(path, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(numbers.data()),
                 static_cast<std::streamsize>(numbers.size() * sizeof(float)));
}

std::vector<float> read_numbers(const fs::path& path) {
    std::vector<float> numbers(fs::file_size(path) / sizeof(float));
    std::ifstream stream(path, std::ios::binary);
    stream.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(numbers.size() * sizeof(float)));
    return numbers;
}

std::shared_ptr<rig::Deformer> load(const fs::path& path) {
    return make_model(std::make_shared<const TensorFile>(TensorFile::read(path.string())));
}

/// The first `columns` numbers of each pose.
std::vector<float> cut(const std::vector<float>& poses, std::int64_t columns) {
    const std::int64_t width = static_cast<std::int64_t>(poses.size()) / num_frames;
    std::vector<float> rows;
    for (int t = 0; t < num_frames; ++t) {
        rows.insert(rows.end(), poses.begin() + t * width, poses.begin() + t * width + std::min(columns, width));
    }
    return rows;
}

int write(const fs::path& folder, int vertices, int row) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    const checks::Sizes sizes{.vertices = vertices, .hidden = 70, .components = 19, .row = row};
    write_numbers(folder / "poses.f32", checks::random_poses(sizes, num_frames, 1));
    for (const std::string& kind : model_kinds()) {
        for (int seed = 0; seed < 2; ++seed) {
            const std::string name = kind + std::to_string(seed) + ".safetensors";
            checks::random_model(kind, sizes, seed).write((folder / name).string());
        }
    }
    const std::vector<float> poses = read_numbers(folder / "poses.f32");
    const auto file = std::make_shared<const TensorFile>(checks::random_model("body", sizes, 0));
    const body::BodyModel body(file);
    const std::int64_t columns = body.character().num_controls();
    const std::vector<float> rows = cut(poses, columns);
    body.stored("16-bit")->save((folder / "body16.safetensors").string());
    body.stored_int8({rows.data(), {num_frames, columns}}, 1.0)->save((folder / "body8.safetensors").string());
    return 0;
}

/// The files of a folder, in an order of their own.
std::vector<fs::path> models_of(const fs::path& folder) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".safetensors") paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

/// The vertices of all models, and the gradients of those that have any, each divided by its largest magnitude.
std::vector<float> evaluate(const fs::path& folder) {
    std::vector<float> all;
    const std::vector<float> poses = read_numbers(folder / "poses.f32");
    const auto append = [&](const std::vector<float>& numbers) {
        float largest = 1e-30f;
        for (const float x : numbers) largest = std::max(largest, std::abs(x));
        for (const float x : numbers) all.push_back(x / largest);
    };
    for (const fs::path& path : models_of(folder)) {
        const std::shared_ptr<rig::Deformer> model = load(path);
        const std::int64_t columns = model->character().num_controls(), count = model->character().num_vertices();
        const std::vector<float> rows = cut(poses, columns);
        const View<const float, 2> in(rows.data(), {num_frames, columns});
        std::vector<float> vertices(static_cast<std::size_t>(num_frames * count * 3)), gradient(rows.size());
        model->evaluate(in, {vertices.data(), {num_frames, count, 3}}, 1);
        append(vertices);
        if (!checks::has_derivatives(*model)) continue;
        std::fill(vertices.begin(), vertices.end(), 1.0f);
        model->vjp(in, {vertices.data(), {num_frames, count, 3}}, {gradient.data(), {num_frames, columns}}, 1);
        append(gradient);
    }
    return all;
}

int compare(const std::vector<float>& a, const std::vector<float>& b) {
    if (a.empty() || a.size() != b.size()) return std::puts("other numbers of vertices"), 1;
    float largest = 0.0f;
    bool near = true;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
        near = near && std::abs(a[i] - b[i]) <= tolerance;  // false for NaN
    }
    std::printf("%zu numbers, largest difference %.1e of the largest number of a model\n", a.size(),
                static_cast<double>(largest));
    return near ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string task = count > 1 ? arguments[1] : "";
    if (task == "write" && count == 3) return write(arguments[2], checks::Sizes{}.vertices, 0);
    if (task == "write-large" && count == 3) return write(arguments[2], character_vertices, character_row);
    if (count != 4 || (task != "evaluate" && task != "agree")) {
        return std::puts("usage: check_machines write|write-large FOLDER | evaluate|agree FOLDER FILE"), 2;
    }
    try {
        std::printf("%s: ", instruction_set().c_str());
    } catch (const ArgumentError& error) {
        std::printf("%s\n", error.what());
        return 77;  // this processor lacks it: skipped
    }
    const std::vector<float> numbers = evaluate(arguments[2]);
    if (task == "agree") return compare(numbers, read_numbers(arguments[3]));
    write_numbers(arguments[3], numbers);
    return std::printf("%zu numbers\n", numbers.size()), 0;
}
