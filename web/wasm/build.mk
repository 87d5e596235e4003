# build.mk - libuop as a WebAssembly module that imports nothing, its npm package, and the command for
# WASI; included by the Makefile. Debian's clang, lld, wasi-libc and libclang-rt-14-dev-wasm32.
#
# The code is small rather than fast: a page waits for its bytes, and no program that it shows is
# large. WASMOPT=-O2 is an eighth larger and a tenth faster.

WASM      := $(BUILD)/wasm
WASMCC    ?= clang-14
WASMOPT   ?= -Os
WASMFLAGS  = --target=wasm32-wasi -std=c11 $(WARN) $(FLOAT) $(WASMOPT)
WASMGLUE  := $(sort $(wildcard web/wasm/*.c))
WASMOBJ   := $(SRC:%.c=$(WASM)/%.o)

# The stack comes first, so that what runs over its end meets the end of memory and traps.
WASMLINK  = --target=wasm32-wasi -Wl,--stack-first -Wl,-z,stack-size=262144 -Wl,--strip-all

# The package as npm packs it: what is written by hand, and the module.
PACKAGE   := $(BUILD)/package
PACKED    := $(patsubst %,$(PACKAGE)/%,index.js index.d.ts package.json README.md LICENSE uop.wasm)

wasm: wasm-deps
	@$(MAKE) -s --no-print-directory $(PACKED)

wasm-deps:
	@tests/deps.sh wasm

$(PACKAGE)/%: web/package/%
	@mkdir -p $(@D)
	@cp $< $@
$(PACKAGE)/LICENSE: LICENSE
	@mkdir -p $(@D)
	@cp $< $@
$(PACKAGE)/uop.wasm: $(WASM)/uop.wasm
	@mkdir -p $(@D)
	@cp $< $@

# build/uopc-VERSION.tgz, for `npm install`.
web-package: wasm
	@cd $(PACKAGE) && npm pack --silent --pack-destination "$(abspath $(BUILD))"

$(WASM)/src/%.o: src/%.c $(DEPS) Makefile web/wasm/build.mk
	@mkdir -p $(@D)
	$(call SAY,wasm)$(WASMCC) $(WASMFLAGS) -Iinclude -Isrc -fvisibility=hidden -c $< -o $@

$(WASM)/web/wasm/%.o: web/wasm/%.c web/wasm/glue.h $(DEPS) Makefile web/wasm/build.mk
	@mkdir -p $(@D)
	$(call SAY,wasm)$(WASMCC) $(WASMFLAGS) -Iinclude -Isrc -c $< -o $@

$(WASM)/uop.wasm: $(WASMGLUE:%.c=$(WASM)/%.o) $(WASMOBJ)
	$(call SAY,link)$(WASMCC) $(WASMLINK) -mexec-model=reactor -Wl,--max-memory=1342177280 $^ -o $@

# The command, for the golden files: what it asks of the system, WASI has, or web/wasm/wasi.
WASI      := -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_MMAN -D_WASI_EMULATED_GETPID
WASICLI   := $(filter-out cli/watch.c cli/graphviz.c,$(CLI)) web/wasm/wasi/shim.c
WASILIBS  := -lwasi-emulated-signal -lwasi-emulated-mman -lwasi-emulated-getpid

$(WASM)/cli/%.o: cli/%.c web/wasm/wasi/shim.h $(DEPS) Makefile web/wasm/build.mk
	@mkdir -p $(@D)
	$(call SAY,wasi)$(WASMCC) --target=wasm32-wasi $(CLIFLAGS) $(WASI) $(WASMOPT) \
	  -include web/wasm/wasi/shim.h -c $< -o $@

$(WASM)/web/wasm/wasi/%.o: web/wasm/wasi/%.c web/wasm/wasi/shim.h $(DEPS) Makefile web/wasm/build.mk
	@mkdir -p $(@D)
	$(call SAY,wasi)$(WASMCC) --target=wasm32-wasi $(CLIFLAGS) -Icli $(WASI) $(WASMOPT) -c $< -o $@

$(WASM)/uopc.wasm: $(WASICLI:%.c=$(WASM)/%.o) $(WASMOBJ)
	$(call SAY,link)$(WASMCC) $(WASMLINK) $^ $(WASILIBS) -o $@

test-web: web-package web
	@tests/deps.sh web
	@$(MAKE) -s --no-print-directory $(WASM)/uopc.wasm $(BUILD)/uopc
	@BUILD=$(BUILD) web/test.sh

.PHONY: wasm wasm-deps web-package test-web
