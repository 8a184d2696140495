# ebscope. The two commands to know are `make run` and `make test`; `make help` lists the rest.
# Yours to set: CC CFLAGS LDFLAGS BUILD PREFIX DESTDIR, and ARGS for what `make run` passes on.
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
BUILD  ?= build
WARN    = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Wmissing-prototypes -Wstrict-prototypes
FLAGS   = -std=gnu11 -pthread $(WARN) $(SAN) $(CFLAGS) -I. -D_GNU_SOURCE
LIBS    = -lncursesw -lcurl -ljansson -lblkid -lmount -lexpat -laio -lm
ASAN    = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
TSAN    = -fsanitize=thread
deps    = tests/support/deps
check   = tests/support/check
headers = $(wildcard engine/*.h aws/*.h tui/*.h)

data    = $(wildcard $1/*.csv $1/*.json $1/*.theme)
objs    = $(patsubst %.c,$(BUILD)/%.o,$(filter-out tui/main.c,$(wildcard $1/*.c))) $(patsubst %,$(BUILD)/%.o,$2)
link    = $(CC) $(FLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
engine := $(BUILD)/engine.a
aws    := $(BUILD)/aws.a $(engine)
tui    := $(BUILD)/tui.a $(aws)
tests  := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*/test_*.c))

all: $(BUILD)/ebscope ## build the program (the default)
$(BUILD)/ebscope: $(BUILD)/tui/main.o $(tui) ; $(link)
# A test links its own layer and those below it: engine code that calls up does not link.
$(BUILD)/tests/unit/engine/%: $(BUILD)/tests/unit/engine/%.o $(engine) ; $(link) -lcmocka
$(BUILD)/tests/unit/aws/%:    $(BUILD)/tests/unit/aws/%.o    $(aws)    ; $(link) -lcmocka
$(BUILD)/tests/unit/tui/%:    $(BUILD)/tests/unit/tui/%.o    $(tui)    ; $(link) -lcmocka
$(BUILD)/engine.a: $(call objs,engine,$(call data,engine))
$(BUILD)/aws.a:    $(call objs,aws,$(call data,aws))
$(BUILD)/tui.a:    $(call objs,tui,$(call data,tui) $(call data,themes))
$(BUILD)/%.a: ; @mkdir -p $(@D) && $(RM) $@ && $(AR) rcs $@ $^
$(BUILD)/%.o: %.c ; @mkdir -p $(@D) && $(CC) $(FLAGS) -MMD -MP -c -o $@ $<

# Data compiled in: aws/instances.csv is linked wherever code asks for it with
#     extern const char aws_instances_csv[], aws_instances_csv_end[];
# (the path with _ for / . and -). *_end points behind the last byte, and a NUL stands there.
name = $(subst -,_,$(subst .,_,$(subst /,_,$1)))
$(patsubst %,$(BUILD)/%.o,$(foreach d,engine aws tui themes,$(call data,$d))): $(BUILD)/%.o: %
	@mkdir -p $(@D) && printf '%s\n' '.section .rodata' '.global $(call name,$*), $(call name,$*)_end' \
	    '$(call name,$*): .incbin "$<"' '$(call name,$*)_end: .byte 0' \
	    '.section .note.GNU-stack,"",%progbits' | $(CC) -c -x assembler -o $@ -

unit: $(tests) ## the unit tests alone
	@for t in $^; do $$t || exit 1; done
clean: ; $(RM) -r $(BUILD)
.PHONY: all unit clean
.SECONDARY:
MAKEFLAGS += -r
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
