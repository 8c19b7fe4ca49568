# hostprof: `make help` lists the targets.

PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= gcc
CFLAGS  ?= -O2 -g
V       ?= 0
BUILD   ?= build
BINARY  := $(if $(filter build,$(BUILD)),hostprof,$(BUILD)/hostprof)

PACKAGES := gcc make libpfm4-dev libelf-dev libdw-dev libcmocka-dev zlib1g-dev \
	libzstd-dev libjansson-dev libiberty-dev liblzma-dev

WARNINGS := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wvla -Wstrict-prototypes \
	-Wno-missing-field-initializers
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE -I. $(WARNINGS) $(CFLAGS)
LIBS := -lpfm -lelf -ljansson -lzstd -lz -llzma -l:libiberty.a -lm

ROOMS   := perfcore symbolize cli
SOURCES := $(sort $(shell find $(ROOMS) -name '*.c'))
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
LIBRARY := $(BUILD)/libhostprof.a
LIB_OBJECTS := $(filter-out $(BUILD)/cli/main.o,$(OBJECTS))

UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(sort $(wildcard tests/unit/test_*.c)))
# Tests of these rooms replace the system-call layer by tests/unit/fake_sys.c.
FAKE_SYS_TESTS := $(patsubst %,$(BUILD)/tests/%,$(basename $(notdir $(shell grep -ls fake_sys.h tests/unit/test_*.c))))
# What tests share with each other, linked into all of them.
TEST_PARTS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out tests/unit/test_%.c tests/unit/fake_sys.c,$(wildcard tests/unit/*.c)))
TARGETS := $(patsubst tests/targets/%.c,$(BUILD)/targets/%,$(sort $(wildcard tests/targets/*.c)))

quiet = $(if $(filter 0,$(V)),@echo "  $(1)";)

all: $(BINARY) ## build ./hostprof

include cli/views/page/page.mk

$(BINARY): $(BUILD)/cli/main.o $(LIBRARY)
	$(call quiet,LD $@)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

$(LIBRARY): $(LIB_OBJECTS)
	@rm -f $@
	$(call quiet,AR $@)$(AR) rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call quiet,CC $<)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/%: tests/unit/%.c $(TEST_PARTS) $(LIBRARY)
	@mkdir -p $(@D)
	$(call quiet,TEST $@)$(CC) $(ALL_CFLAGS) -Itests/unit -MMD -MP -MF $@.d -o $@ $< \
		$(if $(filter $@,$(FAKE_SYS_TESTS)),tests/unit/fake_sys.c) $(TEST_PARTS) $(LIBRARY) -lcmocka -ldw $(LIBS)

-include $(OBJECTS:.o=.d) $(TEST_PARTS:.o=.d) $(UNIT_TESTS:=.d)

include tests/tests.mk $(wildcard tests/*/*.mk)

check: $(UNIT_TESTS) $(BINARY) ## unit tests: no root, no perf, under 10 s
	@BUILD=$(BUILD) tests/run unit

lint: ## the house style, as far as a script can tell
	@tests/lint

format: ## clang-format decides
	clang-format -i $$(git ls-files -co --exclude-standard "*.c" "*.h")

packages: ## install what is missing (Debian: apt, as root)
	@.ci/packages $(PACKAGES)

install: $(BINARY) ## the binary and its man page
	install -Dm755 hostprof $(DESTDIR)$(PREFIX)/bin/hostprof
	install -Dm644 docs/hostprof.1 $(DESTDIR)$(PREFIX)/share/man/man1/hostprof.1

clean: ## remove what was built
	rm -rf build hostprof

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "%-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: all check lint format packages install clean help
.DELETE_ON_ERROR:
.SECONDARY: $(TEST_PARTS)
