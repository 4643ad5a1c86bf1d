#include "bind_operations.h"
#include "bindings/convert/errors.h"

PYBIND11_MODULE(_cuda_operations, module) {
    pybind11::register_local_exception_translator(&rigcast::bindings::translate);
    rigcast::bindings::bind_cuda_operations(module);
    rigcast::bindings::bind_cuda_tiles(module);
}
