# Makefile - builds libuop and uopc; runs, tests and benchmarks them.
#
#   make            build/uopc, build/libuop.a, build/libuop.so
#   make run        the main job on an example
#   make test       all tests, under AddressSanitizer and UBSan; installs what they need
#   make test-deep  a 10,000,000-deep chain on a 64 KiB stack
#   make test-exhaustive  functions of one float on all 2^32, into docs/measured.md
#   make fuzz       libFuzzer on the whole way of a program, for FUZZ_SECONDS
#   make bless      rewrites the expectations of tests/golden (read the diff!)
#   make examples-data   the weights and data in examples/ anew, and numpy's results for the tests
#   make examples-check  the test images of Fashion-MNIST, by numpy and by uopc
#   make generate   what is derived: from src/ir/ops.def the enum in uop.h and docs/ops.md, from the
#                   rules in src/symbolic their tables and docs/rules.md
#   make prove      proves the rules that changed, by z3 (PROVE=all: every rule), into
#                   src/symbolic/proofs.txt and docs/rules.md
#   make wasm       build/package: the library as WebAssembly, for Node and browsers
#   make web-package, test-web   the same as npm packs it; its tests and the golden files through it
#   make pictures   the graphs in docs/ (needs Graphviz)
#   make format     clang-format
#   make install    into $(DESTDIR)$(PREFIX); make uninstall takes it away again
#   make amalgamation, dist, docs   one uop.c; a tarball; the reference in HTML
#   make playground  the page that shows the graph of what you type, served on 127.0.0.1; make web: its
#                   static files; make test-page: its tests in a real browser
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

# Five minutes of two cores. `make test` tries every 1,009th input.
test-exhaustive: $(BUILD)/tests/exhaustive
	tests/exhaustive.sh $(BUILD)/tests/exhaustive docs/measured.md

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

# The weights and data of examples/mlp.uir, and numpy's results in tests/examples, made anew.
PYTHON  ?= /usr/bin/python3
FASHION ?= /usr/share/datasets/fashion-mnist
examples-data: examples-deps
	$(PYTHON) examples/mlp/train.py $(FASHION)
	$(PYTHON) tests/examples/expected.py

# The 10,000 test images: numpy and uopc have to name the same class for each.
examples-check: examples-deps $(BUILD)/uopc
	$(PYTHON) examples/mlp/train.py $(FASHION) check $(BUILD)/uopc

examples-deps:
	@PYTHON="$(PYTHON)" FASHION="$(FASHION)" tests/deps.sh examples

.PHONY: examples-data examples-check examples-deps

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
TESTDEPS := $(DEPS) $(wildcard tests/*.h tests/support/*.h tests/plain/*.h)

# The plain evaluator, against which the library's is checked.
PLAIN := $(sort $(wildcard tests/plain/*.c))

$(ASAN)/tests/plain/%.o: tests/plain/%.c $(TESTDEPS) Makefile
	@mkdir -p $(@D)
	$(call SAY,cc  )$(CC) $(TESTFLAGS) $(SANITIZE) -c $< -o $@

$(BUILD)/tests/plain/%.o: tests/plain/%.c $(TESTDEPS) Makefile
	@mkdir -p $(@D)
	$(call SAY,cc  )$(CC) $(TESTFLAGS) -O2 -g -c $< -o $@

%/plain.a:
	@rm -f $@
	$(call SAY,ar  )$(AR) rcs $@ $^
$(ASAN)/tests/plain.a: $(PLAIN:%.c=$(ASAN)/%.o)
$(BUILD)/tests/plain.a: $(PLAIN:%.c=$(BUILD)/%.o)

$(ASAN)/tests/%: tests/%.c $(TESTHELP) $(TESTDEPS) $(ASAN)/tests/plain.a $(ASAN)/libuop.a
	@mkdir -p $(@D)
	$(call SAY,test)$(CC) $(TESTFLAGS) $(SANITIZE) $< $(TESTHELP) $(ASAN)/tests/plain.a \
	  $(ASAN)/libuop.a -o $@ -lcmocka -lm

$(BUILD)/tests/%: tests/%.c $(TESTHELP) $(TESTDEPS) $(BUILD)/tests/plain.a $(BUILD)/libuop.a
	@mkdir -p $(@D)
	$(call SAY,test)$(CC) $(TESTFLAGS) -O2 -g $< $(TESTHELP) $(BUILD)/tests/plain.a \
	  $(BUILD)/libuop.a -o $@ -lcmocka -lm

# The command as a function, in a program that makes its allocations fail.
$(ASAN)/cli/uopc_main.o: cli/main.c $(DEPS) Makefile
	@mkdir -p $(@D)
	$(call SAY,cc  )$(CC) $(CLIFLAGS) $(SANITIZE) -Dmain=uopc_main -c $< -o $@

COMMANDOBJ := $(ASAN)/cli/uopc_main.o $(filter-out %/main.o,$(CLI:%.c=$(ASAN)/%.o))

$(ASAN)/tests/command_memory: tests/command_memory.c $(COMMANDOBJ) $(ASAN)/libuop.a
	@mkdir -p $(@D)
	$(call SAY,test)$(CC) $(TESTFLAGS) $(SANITIZE) -Wl,--wrap=realpath -Wl,-z,now $^ -o $@ -lm

# The command on a terminal; runs another build of it.
$(BUILD)/tests/command_watch: tests/command_watch.c Makefile
	@mkdir -p $(@D)
	$(call SAY,test)$(CC) $(TESTFLAGS) -O1 -g $< -o $@ -lutil

# ThreadSanitizer wants everything built with it.
$(BUILD)/tests/threads: tests/threads.c $(SRC) $(DEPS)
	@mkdir -p $(@D)
	$(call SAY,test)$(CC) -std=c11 $(WARN) $(FLOAT) -D_POSIX_C_SOURCE=200809L -Iinclude -Isrc -O1 -g -fsanitize=thread tests/threads.c \
	  $(SRC) -o $@ -lm -lpthread

unit-tests: $(BUILD)/tests/threads $(UNIT:%=$(ASAN)/tests/%) $(ASAN)/tests/command_memory \
  $(ASAN)/uopc $(BUILD)/uopc $(BUILD)/tests/golden $(BUILD)/tests/deep $(BUILD)/tests/command_watch $(BUILD)/tests/exhaustive

# ---- derived files ----

generate: $(BUILD)/generate
	$(BUILD)/generate enum include/uop.h
	$(BUILD)/generate docs > docs/ops.md
	@$(MAKE) --no-print-directory $(BUILD)/rules
	$(BUILD)/rules $(RULES) > $(BUILD)/tables.inc
	cp $(BUILD)/tables.inc src/symbolic/tables.inc
	@$(MAKE) --no-print-directory $(BUILD)/prove
	$(BUILD)/prove docs $(PROOFS) $(RULES) > docs/rules.md

$(BUILD)/generate: tools/generate.c src/ir/ops.def src/ir/sugar.def
	@mkdir -p $(@D)
	$(CC) -std=c11 $(WARN) -O1 tools/generate.c -o $@

# The compiler of rules is the library's own, without the tables that it makes.
RULES := $(sort $(wildcard src/symbolic/*.rules))
RULEOBJ := $(filter-out $(BUILD)/src/symbolic/%,$(OBJ))

$(BUILD)/rules: tools/rules.c src/symbolic/functions.def $(RULEOBJ)
	$(CC) $(LIBFLAGS) -O1 tools/rules.c $(RULEOBJ) -o $@ -lm

# Proofs of the rules, by z3: of those that changed since the record, or of all (PROVE=all).
PROVE   ?= changed
PROOFS  := src/symbolic/proofs.txt
PROVEC  := $(sort $(wildcard tools/prove/*.c))

prove: $(BUILD)/prove
	@tests/deps.sh prove
	$(BUILD)/prove update $(if $(filter all,$(PROVE)),--all) $(PROOFS) $(RULES)
	$(BUILD)/prove docs $(PROOFS) $(RULES) > docs/rules.md

$(BUILD)/prove: $(PROVEC) tools/prove/prove.h src/symbolic/functions.def $(RULEOBJ)
	$(call SAY,cc  )$(CC) $(LIBFLAGS) -D_GNU_SOURCE -Itools/prove -O1 $(PROVEC) $(RULEOBJ) -o $@ -lm -lpthread

pictures: $(BUILD)/uopc
	$(BUILD)/uopc graph --svg -o docs/distance.svg examples/distance.uir

format:
	clang-format -i include/*.h src/*/*.c src/*/*.h cli/*.c cli/*.h tests/*.c tests/*/*.[ch] tools/*.c tools/*/*.[ch] web/wasm/*.[ch] \
	  web/wasm/*/*.[ch]

# ---- install and packages ----
#
#   make install       under PREFIX, below DESTDIR: uopc, libuop, uop.h, uop.pc, man pages, completion
#   make uninstall     removes what install put there
#   make amalgamation  build/amalgamation: the library as one uop.c beside uop.h
#   make dist          build/uopc-VERSION.tar.gz of the tracked files, the same bytes each time
#   make docs          build/docs: uop.h as HTML; a declaration without documentation is an error

PREFIX     ?= /usr/local
DESTDIR    ?=
bindir     ?= $(PREFIX)/bin
libdir     ?= $(PREFIX)/lib
includedir ?= $(PREFIX)/include
datadir    ?= $(PREFIX)/share
mandir     ?= $(datadir)/man
pcdir      ?= $(libdir)/pkgconfig
bashdir    ?= $(datadir)/bash-completion/completions
zshdir     ?= $(datadir)/zsh/site-functions

# The version is said once, in uop.h. SOVERSION counts breaks of the binary interface.
VERSION = $(shell sed -n 's/^\#define UOP_VERSION "\([^"]*\)".*/\1/p' include/uop.h)
REALLIB = libuop.so.$(VERSION)

# What install puts there and uninstall removes.
INSTALLED = $(bindir)/uopc $(libdir)/libuop.a $(libdir)/$(REALLIB) $(libdir)/libuop.so.$(SOVERSION) \
  $(libdir)/libuop.so $(includedir)/uop.h $(pcdir)/uop.pc $(mandir)/man1/uopc.1 $(mandir)/man3/uop.3 \
  $(bashdir)/uopc $(zshdir)/_uopc

install: all
	install -d $(patsubst %,"$(DESTDIR)%",$(sort $(dir $(INSTALLED))))
	install -m 755 $(BUILD)/uopc "$(DESTDIR)$(bindir)/uopc"
	install -m 644 $(BUILD)/libuop.a "$(DESTDIR)$(libdir)/libuop.a"
	install -m 755 $(BUILD)/libuop.so "$(DESTDIR)$(libdir)/$(REALLIB)"
	ln -sf $(REALLIB) "$(DESTDIR)$(libdir)/libuop.so.$(SOVERSION)"
	ln -sf libuop.so.$(SOVERSION) "$(DESTDIR)$(libdir)/libuop.so"
	install -m 644 include/uop.h "$(DESTDIR)$(includedir)/uop.h"
	sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(libdir:$(PREFIX)/%=$${prefix}/%)|' \
	  -e 's|@INCLUDEDIR@|$(includedir:$(PREFIX)/%=$${prefix}/%)|; s|@VERSION@|$(VERSION)|' \
	  tools/uop.pc.in > $(BUILD)/uop.pc
	install -m 644 $(BUILD)/uop.pc "$(DESTDIR)$(pcdir)/uop.pc"
	install -m 644 man/uopc.1 "$(DESTDIR)$(mandir)/man1/uopc.1"
	install -m 644 man/uop.3 "$(DESTDIR)$(mandir)/man3/uop.3"
	install -m 644 completions/uopc.bash "$(DESTDIR)$(bashdir)/uopc"
	install -m 644 completions/_uopc "$(DESTDIR)$(zshdir)/_uopc"

uninstall:
	rm -f $(INSTALLED:%="$(DESTDIR)%")

# The files in the data's way, whose order tests/layers.sh holds; any order compiles.
LAYERS  = $(shell sed -n 's/^order="\(.*\)"/\1/p' tests/layers.sh)
LAYERED = $(foreach layer,$(LAYERS),$(filter src/$(layer)/%,$(SRC)))

amalgamation: $(BUILD)/amalgamation/uop.c $(BUILD)/amalgamation/uop.h

$(BUILD)/amalgamation/uop.c: $(BUILD)/amalgamate $(SRC) $(DEPS) LICENSE
	@mkdir -p $(@D)
	$(call SAY,make)$(BUILD)/amalgamate LICENSE $(LAYERED) $(filter-out $(LAYERED),$(SRC)) > $@

$(BUILD)/amalgamation/uop.h: include/uop.h
	@mkdir -p $(@D)
	$(call SAY,copy)cp include/uop.h $@

$(BUILD)/amalgamate: tools/amalgamate.c
	@mkdir -p $(@D)
	$(call SAY,cc  )$(CC) -std=c11 $(WARN) -O1 tools/amalgamate.c -o $@

dist:
	@mkdir -p $(BUILD)
	tools/dist.sh $(VERSION) $(BUILD)/uopc-$(VERSION).tar.gz

docs:
	@tests/deps.sh docs
	@mkdir -p $(BUILD)/docs
	@BUILD=$(BUILD) VERSION=$(VERSION) doxygen tools/Doxyfile
	@echo "  docs $(BUILD)/docs/html/index.html"
# ---- end of install ----

# ---- the playground ----

include web/page.mk

# ---- benchmarks ----

# make bench: all of it beside its yardsticks, into docs/measured.md and docs/bench.svg; some ten
# minutes and 7 GB. bench-quick: 100,000 nodes, to standard output. bench-deps: the yardsticks.
BENCH := $(BUILD)/bench
BENCHFLAGS = -std=c11 $(WARN) -D_GNU_SOURCE -Iinclude $(CFLAGS)
BENCHPROGS := core rewrite simplify floor eval_floor z3 arrays text text_floor text_floor_named gen cpu

bench:
	@bench/deps.sh check
	@$(MAKE) --no-print-directory bench-programs
	@BENCH_CFLAGS="$(CFLAGS)" bench/bench.sh $(BENCH) $(BUILD)/uopc $(CC) docs

bench-quick:
	@bench/deps.sh check
	@$(MAKE) --no-print-directory bench-programs
	@BENCH_RUNS=$${BENCH_RUNS:-3} BENCH_SIZES=$${BENCH_SIZES:-100000} \
	  bench/bench.sh $(BENCH) $(BUILD)/uopc $(CC) ""

bench-deps:
	@bench/deps.sh

bench-programs: $(BENCHPROGS:%=$(BENCH)/%) $(BUILD)/uopc

$(BENCH)/z3: BENCHLIBS = -lz3
$(BENCH)/core $(BENCH)/rewrite $(BENCH)/simplify $(BENCH)/text $(BENCH)/arrays: BENCHLIBS = $(BUILD)/libuop.a -lm
$(BENCH)/core $(BENCH)/rewrite $(BENCH)/simplify $(BENCH)/text $(BENCH)/arrays: $(BUILD)/libuop.a

$(BENCH)/text_floor_named: bench/text_floor.c bench/workload.h bench/text_file.h Makefile
	@mkdir -p $(@D)
	$(call SAY,cc  )$(CC) $(BENCHFLAGS) -DNUMERIC=0 $< -o $@

$(BENCH)/%: bench/%.c bench/workload.h bench/text_file.h include/uop.h Makefile
	@mkdir -p $(@D)
	$(call SAY,cc  )$(CC) $(BENCHFLAGS) $< $(BENCHLIBS) -o $@

.PHONY: bench bench-quick bench-deps bench-programs
# ---- end of benchmarks ----

include web/wasm/build.mk

clean:
	rm -rf $(BUILD)

.PHONY: all install uninstall amalgamation dist docs run test test-deps test-deep test-exhaustive fuzz bless unit-tests generate prove pictures format clean
.DELETE_ON_ERROR:
.SECONDARY:
