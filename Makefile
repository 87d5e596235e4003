# Makefile - builds libuop and uopc; runs, tests and benchmarks them.
#
#   make            build/uopc, build/libuop.a, build/libuop.so
#   make run        the main job on an example
#   make test       all tests, under AddressSanitizer and UBSan; installs what they need
#   make test-deep  a 10,000,000-deep chain on a 64 KiB stack
#   make fuzz       libFuzzer on the whole way of a program, for FUZZ_SECONDS
#   make bless      rewrites the expectations of tests/golden (read the diff!)
#   make generate   what is derived from src/ir/ops.def: the enum in uop.h, docs/ops.md
#   make pictures   the graphs in docs/ (needs Graphviz)
#   make format     clang-format
#   make clean
#
# CC, CFLAGS and BUILD may be given: make BUILD=/tmp/b CC=clang.

CC       ?= cc
CFLAGS   ?= -O3 -g
BUILD    ?= build
SOVERSION = 0

# No contraction and no traps: every op rounds once, and loops over selects vectorise.
FLOAT    := -ffp-contract=off -fno-trapping-math -fno-math-errno
WARN     := -Wall -Wextra -Wpedantic -Wconversion -Wshadow
LIBFLAGS  = -std=c11 $(WARN) $(FLOAT) -Iinclude -Isrc -fvisibility=hidden
CLIFLAGS  = -std=c11 $(WARN) -D_POSIX_C_SOURCE=200809L -Iinclude
SANITIZE := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all

SRC  := $(sort $(wildcard src/*/*.c))
CLI  := $(sort $(wildcard cli/*.c))
DEPS := $(wildcard include/*.h src/*/*.h src/*/*.def src/*/*.inc cli/*.h)
UNIT := $(patsubst tests/%.c,%,$(sort $(wildcard tests/test_*.c)))

OBJ    := $(SRC:%.c=$(BUILD)/%.o)
PICOBJ := $(SRC:%.c=$(BUILD)/%.pic.o)
CLIOBJ := $(CLI:%.c=$(BUILD)/%.o)

# make V=1 shows whole commands.
V ?= 0
Q_0 = @echo "  $(1) $@";
Q_1 =
SAY = $(Q_$(V))

all: $(BUILD)/uopc $(BUILD)/libuop.a $(BUILD)/libuop.so

$(BUILD)/src/%.pic.o: src/%.c $(DEPS) Makefile
	@mkdir -p $(@D)
	$(call SAY,cc  )$(CC) $(LIBFLAGS) $(CFLAGS) -fPIC -c $< -o $@

$(BUILD)/src/%.o: src/%.c $(DEPS) Makefile
	@mkdir -p $(@D)
	$(call SAY,cc  )$(CC) $(LIBFLAGS) $(CFLAGS) -c $< -o $@

$(BUILD)/cli/%.o: cli/%.c $(DEPS) Makefile
	@mkdir -p $(@D)
	$(call SAY,cc  )$(CC) $(CLIFLAGS) $(CFLAGS) -c $< -o $@

$(BUILD)/libuop.a: $(OBJ)
	@rm -f $@
	$(call SAY,ar  )$(AR) rcs $@ $(OBJ)

$(BUILD)/libuop.so: $(PICOBJ)
	$(call SAY,link)$(CC) -shared -Wl,-soname,libuop.so.$(SOVERSION) $(CFLAGS) $(PICOBJ) -o $@ -lm
	@ln -sf libuop.so $(BUILD)/libuop.so.$(SOVERSION)

$(BUILD)/uopc: $(CLIOBJ) $(BUILD)/libuop.a
	$(call SAY,link)$(CC) $(CFLAGS) $(CLIOBJ) $(BUILD)/libuop.a -o $@ -lm

# ---- the main job ----

run: $(BUILD)/uopc
	@tools/demo.sh $(BUILD)/uopc

# ---- tests ----

test: test-deps
	@BUILD=$(BUILD) CC="$(CC)" MAKE="$(MAKE)" tests/run.sh

test-deps:
	@tests/deps.sh

test-deep: $(BUILD)/tests/deep
	tests/deep.sh $(BUILD)/tests/deep 10000000

# Any bytes as a program, for a minute (clang's libFuzzer: Debian's libclang-rt-dev).
FUZZ_SECONDS ?= 60
fuzz:
	@mkdir -p $(BUILD)/fuzz/corpus
	clang -std=c11 $(FLOAT) -O1 -g -fsanitize=fuzzer,address,undefined -Iinclude -Isrc \
	  tests/fuzz/fuzz_uir.c $(SRC) -lm -o $(BUILD)/fuzz/fuzz_uir
	find tests/golden examples -name '*.uir' -exec cp {} $(BUILD)/fuzz/corpus/ \;
	$(BUILD)/fuzz/fuzz_uir -max_total_time=$(FUZZ_SECONDS) -timeout=10 -artifact_prefix=$(BUILD)/fuzz/ \
	  -dict=tests/fuzz/uir.dict $(BUILD)/fuzz/corpus

bless: $(BUILD)/uopc $(BUILD)/tests/golden
	$(BUILD)/tests/golden --bless $(BUILD)/uopc tests/golden

# Everything once more with sanitizers, for the tests.
ASAN := $(BUILD)/asan
ASANOBJ := $(SRC:%.c=$(ASAN)/%.o)

$(ASAN)/src/%.o: src/%.c $(DEPS) Makefile
	@mkdir -p $(@D)
	$(call SAY,cc  )$(CC) $(LIBFLAGS) $(SANITIZE) -c $< -o $@

$(ASAN)/cli/%.o: cli/%.c $(DEPS) Makefile
	@mkdir -p $(@D)
	$(call SAY,cc  )$(CC) $(CLIFLAGS) $(SANITIZE) -c $< -o $@

$(ASAN)/libuop.a: $(ASANOBJ)
	@rm -f $@
	$(call SAY,ar  )$(AR) rcs $@ $(ASANOBJ)

$(ASAN)/uopc: $(CLI:%.c=$(ASAN)/%.o) $(ASAN)/libuop.a
	$(call SAY,link)$(CC) $(SANITIZE) $^ -o $@ -lm

TESTFLAGS = -std=c11 $(WARN) $(FLOAT) -D_GNU_SOURCE -Iinclude -Isrc -Itests
TESTHELP := $(wildcard tests/support/*.c)
TESTDEPS := $(DEPS) $(wildcard tests/*.h tests/support/*.h)

$(ASAN)/tests/%: tests/%.c $(TESTHELP) $(TESTDEPS) $(ASAN)/libuop.a
	@mkdir -p $(@D)
	$(call SAY,test)$(CC) $(TESTFLAGS) $(SANITIZE) $< $(TESTHELP) $(ASAN)/libuop.a -o $@ -lcmocka -lm

$(BUILD)/tests/%: tests/%.c $(TESTHELP) $(TESTDEPS) $(BUILD)/libuop.a
	@mkdir -p $(@D)
	$(call SAY,test)$(CC) $(TESTFLAGS) -O2 -g $< $(TESTHELP) $(BUILD)/libuop.a -o $@ -lcmocka -lm

unit-tests: $(UNIT:%=$(ASAN)/tests/%) $(ASAN)/uopc $(BUILD)/uopc $(BUILD)/tests/golden $(BUILD)/tests/deep

# ---- derived files ----

generate: $(BUILD)/generate
	$(BUILD)/generate enum include/uop.h
	$(BUILD)/generate docs > docs/ops.md

$(BUILD)/generate: tools/generate.c src/ir/ops.def src/ir/sugar.def
	@mkdir -p $(@D)
	$(CC) -std=c11 $(WARN) -O1 tools/generate.c -o $@

pictures: $(BUILD)/uopc
	$(BUILD)/uopc graph --svg -o docs/distance.svg examples/distance.uir

format:
	clang-format -i include/*.h src/*/*.c src/*/*.h cli/*.c cli/*.h tests/*.c tests/*/*.[ch] tools/*.c

clean:
	rm -rf $(BUILD)

.PHONY: all run test test-deps test-deep fuzz bless unit-tests generate pictures format clean
.DELETE_ON_ERROR:
.SECONDARY:
