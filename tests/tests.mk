# Test targets that need more than the unit tests: see docs/testing.md.

# What the tests need beyond what the build needs (Debian names).
TEST_PACKAGES := clang lld llvm jq golang-go golang-github-google-pprof-dev \
	clang-format cppcheck linux-perf runc podman elfutils xz-utils binutils dwz \
	g++ musl-tools hotspot autofdo time procps
# Readers of the exports. npm comes with some nodejs packages, and Debian's own
# conflicts with them.
TEST_PACKAGES += chromium $(shell command -v npm >/dev/null || echo nodejs npm)

# Programs that live tests run beside hostprof: readers, writers, dumpers.
PROGRAMS := $(patsubst tests/programs/%.c,$(BUILD)/programs/%,$(sort $(wildcard tests/programs/*.c)))

$(BUILD)/programs/%: tests/programs/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(call quiet,PROGRAM $@)$(CC) $(ALL_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(LIBRARY) $(LIBS)

programs: $(PROGRAMS)

# Samples with stacks, taken and kept: what programs about unwinding share.
STACK_SAMPLES := $(BUILD)/tests/unwind/stack_samples.o
$(STACK_SAMPLES): tests/unwind/stack_samples.c
$(BUILD)/programs/unwind_%: tests/programs/unwind_%.c $(STACK_SAMPLES) $(LIBRARY)
	@mkdir -p $(@D)
	$(call quiet,PROGRAM $@)$(CC) $(ALL_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(STACK_SAMPLES) $(LIBRARY) $(LIBS)

-include $(STACK_SAMPLES:.o=.d)

-include $(PROGRAMS:=.d)

.PHONY: programs

# Programs with known answers. Frame pointers are kept so that chains by frame
# pointer are complete; a target with other wishes has its own rule below.
TARGET_CFLAGS := -O2 -g -fno-omit-frame-pointer -Wall -Wextra
$(BUILD)/targets/%: tests/targets/%.c
	@mkdir -p $(@D)
	$(call quiet,TARGET $@)$(CC) -std=gnu11 -D_GNU_SOURCE $(TARGET_CFLAGS) -o $@ $< $(TARGET_LIBS_$*)

TARGET_LIBS_burn := -static

targets: $(TARGETS)

test-packages:
	@.ci/packages $(PACKAGES) $(TEST_PACKAGES)

test: test-packages ## installs, builds and runs every test (as root)
	@$(MAKE) --no-print-directory all targets $(UNIT_TESTS) programs
	@tests/run all

live: all targets programs ## the live tests alone; ONLY=name for one
	@tests/run live

check-asan: ## the unit tests with ASan and UBSan, in build/asan
	@$(MAKE) --no-print-directory check BUILD=build/asan \
		CFLAGS="-O1 -g -fsanitize=address,undefined -fno-omit-frame-pointer" \
		LDFLAGS="-fsanitize=address,undefined"

profile: packages all ## installs, builds, samples this host for 10 s
	./hostprof record -d 10

.PHONY: targets test-packages test live check-asan profile programs

$(BUILD)/bench/%: tests/bench/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(call quiet,BENCH $@)$(CC) $(ALL_CFLAGS) -o $@ $< $(LIBRARY) $(LIBS)

bench-containers: $(BUILD)/bench/containers ## start-up with 2,000 cgroups, cost of a look-up
	@$< $$(awk '/ - cgroup2 /{print $$5; exit}' /proc/self/mountinfo)

.PHONY: bench-containers

# Fuzzing: make fuzz-perfdata SECONDS=600. A target X is tests/fuzz/fuzz_X.c,
# its first inputs come from tests/fuzz/seeds_X.sh FOLDER.
SECONDS    ?= 60
FUZZ_FLAGS := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined
FUZZ_OBJECTS := $(patsubst $(BUILD)/%.o,$(BUILD)/fuzz/%.o,$(LIB_OBJECTS))

$(BUILD)/fuzz/%.o: %.c
	@mkdir -p $(@D)
	$(call quiet,FUZZ $<)clang $(ALL_CFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

$(BUILD)/fuzz/%.o: $(BUILD)/%.c
	@mkdir -p $(@D)
	$(call quiet,FUZZ $<)clang $(ALL_CFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

$(BUILD)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_OBJECTS)
	$(call quiet,FUZZ $@)clang $(ALL_CFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $< $(FUZZ_OBJECTS) $(LIBS)

fuzz-%: $(BUILD)/fuzz/fuzz_%
	@tests/fuzz/seeds_$*.sh $(BUILD)/fuzz/seeds-$*
	@mkdir -p $(BUILD)/fuzz/corpus-$* $(BUILD)/fuzz/findings-$*
	$(BUILD)/fuzz/fuzz_$* -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=1024 -max_len=65536 \
		-print_final_stats=1 -verbosity=0 -artifact_prefix=$(BUILD)/fuzz/findings-$*/ \
		$(BUILD)/fuzz/corpus-$* $(BUILD)/fuzz/seeds-$*

fuzz: $(patsubst tests/fuzz/fuzz_%.c,fuzz-%,$(sort $(wildcard tests/fuzz/fuzz_*.c))) ## every fuzz target for SECONDS=60

-include $(FUZZ_OBJECTS:.o=.d)

.PHONY: fuzz
.PRECIOUS: $(BUILD)/fuzz/fuzz_% $(BUILD)/fuzz/%.o

# Compiles the C++ library's headers, unoptimised output thrown away.
$(BUILD)/bench/unwind: tests/bench/unwind.c $(STACK_SAMPLES) $(LIBRARY)
	@mkdir -p $(@D)
	$(call quiet,BENCH $@)$(CC) $(ALL_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(STACK_SAMPLES) $(LIBRARY) -ldw $(LIBS)

bench-unwind: $(BUILD)/bench/unwind ## what a frame costs, against libdw (root)
	@printf '%s\n' '#include <bits/stdc++.h>' 'std::regex r("a|b");' \
		'int main() { std::map<std::string, int> m; return m.size(); }' >$(BUILD)/bench/unwind.cc
	@$< 1000 $$(g++ -print-prog-name=cc1plus) -quiet -O3 -D_GNU_SOURCE \
		-imultiarch $$(gcc -print-multiarch) $(BUILD)/bench/unwind.cc -o /dev/null

.PHONY: bench-unwind
