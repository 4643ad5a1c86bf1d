# Sourced by ./run fuzz: damaged model files through the reader under AddressSanitizer and
# UndefinedBehaviorSanitizer, first 100,000 made by our own mutator, then 100,000 by libFuzzer, which looks for
# new paths, in files of up to a megabyte. A crash leaves the file that caused it in build/fuzz.
preset fuzz
say "damaged models ..."
build/fuzz/tests/cpp/mutate_models 100000
say "libFuzzer ..."
build/fuzz/tests/cpp/write_corpus build/fuzz/corpus
build/fuzz/tests/cpp/fuzz_models -seed=1 -runs=100000 -max_len=1048576 -rss_limit_mb=1024 -malloc_limit_mb=256 \
    -artifact_prefix=build/fuzz/ -print_final_stats=1 build/fuzz/corpus
