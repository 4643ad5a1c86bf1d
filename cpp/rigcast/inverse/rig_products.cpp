#include "rigcast/inverse/rig_products.h"

#include <string>
#include <utility>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"

namespace rigcast::inverse {

optimize::ProductModel rig_products(const rig::BlendshapeRig& rig, View<const std::int32_t, 1> ties) {
    const std::int64_t shapes = rig.num_shapes();
    check_shape<const std::int32_t, 1>("rig_products", "ties", ties, {shapes});
    std::vector<std::vector<optimize::Driver>> columns(static_cast<std::size_t>(rig.num_columns()));
    for (std::int64_t k = 0; k < shapes; ++k) {
        if (ties(k) < 0 || ties(k) >= shapes) {
            throw bad_argument("rig_products", "ties", std::to_string(ties(k)) + " somewhere",
                               "shape indices below " + std::to_string(shapes));
        }
        columns[k] = {{ties(k), false, {0.0, 0.0, 0.0}}};
    }
    for (std::int64_t c = 0; c + shapes < rig.num_columns(); ++c) {
        for (const rig::Driver& driver : rig.drivers(c)) {
            columns[shapes + c].push_back(
                {ties(driver.shape), driver.is_tent, {driver.tent.x1, driver.tent.x2, driver.tent.x3}});
        }
    }
    return optimize::ProductModel(shapes, std::move(columns));
}

}  // namespace rigcast::inverse
