#include "rigcast/linalg/sparse/factorization.h"

namespace rigcast::linalg {

const Backend* cholmod_backend() {
    return nullptr;
}

}  // namespace rigcast::linalg
