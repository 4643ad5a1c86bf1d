#ifndef RIGCAST_C_H
#define RIGCAST_C_H
/* The C library of rigcast: models, sessions, crowds, inverse rigs, drags and players for programs in any
 * language.
 *
 * Errors: a call returns a status; rigcast_error() is the sentence of this thread's last call that failed. It begins
 * with the function, without "rigcast_": "session_evaluate: pose is ...; it must be ...". Read it after the call has
 * returned, never as another argument of the expression that contains the call. Nothing is printed, no exception
 * crosses, nothing exits.
 *
 * Arrays are row-major: T frames, C columns of a pose, V vertices, N channels. An array comes with its count of
 * numbers, which must be that of its shape; where an argument gives the length alone (the heads of a crowd, the names
 * of shapes), the comment says so. Inputs are never changed. Arrays that a call writes must not overlap its inputs or
 * each other.
 *
 * Poses: a pose is C = 12 J + K numbers: for each of J joints its transform relative to its parent as a 3x4 matrix,
 * row-major, which acts on column vectors (the last column is the translation; at rest it is joint_rest), then K
 * numeric controls. The pose of a blendshape rig is its K weights. Lengths are in the model's unit.
 *
 * Threads: `threads` is 0 for all processors. Results have the same bytes for any number of threads, on processors with
 * the same rigcast_instruction_set(), and on threads that round to nearest and keep subnormal numbers. Calls on one
 * model, crowd, inverse rig or drag may run in several threads at once, but for the call that frees it; a session is
 * for one thread at a time.
 *
 * Objects are opaque. Free each of them once, with the function of its type, a model with rigcast_model_free; NULL is
 * ignored. A model may be freed before what was made of it. Every library keeps a list of the objects that live: one
 * that was freed, or is of another type, is refused with RIGCAST_BAD_HANDLE, and freed no second time, until a new
 * object of its type happens to lie at its address.
 *
 * Structures that begin with `size` grow at their end: set size = sizeof the structure as your program knows it, and
 * everything else to 0 or to what you want. A library that is older than the header of the program refuses fields that
 * it does not know and that are not 0. Other structures never change. Functions are only added, never changed:
 * rigcast_abi() is the number of the promise.
 *
 * The library cannot be unloaded: its threads sleep until the process ends.
 */
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(RIGCAST_C_BUILD)
#define RIGCAST_API __declspec(dllexport)
#elif defined(_WIN32)
#define RIGCAST_API __declspec(dllimport)
#elif defined(__GNUC__)
#define RIGCAST_API __attribute__((visibility("default")))
#else
#define RIGCAST_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The promise that this header belongs to. */
#define RIGCAST_ABI 1

typedef struct rigcast_model rigcast_model;
typedef struct rigcast_session rigcast_session;
typedef struct rigcast_crowd rigcast_crowd;
typedef struct rigcast_inverse rigcast_inverse;
typedef struct rigcast_drag rigcast_drag;
typedef struct rigcast_player rigcast_player;

typedef int32_t rigcast_status;
enum {
    RIGCAST_OK = 0,
    RIGCAST_BAD_ARGUMENT = 1, /* an argument is wrong: the text says which, what it is and what it must be */
    RIGCAST_BAD_FILE = 2,     /* a file cannot be read or written, or is no model */
    RIGCAST_NUMERICAL = 3,    /* right input for which the computation overflows or has no solution */
    RIGCAST_NO_MEMORY = 4,
    RIGCAST_BAD_HANDLE = 5, /* an object is NULL, of another type, or freed */
    RIGCAST_FAILED = 6,     /* anything else */
    RIGCAST_CANCELLED = 7   /* the program's own `progress` returned another number than 0 */
};

/* Arrays inside of structures, with their counts of numbers; {NULL, 0} is an array that was not given. */
typedef struct rigcast_floats {
    const float* data;
    int64_t count;
} rigcast_floats;
typedef struct rigcast_doubles {
    const double* data;
    int64_t count;
} rigcast_doubles;
typedef struct rigcast_integers {
    const int32_t* data;
    int64_t count;
} rigcast_integers;
/* Arrays that a call writes; one that was not given is not written. */
typedef struct rigcast_floats_out {
    float* data;
    int64_t count;
} rigcast_floats_out;
typedef struct rigcast_doubles_out {
    double* data;
    int64_t count;
} rigcast_doubles_out;
typedef struct rigcast_integers_out {
    int32_t* data;
    int64_t count;
} rigcast_integers_out;

/* Called by long calls on the thread that called them, about 20 times per second, with how many frames of how many are
 * done. Another number than 0 ends the call with RIGCAST_CANCELLED; it writes no results. It may call the library, but
 * not free what is in use. */
typedef int (*rigcast_progress)(void* user, int64_t done, int64_t total);

/* --- The library ------------------------------------------------------------------------------------------------ */

/* The RIGCAST_ABI of the library: a program that was compiled with another one must not use it. */
RIGCAST_API int32_t rigcast_abi(void);
/* "0.1.0" */
RIGCAST_API const char* rigcast_version(void);
/* The sentence of this thread's last call that failed, in UTF-8 and cut after 2,047 bytes; "" before any did. Valid
 * until the thread's next call. */
RIGCAST_API const char* rigcast_error(void);
/* "AVX-512", "AVX2", "SSE4", "NEON", "WASM" or "portable"; NULL if RIGCAST_INSTRUCTION_SET in the environment names
 * none that runs here. */
RIGCAST_API const char* rigcast_instruction_set(void);
/* Threads of the host in place of the library's own; NULL: the library's own again. `run` calls work(data) up to
 * `calls` times, on any threads, in parallel or one after another, and returns when all calls have returned; fewer
 * calls, or none, only cost time. It must allow calls from several threads at once, and no exception may leave it.
 * `run` and `user` must stay valid until they are replaced. Call it while no other call of the library runs. */
RIGCAST_API rigcast_status rigcast_set_scheduler(void (*run)(void* user, int32_t calls, void (*work)(void* data),
                                                             void* data),
                                                 void* user);

/* --- Models ----------------------------------------------------------------------------------------------------- */

/* Reads a model file; `path` is UTF-8. */
RIGCAST_API rigcast_status rigcast_open(const char* path, rigcast_model** model);
/* The same from the bytes of a file, which are copied; `name` stands in errors, and may be NULL. */
RIGCAST_API rigcast_status rigcast_parse(const void* bytes, size_t size, const char* name, rigcast_model** model);
/* Writes the file of a model: those that rigcast_open and rigcast_parse read get the bytes that they were read from.
 * Whatever happens, `path`, which is UTF-8, is the old file or all of the new one. */
RIGCAST_API rigcast_status rigcast_save(const rigcast_model* model, const char* path);
RIGCAST_API void rigcast_model_free(rigcast_model* model);

typedef struct rigcast_blendshapes {
    size_t size;
    int64_t vertices, shapes, corrections;
    rigcast_floats neutral;              /* (vertices, 3) */
    rigcast_floats deltas;               /* (shapes, vertices, 3): offsets from the neutral */
    rigcast_floats correction_deltas;    /* (corrections, vertices, 3) */
    rigcast_integers correction_offsets; /* (corrections + 1), from 0 to M: correction c has the factors offsets[c]
                                            to before offsets[c + 1] of the two lists below; none: empty */
    rigcast_integers factor_shapes;      /* (M) */
    rigcast_floats factor_tents;         /* (M, 3): an in-between, 0 at x1, 1 at x2, 0 at x3; three zeros, or an empty
                                            array: the weight itself */
    rigcast_floats bounds;               /* (shapes, 2); empty: 0 to 1 */
    rigcast_integers face_corners;       /* (faces, 4), -1 pads triangles; empty: none */
    const char* const* shape_names;      /* (shapes), without a count; NULL: shape0, shape1, ... */
    double meters_per_unit;              /* 0: 1 */
    const char* up_axis;                 /* "X", "Y" or "Z"; NULL: "Y" */
} rigcast_blendshapes;
/* A blendshape rig from arrays, which are copied. */
RIGCAST_API rigcast_status rigcast_make_blendshapes(const rigcast_blendshapes* from, rigcast_model** model);

/* A number that an artist sets. It lies in arrays, and therefore never grows. */
typedef struct rigcast_channel {
    const char* name;
    const char* kind;   /* "rotate_x", "translate_x" or "scale_x" (or y, z) of a joint, along its rest axes; "dial": the
                           numeric control of that name; "control": of the rig's mechanism; "other" */
    const char* unit;   /* "degrees", "rig" (the rig's unit of length) or "" */
    const char* reason; /* why nothing that the model knows decides its effect; "" if something does */
    double low, high, rest;
    int32_t joint;    /* of a rotation, translation or scale; else -1 */
    int32_t is_whole; /* 1: rounded to whole numbers */
} rigcast_channel;

/* Everything that a file says of a model. Pointers live as long as the model. Without any, a count is 0, an array NULL,
 * a text "". */
typedef struct rigcast_description {
    size_t size; /* set by the caller */
    const char* kind;
    const char* name;
    const char* up_axis;
    double meters_per_unit;
    double pose_limit; /* the largest magnitude of a pose value */
    int64_t vertices, faces, joints, columns, channels, parts, materials, uvs, detail_segments;
    const float* rest_vertices;        /* (vertices, 3) */
    const int32_t* face_corners;       /* (faces, 4), -1 pads triangles */
    const float* rest_pose;            /* (columns) */
    const float* column_ranges;        /* (columns, 2): in training; bounds of a blendshape rig */
    const char* const* column_names;   /* (columns): 12 per joint, "JOINT.m00" ... "JOINT.m23", then numeric controls */
    const char* const* joint_names;    /* (joints) */
    const int32_t* joint_parents;      /* (joints), -1 for a root */
    const float* joint_rest;           /* (joints, 3, 4): relative to the parent */
    const rigcast_channel* channel;    /* (channels) */
    const char* const* part_names;     /* (parts) */
    const int32_t* vertex_parts;       /* (vertices), -1: in no part */
    const char* const* material_names; /* (materials) */
    const int32_t* face_materials;     /* (faces), -1: without */
    const float* uv;                   /* (uvs, 2) */
    const int32_t* uv_corners;         /* (faces, 4), rows of uv; -1 pads, as in face_corners */
    const char* metadata;              /* all of it, as JSON */
    int32_t channels_decide;           /* 1: the channels decide poses, and rigcast_poses works; 0: it refuses */
} rigcast_description;
RIGCAST_API rigcast_status rigcast_describe(const rigcast_model* model, rigcast_description* description);

/* Poses (T, C) of channels (T, N). Refused if the model has no channels, or something that it does
 * not know decides a pose. */
RIGCAST_API rigcast_status rigcast_poses(const rigcast_model* model, int64_t frames, const double* channels,
                                         int64_t channel_count, float* poses, int64_t pose_count);
/* Channels (T, N) of poses (T, C). `residuals`, (T) or NULL: the largest difference between each pose and that of the
 * channels found. */
RIGCAST_API rigcast_status rigcast_channels(const rigcast_model* model, int64_t frames, const float* poses,
                                            int64_t pose_count, double* channels, int64_t channel_count,
                                            float* residuals, int64_t residual_count);
/* Vertices (T, V, 3) of poses (T, C). */
RIGCAST_API rigcast_status rigcast_evaluate(const rigcast_model* model, int64_t frames, const float* poses,
                                            int64_t pose_count, float* vertices, int64_t vertex_count, int32_t threads);
/* Gradients (T, C) of sum(vertices * cotangents), for cotangents (T, V, 3). */
RIGCAST_API rigcast_status rigcast_vjp(const rigcast_model* model, int64_t frames, const float* poses,
                                       int64_t pose_count, const float* cotangents, int64_t cotangent_count,
                                       float* gradients, int64_t gradient_count, int32_t threads);
/* Derivatives (T, V, 3) of the vertices along tangents (T, C) of the poses. */
RIGCAST_API rigcast_status rigcast_jvp(const rigcast_model* model, int64_t frames, const float* poses,
                                       int64_t pose_count, const float* tangents, int64_t tangent_count,
                                       float* derivatives, int64_t derivative_count, int32_t threads);
/* Confidences (T) in [0, 1]: 1 among the training poses. */
RIGCAST_API rigcast_status rigcast_confidence(const rigcast_model* model, int64_t frames, const float* poses,
                                              int64_t pose_count, float* confidences, int64_t confidence_count);
/* Bounds (T, V) of the errors of learned models, in the model's unit: 95 % of held-out errors lie below them. */
RIGCAST_API rigcast_status rigcast_error_bound(const rigcast_model* model, int64_t frames, const float* poses,
                                               int64_t pose_count, float* bounds, int64_t bound_count, int32_t threads);
/* A model of the given vertices alone, in this order; repeats are allowed. Their bytes are the same, and only what they
 * need is computed. */
RIGCAST_API rigcast_status rigcast_restrict(const rigcast_model* model, const int32_t* vertices, int64_t count,
                                            rigcast_model** restricted);

/* --- Sessions: one pose after another, of which only the changes are computed ------------------------------------- */

RIGCAST_API rigcast_status rigcast_session_new(const rigcast_model* model, rigcast_session** session);
/* Vertices (V, 3) of a pose (C): the bytes of rigcast_evaluate. */
RIGCAST_API rigcast_status rigcast_session_evaluate(rigcast_session* session, const float* pose, int64_t pose_count,
                                                    float* vertices, int64_t vertex_count);
/* The quality of what follows, from 0 to 1 per detail segment of the model: 1 at first. */
RIGCAST_API rigcast_status rigcast_session_set_detail(rigcast_session* session, const float* detail, int64_t count);
RIGCAST_API void rigcast_session_free(rigcast_session* session);

/* --- Crowds: many heads of one blendshape rig that play clips ----------------------------------------------------- */

/* `weights`: the clips one after another, (sum of clip_frames, shapes). `order`: (shapes), most important first, or
 * NULL: as they are. Arrays are copied. */
RIGCAST_API rigcast_status rigcast_crowd_new(const rigcast_model* model, const float* weights, int64_t weight_count,
                                             const int64_t* clip_frames, int64_t clips, const int32_t* order,
                                             int64_t order_count, rigcast_crowd** crowd);
/* Vertices (H, V, 3) of H heads, at most 2^31 - 1: `clip` (H); `frame` (H), between whole ones their weights are mixed;
 * `prefix` (H), how many shapes of the order a head uses, or NULL: all. These arrays have H numbers, without a count.
 * Heads with the same clip, frame and prefix are computed once. */
RIGCAST_API rigcast_status rigcast_crowd_evaluate(const rigcast_crowd* crowd, int64_t heads, const int32_t* clip,
                                                  const double* frame, const int32_t* prefix, float* vertices,
                                                  int64_t vertex_count, int32_t threads);
/* For renderers that draw instances: how many distinct heads there are, in `distinct`; the first head of each kind, in
 * `first` (room for H, of which the first `distinct` are written); and which distinct head each head is, in `of_head`
 * (H). */
RIGCAST_API rigcast_status rigcast_crowd_distinct(const rigcast_crowd* crowd, int64_t heads, const int32_t* clip,
                                                  const double* frame, const int32_t* prefix, int64_t* distinct,
                                                  int32_t* first, int32_t* of_head);
RIGCAST_API void rigcast_crowd_free(rigcast_crowd* crowd);

/* --- The inverse of a blendshape rig: weights of captured shapes -------------------------------------------------- */

typedef struct rigcast_shot {
    size_t size;
    int64_t frames;
    rigcast_floats targets;         /* (frames, M, 3), M the vertices of the inverse rig */
    double alpha;                   /* sparsity, in squared units of length, from 0 */
    double smoothness;              /* of the weights over time, in squared units of length, from 0 */
    rigcast_doubles bounds;         /* (shapes, 2); default: the rig's */
    rigcast_doubles fixed;          /* (frames, shapes): pinned weights, NaN for free ones; default: all free */
    rigcast_doubles prior_target;   /* (frames, shapes); default: no priors */
    rigcast_doubles prior_strength; /* (frames, shapes), given together with prior_target */
    rigcast_doubles start;          /* (frames, shapes); default: at rest */
    rigcast_integers symmetric;     /* (pairs, 2): shapes of equal weights */
    double tolerance;               /* 0: 1e-9 */
    int64_t max_iterations;         /* 0: chosen */
    int32_t threads;
    int32_t frame_by_frame;    /* with smoothness, 1: each frame given the two before it, as for a live stream */
    rigcast_progress progress; /* may be NULL */
    void* user;
} rigcast_shot;
typedef struct rigcast_shot_result {
    size_t size;
    rigcast_doubles_out weights;    /* (frames, shapes) */
    rigcast_doubles_out objective;  /* (frames), as are those below: without the temporal term */
    rigcast_doubles_out optimality; /* the largest entry of the projected gradient */
    rigcast_doubles_out rmse;       /* the distance of the vertices, root mean square */
    rigcast_integers_out iterations;
    rigcast_integers_out converged; /* 1 or 0 */
} rigcast_shot_result;
/* The inverse rig of all vertices (`vertices` NULL, `count` 0), or of the given ones (count), each once. `weights`: of
 * these vertices; NULL with a count of 0: 1. */
RIGCAST_API rigcast_status rigcast_inverse_new(const rigcast_model* model, const int32_t* vertices, int64_t count,
                                               const double* weights, int64_t weight_count, rigcast_inverse** inverse);
RIGCAST_API rigcast_status rigcast_inverse_solve(const rigcast_inverse* inverse, const rigcast_shot* shot,
                                                 rigcast_shot_result* result);
RIGCAST_API void rigcast_inverse_free(rigcast_inverse* inverse);

/* --- Drags: a pose from places for vertices ----------------------------------------------------------------------- */

typedef struct rigcast_drag_task {
    size_t size;
    rigcast_doubles targets;  /* (frames, M, 3): places of the drag's M vertices */
    rigcast_doubles weights;  /* (M), from 0; default: 1 */
    rigcast_floats start;     /* (columns): where the search begins, further frames begin where the frame before ended;
                                 or (frames, columns): frames are independent; default: the rest pose */
    rigcast_floats preferred; /* (columns) or (frames, columns): what is kept where targets leave a choice; default: the
                                 start */
    double preference;        /* how much it is kept; 0: 1e-3 */
    double tolerance;         /* relative to the size of the character; 0: 1e-6 */
    int64_t max_iterations;   /* per frame; 0: 100 */
    int64_t frames;           /* 0: 1 */
    rigcast_progress progress; /* may be NULL */
    void* user;
} rigcast_drag_task;
typedef struct rigcast_drag_result {
    size_t size;
    rigcast_floats_out pose;               /* (frames, columns) */
    rigcast_doubles_out channels;          /* (frames, channels), of a model whose poses are decided by them */
    rigcast_doubles_out errors;            /* (frames, M): distances that are left */
    int32_t iterations;                    /* written: of all frames together */
    int32_t converged;                     /* written: 1 if all frames have, or 0 */
    rigcast_integers_out frame_iterations; /* (frames) */
    rigcast_integers_out frame_converged;  /* (frames): 1 or 0 */
} rigcast_drag_result;
RIGCAST_API rigcast_status rigcast_drag_new(const rigcast_model* model, const int32_t* vertices, int64_t count,
                                            rigcast_drag** drag);
RIGCAST_API rigcast_status rigcast_drag_solve(const rigcast_drag* drag, const rigcast_drag_task* task,
                                              rigcast_drag_result* result);
RIGCAST_API void rigcast_drag_free(rigcast_drag* drag);

#ifdef __cplusplus
}
#endif

#include "rigcast_c_players.h" /* players of synthesizers */
#endif
