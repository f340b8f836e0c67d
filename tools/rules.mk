# The command. Each folder sees those that it is built on: common; recording, symbols, code; tasks; analysis; then libitm and
# merge (for record and anonymize), report (for export and live), annotate, anonymize, record (for try), try, live, diff and
# page. The subcommands, tools/cmd_*.c, see them all. All see base, of which the command is linked with the files in TOOL_SRC
# only.

READ      := -Ibase -Iformat -Ireport/text -Itools/common -Itools/recording
FOUND     := $(READ) -Itools/code -Itools/tasks -Itools/analysis
EVERY_TOOL := -Ibase -Iformat -Ireport/text -Ireport/ranking $(patsubst %/,-I%,$(wildcard tools/*/)) -I$(O)/obj/tools/export
$(call obj,$(wildcard tools/*.c)): INC := $(EVERY_TOOL)
$(O)/obj/tools/common/%.o:     INC := -Ibase -Iformat -Ireport/text -Itools/common
$(O)/obj/tools/libitm/%.o:     INC := -Ibase -Iformat -Ireport/text -Itools/common -Itools/libitm
$(O)/obj/tools/recording/%.o:  INC := $(READ)
$(O)/obj/tools/symbols/%.o:    INC := $(READ) -Itools/symbols
$(O)/obj/tools/code/%.o:       INC := $(READ) -Itools/symbols -Itools/code
$(O)/obj/tools/tasks/%.o:      INC := $(READ) -Itools/tasks
$(O)/obj/tools/analysis/%.o:   INC := $(FOUND)
$(O)/obj/tools/report/%.o:     INC := $(FOUND) -Ireport/ranking -Itools/report
$(O)/obj/tools/export/%.o:     INC := $(FOUND) -Itools/symbols -Itools/report -Itools/export -I$(O)/obj/tools/export
$(O)/obj/tools/record/%.o:     INC := $(FOUND) -Itools/libitm -Itools/merge -Itools/record
$(O)/obj/tools/try/%.o:        INC := $(FOUND) -Itools/record -Itools/try
$(O)/obj/tools/annotate/%.o: INC := $(FOUND) -Itools/annotate
$(O)/obj/tools/diff/%.o:       INC := $(FOUND) -Itools/diff
$(O)/obj/tools/merge/%.o:      INC := $(FOUND) -Itools/merge
$(O)/obj/tools/anonymize/%.o:  INC := $(FOUND) -Itools/merge -Itools/anonymize -Itools
$(O)/obj/tools/help/%.o:       INC := -Ibase -Iformat -Ireport/text -Itools/common -Itools/help
$(O)/obj/tools/live/%.o:       INC := $(FOUND) -Ireport/ranking -Itools/report -Itools/live
$(O)/obj/tools/page/%.o:       INC := $(FOUND) -Ireport/ranking -Itools/report -Itools/diff -Itools/page -Itools

# The page of `stmlog report --html`, a program for browsers. `make page` fetches the libraries that tools/page/web names,
# by npm and with the sums of its lock file, into build/page, for all kinds of builds. Where those of this lock file are,
# the page is bundled and becomes a part of the command; where they are not, the command is built without it. So make
# itself never uses the network. The sources that `make dist` packs have the bundle already.
PAGE_IN   := build/page
PAGE_WEB  := $(wildcard tools/page/web/*)
PACKED    := $(wildcard tools/page/page.html)
HAS_PAGE  := $(or $(PACKED),$(shell cmp -s tools/page/web/package-lock.json $(PAGE_IN)/fetched && command -v node))
NOT_PAGE  := $(if $(HAS_PAGE),tools/page/page_without_bundle.c,tools/page/page_bundle.c)
PAGE_OBJ  := $(if $(HAS_PAGE),$(O)/obj/tools/page/page_bytes.o)

TOOL_SRC := $(filter-out $(NOT_PAGE),$(wildcard tools/*.c tools/*/*.c)) $(REPORT_SRC) $(filter-out %/cause.c,$(FORMAT_SRC)) base/artifact.c base/check.c base/clock.c base/other_stack.c base/proc.c base/radix.c
TOOL_LIBS := -lcapstone -ldw -lelf -ljansson -lprotobuf-c -lz -lm

# Messages of Perfetto and pprof, generated from their descriptions. This code is not compiled with our warnings.
MESSAGES := $(patsubst tools/%.proto,$(O)/obj/tools/%.pb-c,$(wildcard tools/export/*.proto))
$(O)/obj/tools/%.pb-c.c $(O)/obj/tools/%.pb-c.h: tools/%.proto
	@mkdir -p $(@D)
	$(Q)protoc-c --proto_path=$(<D) --c_out=$(@D) $<
$(O)/obj/tools/%.pb-c.o: $(O)/obj/tools/%.pb-c.c
	$(Q)$(CC) $(CFLAGS) $(filter-out $(WARN),$(ALL)) -c -o $@ $<
$(call obj,$(wildcard tools/export/*.c tests/tools/export/*_test.c)): | $(addsuffix .h,$(MESSAGES))

# The command reads timelines by functions of the library, and has the names of causes from it.
$(O)/stmlog: private LIBS := $(TOOL_LIBS)
$(O)/stmlog: $(call obj,$(TOOL_SRC)) $(PAGE_OBJ) $(addsuffix .o,$(MESSAGES)) $(O)/libstmlog.a
	$(link)

# All but main(), for the unit tests.
$(O)/libtools.a: $(call obj,$(filter-out tools/stmlog.c,$(TOOL_SRC))) $(PAGE_OBJ) $(addsuffix .o,$(MESSAGES))
	$(archive)

# ---- the page ----
# $(call fetch,FOLDER,LOCKED): the packages of the lock file in LOCKED into FOLDER, once. npm runs no scripts of theirs.
define fetch
	$(Q)mkdir -p $(1)
	$(Q)cmp -s $(2)/package-lock.json $(1)/fetched || { \
		rm -f $(1)/fetched && cp $(2)/package.json $(2)/package-lock.json $(1) && \
		(cd $(1) && $(NPM) ci --ignore-scripts --no-audit --no-fund --loglevel=error $(NPM_WAITS)) && \
		cp $(2)/package-lock.json $(1)/fetched; }
endef
NPM       := npm
NPM_WAITS := --fetch-retries=1 --fetch-timeout=60000
.PHONY: page page-libraries page-tests page-if-npm
page: | packages-page
	$(Q)$(MAKE) --no-print-directory page-libraries
	$(Q)$(MAKE) --no-print-directory $(O)/stmlog
page-libraries: ; $(call fetch,$(PAGE_IN),tools/page/web)
page-if-npm: ; $(if $(PACKED),,$(Q)cmp -s tools/page/web/package-lock.json $(PAGE_IN)/fetched || sh tools/page/if_npm.sh $(PAGE_IN))
page-tests: ; $(call fetch,build/page-tests,tests/page)
$(PAGE_IN)/page.html: $(PAGE_WEB) $(wildcard $(PAGE_IN)/fetched)
	$(call say,PAGE)
	$(Q)node tools/page/web/build.mjs $(PAGE_IN)
$(O)/obj/tools/page/page_bytes.o: INC += -Wa,-I$(if $(PACKED),tools/page,$(PAGE_IN))
$(O)/obj/tools/page/page_bytes.o: $(or $(PACKED),$(PAGE_IN)/page.html)
