#include "rigcast/core/error.h"
#include "rigcast/cuda/libraries/libraries.h"

namespace rigcast::cuda {

std::unique_ptr<Libraries> make_libraries(Machine&) {
    throw bad_argument("resident", "libraries", "chosen in a build without cuBLAS and cuSPARSE",
                       "left out, or the build made with RIGCAST_CUDA_LIBRARIES=ON");
}

std::string describe_libraries() {
    return "not built in (switched off when building)";
}

}  // namespace rigcast::cuda
