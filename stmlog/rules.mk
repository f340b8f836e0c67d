# The library: base, traceback, format, report and stmlog. The rooms of stmlog stand in their order: each sees those before it.

STMLOG_ROOMS := containers session conflicts sampling accounts timelogs timeline profile threads hooks output life
EVERY_ROOM := $(patsubst %,-Istmlog/%,$(STMLOG_ROOMS))
$(O)/obj/base/%.o:             INC := -Ibase
$(O)/obj/traceback/%.o:        INC := -Ibase -Itraceback
$(call rooms,stmlog,-Ibase,$(STMLOG_ROOMS))
$(O)/obj/stmlog/output/%.o $(O)/obj/stmlog/life/%.o: INC += -Iformat

# In-process memory comes from mmap; for sanitizers and race detectors from malloc, which they watch. They also watch the
# functions of <string.h>, for which the library has its own otherwise. The loops in these must stay loops: the compiler
# makes calls of the functions from such loops.
BASE_SRC := $(filter-out $(if $(SAN)$(RACE),base/mem_mmap.c base/own_string.c,base/mem_malloc.c),$(wildcard base/*.c))
$(O)/obj/base/own_string.o: CFLAGS += -fno-builtin $(if $(CLANG),,-fno-tree-loop-distribute-patterns)
LIB_SRC  := $(BASE_SRC) $(wildcard traceback/*.c stmlog/*/*.c) $(FORMAT_SRC)
# What users link has the inline functions of the headers as functions.
USER_SRC := $(LIB_SRC) stmlog/twins.c

# For the agents, the unit tests and the micro benchmarks, which may use what is hidden from others.
$(O)/libparts.a: $(call obj,$(LIB_SRC))
	$(archive)

# Users link this archive. It has the names of the shared library and no others, so that options_parse(), say, is free
# for the program.
$(O)/libstmlog.a: $(call obj,$(USER_SRC))
	$(call say,AR)
	$(Q)$(JOIN) $(O)/obj/libstmlog.o $^ $(GCOV)
	$(Q)$(OBJCOPY) --localize-hidden $(NO_GCOV) $(O)/obj/libstmlog.o
	$(Q)rm -f $@ && $(AR) rcs $@ $(O)/obj/libstmlog.o

# The number in the soname changes when programs that were linked before would not run any more.
SONAME   := libstmlog.so.0
$(O)/libstmlog.so: private FORM = $(SHARED) -Wl,-soname,$(SONAME)
$(O)/libstmlog.so: $(call obj,$(USER_SRC)) stmlog/stmlog.map
	$(link)

# The public headers in one file, to be copied by runtimes; all but the file format and what is for other programs.
VENDORED := $(filter-out %/format.h,$(wildcard include/stmlog/*.h))
$(O)/stmlog-vendor.h: include/vendor/vendor.awk include/vendor/stmlog-vendor.h.in $(wildcard include/stmlog/*)
	@mkdir -p $(@D)
	$(call say,AWK)
	$(Q)awk -f $< -v root=include -v headers='$(VENDORED:include/%=%)' -v soname=$(SONAME) -v version=$(VERSION) \
		include/vendor/stmlog-vendor.h.in >$@.new && mv $@.new $@

# The library in one file, for the build of a runtime.
$(O)/stmlog.c: include/vendor/amalgamate.awk $(wildcard include/stmlog/* base/*.[ch] traceback/*.[ch] format/*.[ch] stmlog/*/*.[ch])
	@mkdir -p $(@D)
	$(call say,AWK)
	$(Q)awk -v root=. -f $< >$@.new && mv $@.new $@
