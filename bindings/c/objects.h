#pragma once
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include "rigcast/core/error.h"
#include "rigcast/core/view.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"
#include "rigcast/rig/deformer.h"
#include "rigcast/rigcast_c.h"
#include "rigcast/synthesis/model/synthesizer.h"

namespace rigcast::c {

struct BadHandle : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct BadFile : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("cancelled by progress") {}
};

/// The objects of one type that live, by address: a call looks its object up, which takes about 0.02 microseconds.
template <class T>
class Living {
public:
    static void add(const T* object) {
        const std::unique_lock<std::shared_mutex> guard(lock());
        all().insert(object);
    }
    /// Returns false if there is no such object.
    static bool remove(const T* object) {
        const std::unique_lock<std::shared_mutex> guard(lock());
        return all().erase(object) != 0;
    }
    static bool contains(const T* object) {
        const std::shared_lock<std::shared_mutex> guard(lock());
        return all().count(object) != 0;
    }

private:
    // never destroyed: at the end of the process threads of the host may still compute
    static std::shared_mutex& lock() {
        static auto& one = *new std::shared_mutex;
        return one;
    }
    static std::unordered_set<const T*>& all() {
        static auto& objects = *new std::unordered_set<const T*>;
        return objects;
    }
};

/// Throws BadHandle if an object is NULL, of another type or freed.
template <class T>
T& object(const char* argument, T* given) {
    if (given == nullptr) throw BadHandle(std::string(argument) + " is NULL");
    if (!Living<std::remove_const_t<T>>::contains(given)) {
        throw BadHandle(std::string(argument) + " is no object of this type, or was freed");
    }
    return *given;
}

/// Where a call writes what it makes; NULL until then.
template <class T>
T*& place(const char* argument, T** given) {
    if (given == nullptr) throw bad_argument("rigcast", argument, "NULL", "where to write the object");
    return *given = nullptr;
}

/// Hands an object to the caller.
template <class T>
T* handed_out(std::unique_ptr<T> made) {
    Living<T>::add(made.get());
    return made.release();
}

template <class T>
void free_object(T* given) noexcept {
    if (given != nullptr && Living<T>::remove(given)) delete given;
}

/// Pointers to the texts of a list, valid while it stays as it is.
std::vector<const char*> texts_of(const std::vector<std::string>& names);

}  // namespace rigcast::c

/// A model, and what rigcast_describe points to; or a synthesizer, of which no vertices are known.
struct rigcast_model {
    explicit rigcast_model(std::shared_ptr<const rigcast::rig::Deformer> shared);
    rigcast_model(std::shared_ptr<const rigcast::synthesis::Synthesizer> shared, std::string metadata);
    rigcast_model(const rigcast_model&) = delete;
    rigcast_model& operator=(const rigcast_model&) = delete;

    std::shared_ptr<const rigcast::rig::Deformer> model;                 // null of a synthesizer
    std::shared_ptr<const rigcast::synthesis::Synthesizer> synthesizer;  // null of a model
    std::string name, up_axis;
    std::vector<float> rest_pose;
    std::vector<std::string> part_list, material_list;
    std::vector<const char*> columns, joints, parts, materials;
    std::vector<rigcast_channel> channels;
    rigcast_description description{};
    std::vector<const char*> labels, controls;
    std::string metadata_text;
};

namespace rigcast::c {

/// A model of vertices. Throws BadHandle as the others, and ArgumentError if it is a synthesizer.
inline const rigcast_model& object(const char* argument, const rigcast_model* given) {
    const rigcast_model& opened = object<const rigcast_model>(argument, given);
    if (opened.model != nullptr) return opened;
    throw bad_argument("rigcast", argument, "a synthesizer", "a model of vertices");
}

/// The blendshape rig that a model is. Throws ArgumentError, which names `function`, if it is of another kind.
std::shared_ptr<const rig::BlendshapeRig> blendshapes_of(const char* function, const rigcast_model* model);

}  // namespace rigcast::c
