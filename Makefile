# ebscope: `make help` lists the targets.
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
BUILD  ?= build
PKGS    = ncursesw libcurl jansson blkid mount expat
WARN    = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Wmissing-prototypes -Wstrict-prototypes
FLAGS   = -std=gnu11 -pthread $(WARN) $(SAN) $(CFLAGS) -I. -D_GNU_SOURCE $(shell pkg-config --cflags $(PKGS))
LIBS    = -laio -lm $(shell pkg-config --libs $(PKGS))
objs    = $(patsubst %.c,$(BUILD)/%.o,$(filter-out tui/main.c,$(wildcard $1/*.c)))
link    = $(CC) $(FLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
engine := $(BUILD)/engine.a
aws    := $(BUILD)/aws.a $(engine)
tui    := $(BUILD)/tui.a $(aws)
tests  := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*/test_*.c))

all: $(BUILD)/ebscope
$(BUILD)/ebscope: $(BUILD)/tui/main.o $(tui) ; $(link)
# A test links its own layer and those below it: engine code that calls up does not link.
$(BUILD)/tests/unit/engine/%: $(BUILD)/tests/unit/engine/%.o $(engine) ; $(link) -lcmocka
$(BUILD)/tests/unit/aws/%:    $(BUILD)/tests/unit/aws/%.o    $(aws)    ; $(link) -lcmocka
$(BUILD)/tests/unit/tui/%:    $(BUILD)/tests/unit/tui/%.o    $(tui)    ; $(link) -lcmocka
.SECONDEXPANSION:
$(BUILD)/%.a: $$(call objs,$$*) ; @$(RM) $@ && $(AR) rcs $@ $^
$(BUILD)/%.o: %.c ; @mkdir -p $(@D) && $(CC) $(FLAGS) -MMD -MP -c -o $@ $<

unit: $(tests) ; @for t in $^; do $$t || exit 1; done
clean: ; $(RM) -r $(BUILD)
.PHONY: all unit clean
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
