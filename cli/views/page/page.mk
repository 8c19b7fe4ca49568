# The page's sources become one file, and that a C array in the binary.

PAGE_SOURCES := $(sort $(wildcard cli/views/page/*.js cli/views/page/*.css cli/views/page/*.html))

$(BUILD)/cli/views/page_template.c: cli/views/page/assemble $(PAGE_SOURCES)
	@mkdir -p $(@D)
	$(call quiet,PAGE $@)cli/views/page/assemble c >$@

$(BUILD)/cli/views/page_template.o: $(BUILD)/cli/views/page_template.c cli/views/page_template.h
	$(call quiet,CC $<)$(CC) $(ALL_CFLAGS) -c -o $@ $<

LIB_OBJECTS += $(BUILD)/cli/views/page_template.o
