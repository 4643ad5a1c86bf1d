#pragma once
#include <memory>
#include <utility>

#include "rigcast/core/error.h"
#include "rigcast/rig/deformer.h"

namespace rigcast::baseline {

/// A rig::Deformer that implements do_evaluate and nothing else: models of other authors that others are compared with.
/// vjp, jvp, jacobian, linearizer and restricted throw an ArgumentError that names the call and the kind of the model.
class ForwardOnly : public rig::Deformer {
public:
    std::unique_ptr<rig::Linearizer> linearizer() const final { refuse("linearizer"); }

protected:
    explicit ForwardOnly(std::shared_ptr<const TensorFile> tensors) : Deformer(std::move(tensors)) {}

private:
    void do_vjp(View<const float, 2>, View<const float, 3>, View<float, 2>, int) const final { refuse("vjp"); }
    void do_jvp(View<const float, 2>, View<const float, 2>, View<float, 3>, int) const final { refuse("jvp"); }
    void do_jacobian(View<const float, 2>, View<float, 3>, int) const final { refuse("jacobian"); }
    std::shared_ptr<rig::Deformer> do_restricted(View<const std::int32_t, 1>) const final { refuse("restricted"); }

    [[noreturn]] void refuse(const char* function) const {
        throw bad_argument(function, "model", "of kind '" + character().kind + "', which can only be evaluated",
                           "of a kind with derivatives and restricted models");
    }
};

}  // namespace rigcast::baseline
