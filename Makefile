# ebscope. The two commands to know are `make run` and `make test`; `make help` lists the rest.
# Yours to set: CC CFLAGS LDFLAGS BUILD PREFIX DESTDIR; ARGS for `make run`; T=WORD picks tests, FUZZ_TIME seconds.
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
BUILD  ?= build
FUZZ_TIME ?= 60
WARN    = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Wmissing-prototypes -Wstrict-prototypes
FLAGS   = -std=gnu11 -pthread $(WARN) $(SAN) $(CFLAGS) -I. -D_GNU_SOURCE
LIBS    = -lncursesw -lcurl -ljansson -lblkid -lmount -lexpat -laio -lm
# Sanitized code is built twice as fast at -O1 (where gcc knows less about lengths), and its traces fold no frames away.
tested  = CFLAGS='-O1 -g1 -Wno-format-truncation'
asan    = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
tsan    = -fsanitize=thread
deps    = CC='$(CC)' tests/support/deps
check   = CC='$(CC)' BUILD='$(BUILD)' tests/support/check
layers  = engine aws tui
themes  = $(DESTDIR)$(PREFIX)/share/ebscope/themes

data    = $(wildcard $1/*.csv $1/*.json $1/*.theme)
objs    = $(patsubst %.c,$(BUILD)/%.o,$(filter-out tui/main.c,$(wildcard $1/*.c))) $(patsubst %,$(BUILD)/%.o,$2)
link    = $(CC) $(FLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
engine := $(BUILD)/engine.a
aws    := $(BUILD)/aws.a $(engine)
tui    := $(BUILD)/tui.a $(aws)
tests  := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*/test_*.c))
fuzzes := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
replay := $(BUILD)/tests/support/replay.o

all: $(BUILD)/ebscope ## build the program, build/ebscope (the default)
$(BUILD)/ebscope: $(BUILD)/tui/main.o $(tui) ; @$(link)
# A test links its own layer and those below it: engine code that calls up does not link.
$(BUILD)/tests/unit/engine/%: $(BUILD)/tests/unit/engine/%.o $(engine) ; @$(link) -lcmocka
$(BUILD)/tests/unit/aws/%:    $(BUILD)/tests/unit/aws/%.o    $(aws)    ; @$(link) -lcmocka
$(BUILD)/tests/unit/tui/%:    $(BUILD)/tests/unit/tui/%.o    $(tui)    ; @$(link) -lcmocka
$(BUILD)/tests/fuzz/%:        $(BUILD)/tests/fuzz/%.o $(replay) $(tui) ; @$(link)
$(BUILD)/engine.a: $(call objs,engine,$(call data,engine))
$(BUILD)/aws.a:    $(call objs,aws,$(call data,aws))
$(BUILD)/tui.a:    $(call objs,tui,$(call data,tui) $(call data,themes))
$(BUILD)/%.a: ; @mkdir -p $(@D) && $(RM) $@ && $(AR) rcs $@ $^
$(BUILD)/%.o: %.c ; @mkdir -p $(@D) && $(CC) $(FLAGS) -MMD -MP -c -o $@ $<

# Data compiled in: aws/instances.csv is linked wherever code asks for it with
#     extern const char aws_instances_csv[], aws_instances_csv_end[];
# (the path with _ for / . and -). *_end points behind the last byte, and a NUL stands there.
symbol = $(subst -,_,$(subst .,_,$(subst /,_,$*)))
$(patsubst %,$(BUILD)/%.o,$(foreach d,$(layers) themes,$(call data,$d))): $(BUILD)/%.o: %
	@mkdir -p $(@D) && printf '%s\n' '.section .rodata' '.global $(symbol), $(symbol)_end' \
	    '$(symbol): .incbin "$<"' '$(symbol)_end: .byte 0' '.section .note.GNU-stack,"",%progbits' | \
	    $(CC) -c -x assembler -o $@ -

run: ## install what the build needs, build, open the dashboard (no terminal: a short test of this disk)
	@$(deps) build && $(MAKE) --no-print-directory -s -j$$(nproc) all
	@if [ -t 0 ] && [ -t 1 ]; then exec $(BUILD)/ebscope $(ARGS); fi; \
	    dir=$$(mktemp -d $(BUILD)/run.XXXXXX) && trap 'rm -rf $$dir' EXIT && $(BUILD)/ebscope run $(ARGS) $$dir
test: ## install what the tests need, run all of them, print one sum
	@$(deps) test && $(check) sources unit corpora e2e unit:asan corpora:asan unit:tsan
unit: ; @$(check) unit ## the unit tests alone
e2e: ; @$(check) e2e ## the end-to-end tests alone
asan: ; @$(check) unit:asan corpora:asan e2e:asan ## unit tests, fuzz corpora and end-to-end tests under ASan, UBSan, LSan
tsan: ; @$(check) unit:tsan e2e:tsan ## unit and end-to-end tests under TSan
bench: ## install what that needs, measure against the bars that the project sets itself
	@$(deps) bench && $(check) bench
headers: ; @$(check) sources ## layers, headers that compile alone, licences, scripts, warnings of gcc and clang
fuzz: ## let libFuzzer try each fuzz target for FUZZ_TIME seconds
	@$(deps) fuzz && $(MAKE) --no-print-directory -s -j$$(nproc) fuzzers BUILD=$(BUILD)/fuzz CC=clang replay= \
	    SAN='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' LDFLAGS=-fsanitize=fuzzer
	@for f in $(fuzzes:$(BUILD)/tests/fuzz/fuzz_%=%); do new=$(BUILD)/fuzz/corpus/$$f; mkdir -p $$new && echo "fuzz: $$f" && \
	    $(BUILD)/fuzz/tests/fuzz/fuzz_$$f -max_total_time=$(FUZZ_TIME) -timeout=10 -rss_limit_mb=1024 -verbosity=0 \
	    -print_final_stats=1 -artifact_prefix=$(BUILD)/fuzz/$$f- $$new tests/fuzz/corpus/$$f || exit 1; done

install: all ## copy the program and the themes under PREFIX (and DESTDIR)
	install -D -m 755 $(BUILD)/ebscope "$(DESTDIR)$(PREFIX)/bin/ebscope"
	install -d "$(themes)" && install -m 644 themes/*.theme "$(themes)"
uninstall: ; $(RM) "$(DESTDIR)$(PREFIX)/bin/ebscope" && $(RM) -r "$(DESTDIR)$(PREFIX)/share/ebscope" ## remove what install copied
format: ; clang-format -i $(wildcard $(addsuffix /*.[ch],$(layers) tests/unit/* tests/fuzz tests/support)) ## lay out the C sources
clean: ; $(RM) -r $(BUILD) ## remove what was built
help: ; @awk -F':.*## ' '/^[a-z0-9]+:.*## / { printf "%-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST)) ## this list

objects: $(foreach d,$(layers),$(call objs,$d)) $(addsuffix .o,$(tests) $(fuzzes)) $(patsubst %.c,$(BUILD)/%.o,$(wildcard tui/main.c))
programs: $(tests)
fuzzers: $(fuzzes)
asan-%: ; @$(MAKE) $* BUILD=$(BUILD)/asan SAN='$(asan)' $(tested)
tsan-%: ; @$(MAKE) $* BUILD=$(BUILD)/tsan SAN='$(tsan)' $(tested)
.PHONY: all run test unit e2e asan tsan bench headers fuzz install uninstall format clean help objects programs fuzzers
.SECONDARY:
MAKEFLAGS += -r
-include $(wildcard $(BUILD)/*/*.d $(BUILD)/tests/*/*.d $(BUILD)/tests/*/*/*.d)
