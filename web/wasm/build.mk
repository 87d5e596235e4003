# build.mk - libuop as a WebAssembly module that imports nothing, and the command for WASI; included
# by the Makefile. Debian's clang, lld, wasi-libc and libclang-rt-14-dev-wasm32.

WASM      := $(BUILD)/wasm
WASMCC    ?= clang-14
WASMOPT   ?= -Os
WASMFLAGS  = --target=wasm32-wasi -std=c11 $(WARN) $(FLOAT) $(WASMOPT)
WASMGLUE  := $(sort $(wildcard web/wasm/*.c))
WASMOBJ   := $(SRC:%.c=$(WASM)/%.o)

# The stack comes first, so that what runs over its end meets the end of memory and traps.
WASMLINK  = --target=wasm32-wasi -Wl,--stack-first -Wl,-z,stack-size=262144 -Wl,--strip-all

wasm: $(WASM)/uop.wasm

$(WASM)/src/%.o: src/%.c $(DEPS) Makefile web/wasm/build.mk
	@mkdir -p $(@D)
	$(call SAY,wasm)$(WASMCC) $(WASMFLAGS) -Iinclude -Isrc -fvisibility=hidden -c $< -o $@

$(WASM)/web/wasm/%.o: web/wasm/%.c web/wasm/glue.h $(DEPS) Makefile web/wasm/build.mk
	@mkdir -p $(@D)
	$(call SAY,wasm)$(WASMCC) $(WASMFLAGS) -Iinclude -Isrc -c $< -o $@

$(WASM)/uop.wasm: $(WASMGLUE:%.c=$(WASM)/%.o) $(WASMOBJ)
	$(call SAY,link)$(WASMCC) $(WASMLINK) -mexec-model=reactor -Wl,--max-memory=1342177280 $^ -o $@

.PHONY: wasm
