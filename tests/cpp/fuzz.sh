# Sourced by ./run fuzz [SECONDS]: damaged model files, and damaged latent spaces of synthesizers, through the reader
# under AddressSanitizer and UndefinedBehaviorSanitizer, first 100,000 made by our own mutator, then for each kind of
# model libFuzzer, which looks for new paths in files of up to a megabyte: 20,000 files, or for SECONDS. A crash leaves
# the file that caused it in build/fuzz.
preset fuzz
say "damaged models ..."
build/fuzz/tests/cpp/mutate_models 100000
build/fuzz/tests/cpp/mutate_synthesis 100000
rm -rf build/fuzz/corpus
limit=$([ $# -gt 0 ] && echo "-max_total_time=$1" || echo -runs=20000)
options="-seed=1 $limit -max_len=1048576 -rss_limit_mb=1024 -malloc_limit_mb=256 -timeout=60 -print_final_stats=1"
for kind in $(build/fuzz/tests/cpp/write_corpus build/fuzz/corpus); do
    say "libFuzzer, $kind ..."
    build/fuzz/tests/cpp/fuzz_models $options -artifact_prefix=build/fuzz/ "build/fuzz/corpus/$kind"
done
say "libFuzzer, synthesis ..."
build/fuzz/tests/cpp/fuzz_synthesis $options -artifact_prefix=build/fuzz/
