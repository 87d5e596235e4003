# page.mk - the playground: the page, its server and its tests; included by the Makefile. What it
# needs of Node's packages comes by npm ci, in the versions of web/package-lock.json.

WEB       := $(BUILD)/web
WEBFILES  := $(wildcard web/*.mjs web/page/* web/examples/*.uir web/challenges/*.json)
NPM       := web/node_modules/.package-lock.json
PORT      ?= 0

web: $(WEB)/index.html

$(WEB)/index.html: $(WEBFILES) $(BUILD)/package/index.js $(BUILD)/package/uop.wasm $(NPM)
	$(call SAY,page)node web/build.mjs $(WEB) $(BUILD)/package

$(NPM): web/package.json web/package-lock.json
	@command -v npm >/dev/null || tests/deps.sh web
	@cd web && npm ci --silent && touch node_modules/.package-lock.json

playground: web
	@node web/serve.mjs $(WEB) $(PORT)

test-page: web
	@tests/deps.sh web
	@node web/test/run.mjs $(WEB) $(BUILD)/web-screenshots

.PHONY: web playground test-page
