#include "rigwright/core/error.h"
#include "rigwright/cuda/libraries/libraries.h"

namespace rigwright::cuda {

std::unique_ptr<Libraries> make_libraries(Machine&) {
    throw bad_argument("resident", "libraries", "chosen in a build without cuBLAS and cuSPARSE",
                       "left out, or the build made with RIGWRIGHT_CUDA_LIBRARIES=ON");
}

std::string describe_libraries() {
    return "not built in (switched off when building)";
}

}  // namespace rigwright::cuda
