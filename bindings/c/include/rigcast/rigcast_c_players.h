#ifndef RIGCAST_C_PLAYERS_H
#define RIGCAST_C_PLAYERS_H
/* Players of the C library of rigcast: endless motion in the manner of labelled clips. The rules are those of
 * rigcast/rigcast_c.h, which includes this header.
 *
 * rigcast_open and rigcast_parse open synthesizers, too: files of kind "synthesis". Of one, only the calls of this
 * header and rigcast_model_free may be made; the others refuse it with RIGCAST_BAD_ARGUMENT.
 */
#include "rigcast_c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Everything that a host needs of a synthesizer. Pointers live as long as the model. */
typedef struct rigcast_synthesis {
    size_t size; /* set by the caller */
    double fps;  /* frames per second of all that is played */
    int64_t labels, controls;
    const char* const* label_names;   /* (labels) */
    const char* const* control_names; /* (controls): channels of a rig, or shapes whose weights they are */
    const float* limits;              /* (controls, 2): no control ever leaves them */
    const char* metadata;             /* all of it, as JSON: clips by label, rotations, units */
} rigcast_synthesis;
RIGCAST_API rigcast_status rigcast_describe_synthesis(const rigcast_model* model, rigcast_synthesis* synthesis);

/* Controls with a life of their own, added to what the clips do. It lies in arrays, and therefore never grows. */
typedef struct rigcast_layer {
    const char* kind; /* "blinks", "gaze" or "sway" */
    const char* name; /* by which rigcast_player_step leaves it out; NULL: the kind */
    uint64_t seed;
    double strength;             /* factor of all amounts: 1 as they are, 0 none */
    double frozen_at;            /* seconds at which it stands still; below 0: never */
    double per_minute;           /* of blinks and gaze: how many; 0: 15 and 40 */
    double length;               /* of blinks and gaze: seconds of one; 0: 0.25 and 0.08 */
    double timescale;            /* of sway: seconds in which it changes; 0: 1.5 */
    int64_t count;               /* of the three arrays */
    const char* const* controls; /* (count) */
    const double* amounts;       /* (count): at closed lids, at the farthest look to one side, or the deviation */
    const double* vertical;      /* (count), of gaze: at the farthest look up; NULL: 0 */
} rigcast_layer;

/* How characters move. Latent lengths are counted in steps: the median distance between frames of a label.
 * rigcast_player_defaults sets all fields but size, which the caller sets. */
typedef struct rigcast_player_settings {
    size_t size;
    double speed;      /* steps per frame along a path; 1: as fast as the clips */
    double radius;     /* steps that a particle may be away from its path; 4 */
    double wander;     /* strength of the random force; 0.7 */
    double likelihood; /* strength of the force towards training points, relative to it; 4 */
    double timescale;  /* seconds in which the random force changes; 0.35 */
    double drag;       /* share of the velocity that is lost per second; 2 */
    double stiffness;  /* rate (1 / s) at which the constraint works; 12 */
    double hold;       /* seconds that idling rests at each pose; 0 */
    double power;      /* of distances in the graph of shortest paths; 4 */
    double slow;       /* quantile of the density below which paths slow down; 0.05 */
    double least;      /* quantile below which they turn back; 0 */
    int64_t blend;     /* frames of a transition, and of a join to a clip; 12 */
    int64_t settle;    /* frames of idling before a transition; 6 */
    int32_t blends;    /* 1: both sides of a join are blended; 0: their difference decays */
    int32_t threads;
    const rigcast_layer* layers; /* (layer_count) */
    int64_t layer_count;
    int64_t kept_seconds; /* per character, for rigcast_player_events; 3600 */
} rigcast_player_settings;
RIGCAST_API rigcast_status rigcast_player_defaults(rigcast_player_settings* settings);

/* H characters of a synthesizer, stepped together. `seeds`: (characters). `labels`: (label_count), where they begin, in
 * turn; NULL with a count of 0: at the first label. `settings`: NULL for the defaults. Frames of a character depend on
 * its seed, commands and settings alone: they have the same bytes in any company and however they are cut into calls.
 * Calls on one player from several threads wait for each other. */
RIGCAST_API rigcast_status rigcast_player_new(const rigcast_model* synthesis, const uint64_t* seeds, int64_t characters,
                                              const char* const* labels, int64_t label_count,
                                              const rigcast_player_settings* settings, rigcast_player** player);

/* A pose of a label: a frame of a clip, or a latent point. It lies in arrays, and therefore never grows. */
typedef struct rigcast_play_pose {
    const char* clip; /* by its name; NULL: a latent point */
    int64_t frame;
    rigcast_doubles point; /* (dimensions of the label's space) */
} rigcast_play_pose;
typedef struct rigcast_command {
    size_t size;
    const char* name; /* "idle": wander from pose to pose, and hover at each; "move": move to a pose, and stay around
                         it; "transition": move to the nearest matching point of another label; "play": move to the
                         beginning of a clip, play its frames exactly, and stay where they end */
    const char* label;
    const int64_t* who; /* (who_count) indices of characters; NULL with a count of 0: all */
    int64_t who_count;
    const rigcast_play_pose* poses; /* (pose_count): of idle, none: all training frames at random; of move: one */
    int64_t pose_count;
    rigcast_doubles hold; /* (1), of idle: seconds at each pose; default: of the settings */
    const char* along;    /* of idle and move: "data" or "straight"; NULL: "data" */
    const char* clip;     /* of play; NULL: by its number */
    int64_t clip_number;
    int64_t begin, end;   /* of play: frames begin to end - 1 of the clip; end 0: to its end */
    int32_t is_later;     /* 1: after the commands before it, which end by themselves; an idle before it ends at once */
    int32_t is_scheduled; /* 1: given at `frame`, in the order of frames */
    int64_t frame;
} rigcast_command;
RIGCAST_API rigcast_status rigcast_player_tell(rigcast_player* player, const rigcast_command* command);

/* The next frames: controls (H, frames, controls), inside the limits. `without`: (without_count) names of layers to
 * leave out. If the call fails, everything is as before. */
RIGCAST_API rigcast_status rigcast_player_step(rigcast_player* player, int64_t frames, const char* const* without,
                                               int64_t without_count, float* controls, int64_t control_count);
/* Of a character: frames that were played, its label and its seed; each may be NULL. */
RIGCAST_API rigcast_status rigcast_player_where(const rigcast_player* player, int64_t character, int64_t* frame,
                                                int64_t* label, uint64_t* seed);
/* Texts, without a terminating zero: `length` is that of the text; it is written if `capacity` suffices, and `text` may
 * be NULL if that is 0. State: all that decides the next frames of a character, for rigcast_player_restore of a player
 * of the same synthesizer, schedule, layers and settings. Events: commands, notes about them, and of each second
 * command, label, nearest clip frame with its distance, and variance; a JSON list. */
RIGCAST_API rigcast_status rigcast_player_state(const rigcast_player* player, int64_t character, char* text,
                                                int64_t capacity, int64_t* length);
RIGCAST_API rigcast_status rigcast_player_events(const rigcast_player* player, int64_t character, char* text,
                                                 int64_t capacity, int64_t* length);
/* If the text is no such state, the character is as before. */
RIGCAST_API rigcast_status rigcast_player_restore(rigcast_player* player, int64_t character, const char* text,
                                                  int64_t length);
RIGCAST_API void rigcast_player_free(rigcast_player* player);

#ifdef __cplusplus
}
#endif
#endif
