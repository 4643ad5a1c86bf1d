#include "rigcast/synthesis/latent/dynamics_prior.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "rigcast/core/error.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/linalg/dense/positive_definite.h"
#include "rigcast/synthesis/latent/kernel.h"

namespace rigcast::synthesis {
namespace {

constexpr std::int64_t frames_per_piece = 128;  // of parallel work

}  // namespace

void check_segments(const char* function, const std::vector<Segment>& segments, std::int64_t frames) {
    std::int64_t next = 0;
    for (const auto& [begin, end] : segments) {
        if (begin != next || end <= begin) {
            throw bad_argument(function, "segments",
                               "with frames " + std::to_string(begin) + " to " + std::to_string(end) + " where frame " +
                                   std::to_string(next) + " comes next",
                               "begins and ends of clips that cover all frames in order");
        }
        next = end;
    }
    if (next != frames) {
        throw bad_argument(function, "segments", "of " + std::to_string(next) + " frames",
                           "of all " + std::to_string(frames) + " frames");
    }
}

std::shared_ptr<const DynamicsPrior::Precision> DynamicsPrior::precision_of(std::int64_t frames, double length,
                                                                            double noise, int threads) {
    linalg::PositiveDefinite matrix(frames);
    for (std::int64_t i = 0; i < frames; ++i) {
        for (std::int64_t j = i; j < frames; ++j) {
            const double time = static_cast<double>(j - i) / length;
            matrix.row(i)[j] = std::exp(-0.5 * time * time) + (i == j ? noise : 0.0);
        }
    }
    if (!matrix.factorize(threads)) {
        throw NumericalError(
            "DynamicsPrior: the covariance over time is not positive definite; its noise is too small");
    }
    auto made = std::make_shared<Precision>();
    made->frames = frames;
    made->stride = matrix.stride();
    made->log_determinant = matrix.log_determinant();
    LineVector<double> root(static_cast<std::size_t>(frames * matrix.stride()));
    made->rows.resize(root.size());
    matrix.inverse_root(root.data(), threads);
    matrix.inverse(root.data(), made->rows.data(), threads);
    for (std::int64_t i = 0; i < frames; ++i) {
        for (std::int64_t j = 0; j < i; ++j) made->rows[j * made->stride + i] = made->rows[i * made->stride + j];
    }
    return made;
}

DynamicsPrior::DynamicsPrior(const std::vector<Segment>& segments, std::int64_t frames, double length, double noise,
                             int threads) {
    check_segments("DynamicsPrior", segments, frames);
    for (const auto& [name, number] : {std::pair{"length", length}, std::pair{"noise", noise}}) {
        if (!(number > 0.0) || !std::isfinite(number)) {
            throw bad_argument("DynamicsPrior", name, std::to_string(number), "positive and finite");
        }
    }
    for (const auto& [begin, end] : segments) {
        const std::int64_t cuts = (end - begin + most_frames - 1) / most_frames;
        for (std::int64_t cut = 0; cut < cuts; ++cut) {
            const Segment part{begin + (end - begin) * cut / cuts, begin + (end - begin) * (cut + 1) / cuts};
            std::shared_ptr<const Precision> precision;
            for (const Piece& piece : pieces_) {
                if (piece.precision->frames == part.second - part.first) precision = piece.precision;
            }
            if (!precision) precision = precision_of(part.second - part.first, length, noise, threads);
            pieces_.push_back({part, std::move(precision)});
        }
    }
}

double DynamicsPrior::add(View<const double, 2> points, View<double, 2> gradient, int threads) const {
    const std::int64_t dimension = points.extent(1);
    double sum = 0.0;
    LineVector<double> columns;
    std::vector<double> squares;
    for (const Piece& piece : pieces_) {
        const Precision& precision = *piece.precision;
        const std::int64_t first = piece.segment.first;
        columns.assign(static_cast<std::size_t>(dimension * precision.stride), 0.0);
        for (std::int64_t i = 0; i < precision.frames; ++i) {
            for (std::int64_t a = 0; a < dimension; ++a) columns[a * precision.stride + i] = points(first + i, a);
        }
        squares.assign(static_cast<std::size_t>(precision.frames), 0.0);
        parallel_for(precision.frames, frames_per_piece, threads, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const double* row = precision.rows.data() + i * precision.stride;
                for (std::int64_t a = 0; a < dimension; ++a) {
                    const double product =
                        kernel_functions().dot(row, columns.data() + a * precision.stride, precision.stride);
                    squares[i] += product * points(first + i, a);
                    gradient(first + i, a) -= product;
                }
            }
        });
        for (double square : squares) sum += square;
        sum += static_cast<double>(dimension) *
               (static_cast<double>(precision.frames) * std::log(2.0 * std::numbers::pi) + precision.log_determinant);
    }
    return -0.5 * sum;
}

}  // namespace rigcast::synthesis
