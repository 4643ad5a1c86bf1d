/* Opens a model of any kind, evaluates poses of its channels, drags a vertex, and prints times:
 *
 *     evaluate MODEL.safetensors [FRAMES]
 */
#include <rigcast/rigcast_c.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Ends the program with the library's sentence. The call is made first and the sentence read after it: in one
 * expression, printf("%d %s", call(), rigcast_error()), the sentence might be that of an earlier call. */
static void check(rigcast_status status) {
    if (status == RIGCAST_OK) return;
    fprintf(stderr, "%s\n", rigcast_error());
    exit(1);
}

static void* array_of(int64_t count, size_t size) {
    void* made = calloc(count > 0 ? (size_t)count : 1, size);
    if (made == NULL) {
        fprintf(stderr, "there is not enough memory\n");
        exit(1);
    }
    return made;
}

static double microseconds(clock_t begin, int64_t calls) {
    return 1e6 * (double)(clock() - begin) / CLOCKS_PER_SEC / (double)calls;
}

/* Poses (frames, columns): each channel goes from its lowest to its highest value, or each column over its range if the
 * channels do not decide the poses. */
static float* poses_over_ranges(const rigcast_model* model, const rigcast_description* about, int64_t frames) {
    float* poses = array_of(frames * about->columns, sizeof(float));
    double* channels = array_of(frames * about->channels, sizeof(double));
    int64_t t, i;
    for (t = 0; t < frames; ++t) {
        const double part = frames > 1 ? (double)t / (double)(frames - 1) : 0.0;
        for (i = 0; i < about->channels; ++i) {
            const rigcast_channel* channel = &about->channel[i];
            channels[t * about->channels + i] = channel->low + part * (channel->high - channel->low);
        }
        for (i = 0; i < about->columns; ++i) {
            const float low = about->column_ranges[2 * i], high = about->column_ranges[2 * i + 1];
            poses[t * about->columns + i] = low + (float)part * (high - low);
        }
    }
    if (about->channels == 0 || rigcast_poses(model, frames, channels, frames * about->channels, poses,
                                              frames * about->columns) != RIGCAST_OK) {
        printf("columns over their ranges: no channels decide the poses\n");
    }
    free(channels);
    return poses;
}

/* The vertex that moves farthest from the first to the last frame, and where it ends. */
static int32_t farthest_vertex(const float* vertices, int64_t frames, int64_t count, double target[3]) {
    const float* last = vertices + 3 * count * (frames - 1);
    double most = -1.0;
    int64_t v, farthest = 0;
    int i;
    for (v = 0; v < count; ++v) {
        double squared = 0.0;
        for (i = 0; i < 3; ++i)
            squared += (last[3 * v + i] - vertices[3 * v + i]) * (last[3 * v + i] - vertices[3 * v + i]);
        if (squared > most) most = squared, farthest = v;
    }
    for (i = 0; i < 3; ++i) target[i] = last[3 * farthest + i];
    return (int32_t)farthest;
}

static int32_t evaluate(const rigcast_model* model, const rigcast_description* about, int64_t frames,
                        double target[3]) {
    float* poses = poses_over_ranges(model, about, frames);
    float* vertices = array_of(frames * about->vertices * 3, sizeof(float));
    rigcast_session* session = NULL;
    clock_t begin = clock();
    int32_t farthest;
    int64_t t;
    check(rigcast_evaluate(model, frames, poses, frames * about->columns, vertices, frames * about->vertices * 3, 1));
    printf("evaluate: %.1f microseconds per pose, %lld poses at once\n", microseconds(begin, frames),
           (long long)frames);
    farthest = farthest_vertex(vertices, frames, about->vertices, target);

    check(rigcast_session_new(model, &session)); /* one pose after another: only the changes are computed */
    begin = clock();
    for (t = 0; t < frames; ++t) {
        check(rigcast_session_evaluate(session, poses + t * about->columns, about->columns, vertices,
                                       about->vertices * 3));
    }
    printf("session: %.1f microseconds per pose\n", microseconds(begin, frames));
    rigcast_session_free(session);
    free(vertices);
    free(poses);
    return farthest;
}

/* Finds the pose that takes a vertex to a place. */
static void drag(const rigcast_model* model, const rigcast_description* about, int32_t vertex, const double* target) {
    double error = 0.0;
    float* pose = array_of(about->columns, sizeof(float));
    rigcast_drag* made = NULL;
    rigcast_drag_task task = {.size = sizeof task}; /* all else 0: the defaults */
    rigcast_drag_result result = {.size = sizeof result};
    clock_t begin;
    if (rigcast_drag_new(model, &vertex, 1, &made) != RIGCAST_OK) {
        printf("drag: %s\n", rigcast_error()); /* models without derivatives refuse */
        free(pose);
        return;
    }
    task.targets.data = target, task.targets.count = 3;
    result.pose.data = pose, result.pose.count = about->columns;
    result.errors.data = &error, result.errors.count = 1;
    begin = clock();
    check(rigcast_drag_solve(made, &task, &result));
    printf("drag of vertex %d: %.1f microseconds, %lld iterations, %g left\n", (int)vertex, microseconds(begin, 1),
           (long long)result.iterations, error);
    rigcast_drag_free(made);
    free(pose);
}

int main(int count, char** arguments) {
    rigcast_model* model = NULL;
    rigcast_description about = {.size = sizeof about};
    const int64_t frames = count > 2 ? strtol(arguments[2], NULL, 10) : 64;
    double target[3];
    int32_t vertex;
    if (count < 2 || frames < 1) {
        fprintf(stderr, "usage: evaluate MODEL.safetensors [FRAMES]\n");
        return 2;
    }
    check(rigcast_open(arguments[1], &model));
    check(rigcast_describe(model, &about));
    printf("rigcast %s, %s: a %s model of %lld vertices, %lld joints, %lld columns and %lld channels\n",
           rigcast_version(), rigcast_instruction_set(), about.kind, (long long)about.vertices, (long long)about.joints,
           (long long)about.columns, (long long)about.channels);
    vertex = evaluate(model, &about, frames, target);
    drag(model, &about, vertex, target);
    rigcast_model_free(model);
    return 0;
}
