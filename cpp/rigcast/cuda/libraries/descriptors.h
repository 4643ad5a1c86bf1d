#pragma once
#include <cublas_v2.h>
#include <cusparse.h>

#include <cstdint>
#include <string>

#include "rigcast/core/error.h"

/// Owners of the handles and descriptors of cuBLAS and cuSPARSE. Only nvidia.cu includes this.
namespace rigcast::cuda {

/// Throw CudaError with the library's own text if a call failed.
inline void check(cublasStatus_t status, const char* doing) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw CudaError(std::string("cuBLAS failed while ") + doing + ": " + cublasGetStatusString(status));
}
inline void check(cusparseStatus_t status, const char* doing) {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    throw CudaError(std::string("cuSPARSE failed while ") + doing + ": " + cusparseGetErrorString(status));
}

/// A handle that `destroy` frees; its errors have no consequence.
template <class Handle, auto destroy>
struct Owner {
    Owner() = default;
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    ~Owner() {
        if (value) destroy(value);
    }
    Handle value = nullptr;
};

using BlasHandle = Owner<cublasHandle_t, cublasDestroy>;
using SparseHandle = Owner<cusparseHandle_t, cusparseDestroy>;

/// A matrix of floats in compressed rows, in device memory that the caller owns.
struct SparseDescriptor : Owner<cusparseSpMatDescr_t, cusparseDestroySpMat> {
    void create(std::int64_t rows, std::int64_t columns, std::int64_t entries, std::int32_t* start,
                std::int32_t* column, float* values) {
        check(cusparseCreateCsr(&value, rows, columns, entries, start, column, values, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
              "describing a sparse matrix");
    }
};

/// A column-major matrix of floats in device memory that the caller owns.
struct DenseDescriptor : Owner<cusparseDnMatDescr_t, cusparseDestroyDnMat> {
    /// Rows and columns of the matrix, whose columns are `stride` numbers apart.
    DenseDescriptor(std::int64_t rows, std::int64_t columns, std::int64_t stride, float* data) {
        check(cusparseCreateDnMat(&value, rows, columns, stride, data, CUDA_R_32F, CUSPARSE_ORDER_COL),
              "describing a dense matrix");
    }
};

}  // namespace rigcast::cuda
