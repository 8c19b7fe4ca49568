# Test targets that need more than the unit tests: see docs/testing.md.

# What the tests need beyond what the build needs (Debian names).
TEST_PACKAGES := clang lld llvm jq golang-go golang-github-google-pprof-dev \
	clang-format cppcheck linux-perf runc podman elfutils xz-utils binutils
