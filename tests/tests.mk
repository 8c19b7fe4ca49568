# Test targets that need more than the unit tests: see docs/testing.md.

# What the tests need beyond what the build needs (Debian names).
TEST_PACKAGES := clang lld llvm jq golang-go golang-github-google-pprof-dev \
	clang-format cppcheck linux-perf runc podman elfutils xz-utils binutils

# Programs that live tests run beside hostprof: readers, writers, dumpers.
PROGRAMS := $(patsubst tests/programs/%.c,build/programs/%,$(sort $(wildcard tests/programs/*.c)))

build/programs/%: tests/programs/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(call quiet,PROGRAM $@)$(CC) $(ALL_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(LIBRARY) $(LIBS)

programs: $(PROGRAMS)

-include $(PROGRAMS:=.d)

.PHONY: programs
