#pragma once
#include "random_builder.h"

namespace rigcast::checks {

// The tensors of models that baselines are, beside those that every kind has.
void add_regression(Builder& builder, const Sizes& sizes);
void add_regressed_skinning(Builder& builder, const Sizes& sizes);
void add_direct_delta_mush(Builder& builder, const Sizes& sizes);
void add_pose_space(Builder& builder, const Sizes& sizes);
void add_dense_network(Builder& builder, const Sizes& sizes);
void add_rotational_regression(Builder& builder, const Sizes& sizes);

}  // namespace rigcast::checks
