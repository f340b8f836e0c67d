# The runtimes: the agents for libitm, the modules for GHC and TinySTM. They see the library's public headers.

$(O)/obj/runtimes/native/%.o:  INC := -Iruntimes/native
# The rooms of the agent for libitm, each of which sees those before it: knowledge of libitm, plain data, the state of
# process and thread, and then all that acts on it. life/ looks for the objects library. The other programs of the folder
# see only the rooms that they are linked with.
ITM      := runtimes/libitm
ITM_ROOMS := internals entries writes pace state sampling stacks blame waits life shim
EVERY_ITM_ROOM := $(patsubst %,-I$(ITM)/%,$(ITM_ROOMS)) -Iruntimes/native
$(call rooms,$(ITM),-Iruntimes/native,$(ITM_ROOMS))
$(O)/obj/$(ITM)/life/%.o:      INC += -I$(ITM)/objects
$(O)/obj/$(ITM)/linked/%.o:    INC := -I$(ITM)/entries -I$(O)/obj/linked
$(O)/obj/$(ITM)/objects/%.o:   INC := -I$(ITM)/objects -Iruntimes/native
$(O)/obj/$(ITM)/calibrate/%.o: INC := -I$(ITM)/internals -I$(ITM)/calibrate -Iruntimes/native

# The rooms of the module for GHC, likewise.
GHC_ROOMS := internals entries writes state stacks moves blame waits shim life
EVERY_GHC_ROOM := $(patsubst %,-Iruntimes/ghc/%,$(GHC_ROOMS)) -Iruntimes/native
$(call rooms,runtimes/ghc,-Iruntimes/native,$(GHC_ROOMS))
$(O)/obj/runtimes/ghc/linked/%.o: INC := -Iruntimes/ghc/internals -Iruntimes/ghc/entries -Iruntimes/native
$(O)/obj/runtimes/ghc/preloaded/%.o: INC := $(addprefix -Iruntimes/ghc/,internals entries preloaded) -Iruntimes/native

# What runtimes share: recognising stacks and filters of system calls, finding modules, memory by the page, values of
# options, warnings.
NATIVE_SRC := $(wildcard runtimes/native/*.c)
ITM_SRC  := $(foreach room,$(ITM_ROOMS),$(wildcard runtimes/libitm/$(room)/*.[cS])) $(NATIVE_SRC)
OBJECTS_SRC := $(wildcard runtimes/libitm/objects/*.c)
CALIBRATE_SRC := $(wildcard runtimes/libitm/calibrate/*.c) runtimes/native/loaded.c
TINY_SRC := $(wildcard runtimes/tinystm/*.c) $(NATIVE_SRC)

# ---- libitm, preloaded ----
AGENT    := $(O)/libstmlog-itm.so
$(AGENT): $(call obj,$(ITM_SRC)) $(O)/libparts.a runtimes/libitm/agent.map
# Remembers allocations; preloaded together with the agent, for record --objects.
OBJECTS  := $(O)/libstmlog-objects.so
$(OBJECTS): $(call obj,$(OBJECTS_SRC)) runtimes/libitm/objects/objects.map
$(AGENT) $(OBJECTS): private FORM = $(SHARED) -static-libgcc
$(AGENT) $(OBJECTS):
	$(link)

# Finds the layout of a libitm by experiment, in a process of its own.
$(O)/stmlog-calibrate: $(call obj,$(CALIBRATE_SRC))
	$(link)

# ---- libitm, linked ----
# The agent for linking into a program instead of preloading it: the same objects joined into one, in which only the
# exports of the preloaded agent are visible, by the names that ld --wrap needs. A command that links a program adds only
# stmlog-itm.wrap, which has these names and the path of the archive. It also adds --eh-frame-hdr: without that, a -static
# program registers its unwind tables, and its destructors remove them too early. dlclose() is left out: a static program
# may have none. Behind stmlog_label_itm() stands no other function.
LINKED   := $(O)/libstmlog-itm.a
LINKED_OBJ := $(call obj,$(filter-out %/real_functions.c,$(ITM_SRC)) $(LIB_SRC))

$(O)/obj/linked/exports: $(AGENT)
	@mkdir -p $(@D)
	$(Q)nm -D --defined-only --format=posix $< | cut -d ' ' -f 1 | grep -vx dlclose >$@
$(O)/obj/linked/entries.inc: $(O)/obj/linked/exports
	$(Q)sed '/^stmlog_label_itm$$/d; s/.*/ENTRY(&)/' $< >$@
$(O)/obj/linked/names: $(O)/obj/linked/exports
	$(Q)sed 's/.*/& __wrap_&/' $< >$@
$(O)/obj/runtimes/libitm/linked/real_functions.o: $(O)/obj/linked/entries.inc
$(O)/obj/linked/agent.o: $(LINKED_OBJ) $(O)/obj/runtimes/libitm/linked/real_functions.o $(O)/obj/linked/names
	$(Q)$(JOIN) $@ $(filter %.o,$^) $(GCOV)
	$(Q)$(OBJCOPY) --redefine-syms=$(O)/obj/linked/names --wildcard --keep-global-symbol='__wrap_*' $@
$(LINKED): $(O)/obj/linked/agent.o
	$(archive)
$(O)/stmlog-itm.wrap: $(O)/obj/linked/exports
	$(Q)sed 's/^/-Wl,--wrap=/' $< >$@
	$(Q)echo '-Wl,--eh-frame-hdr -Wl,-u,__wrap__ITM_beginTransaction' >>$@
	$(Q)echo '$(abspath $(LINKED))' >>$@

# All of it is for x86-64: it has code in assembly, and knows the code that libitm has there.
FOR_LIBITM := $(if $(filter x86_64,$(ARCH)),$(O)/stmlog-calibrate $(AGENT) $(OBJECTS) $(LINKED) $(O)/stmlog-itm.wrap)
.PHONY: no-agent
no-agent:
	@echo "  --    the agents for libitm are left out: they are for x86-64, and this build is for $(ARCH)"

# ---- GHC ----
GHC_SRC    := $(foreach room,$(GHC_ROOMS),$(wildcard runtimes/ghc/$(room)/*.[cS])) \
              $(addprefix runtimes/native/,environment.c filter.c loaded.c pages.c)
# Preloaded: interposes the ways to leave the process image by their names, and nothing else.
GHC_MODULE := $(O)/libstmlog-ghc.so
$(GHC_MODULE): $(call obj,$(GHC_SRC) $(wildcard runtimes/ghc/preloaded/*.c)) $(O)/libparts.a runtimes/ghc/preloaded/module.map
$(GHC_MODULE): private FORM = $(SHARED) -static-libgcc
$(GHC_MODULE):
	$(link)

# Linked into a Haskell program: only the names that ld --wrap needs are visible, and four of the module's own. The functions of the RTS are asked
# for by -u, since all their callers go to the hooks now, and so is one more that the module calls. The base of static
# probes stays visible because the RTS has such probes, too, and the linker keeps only one base.
GHC_LINKED := $(O)/libstmlog-ghc.a
GHC_HOOKED := $(addprefix stm,StartTransaction ReadTVar WriteTVar CommitTransaction CommitNestedTransaction \
                ValidateNestOfTransactions AbortTransaction Wait ReWait) StgRun gcStableNameTable markCapabilities
GHC_LEAVERS := execve execv execvp execvpe fexecve execveat _exit _Exit prctl syscall
# The ways to leave are a member by themselves: with -dynamic the shared libraries need only that one.
GHC_LEAVE  := runtimes/ghc/linked/leavers.c
GHC_PARTS  := $(O)/obj/ghc/module.o $(O)/obj/ghc/leave.o
$(O)/obj/ghc/leave.o: $(call obj,$(GHC_LEAVE))
$(O)/obj/ghc/module.o: $(call obj,$(filter-out %/stubs.S $(GHC_LEAVE),$(GHC_SRC)) \
                         $(filter-out $(GHC_LEAVE),$(wildcard runtimes/ghc/linked/*.[cS])) $(LIB_SRC))
$(O)/obj/runtimes/ghc/linked/stubs.o: runtimes/ghc/shim/stubs.S
$(GHC_PARTS):
	@mkdir -p $(@D)
	$(Q)$(JOIN) $@ $^ $(GCOV)
	$(Q)$(OBJCOPY) --wildcard $(addprefix --keep-global-symbol=,'__wrap_*' ghc_leaving ghc_filtering stmlog_ghc_names _.stapsdt.base) $@
$(GHC_LINKED): $(GHC_PARTS)
	$(archive)
$(O)/stmlog-ghc.wrap: runtimes/rules.mk
	@mkdir -p $(@D)
	$(Q)printf '%s\n' $(patsubst %,-Wl$(comma)--wrap=%,$(GHC_HOOKED) $(GHC_LEAVERS)) \
		$(patsubst %,-Wl$(comma)-u$(comma)%,$(GHC_HOOKED) isAlive) \
		-Wl$(comma)--export-dynamic-symbol=stmlog_ghc_names '$(abspath $(GHC_LINKED))' >$@
FOR_GHC  := $(if $(filter x86_64,$(ARCH)),$(GHC_MODULE) $(GHC_LINKED) $(O)/stmlog-ghc.wrap)

# ---- parts, for the unit tests ----
$(O)/libnative.a: $(call obj,$(NATIVE_SRC))
	$(archive)
# Objects of the agent that read the tests' own time-stamp counter.
FAKE_TICKS := -include tests/libitm/fake_ticks.h
$(O)/obj/fake_ticks/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS) $(ALL) -Iinclude $(EVERY_ITM_ROOM) -I$(ITM)/objects $(FAKE_TICKS) -c -o $@ $<
# Without malloc: a test that links the archive would get that one.
$(O)/libitm-parts.a: $(patsubst %.c,$(O)/obj/fake_ticks/%.o,$(filter $(ITM)/%.c,$(ITM_SRC))) \
                     $(call obj,tests/libitm/fake_ticks.c $(NATIVE_SRC) runtimes/libitm/calibrate/search.c \
                       $(filter-out %/malloc.c,$(OBJECTS_SRC)))
	$(archive)

$(O)/libghc-preloaded.a: $(call obj,$(addprefix runtimes/ghc/,$(addprefix preloaded/,image.c detour.c library.c) entries/real.c))
	$(archive)
# Without what belongs to one way into a program, where the real functions are: tests have their own.
$(O)/libghc-parts.a: $(call obj,$(GHC_SRC) $(filter-out %_test.c,$(wildcard tests/ghc/*.[cS])))
	$(archive)

# ---- TinySTM ----
# The module, with the stm.h of the source tree in TINYSTM: none of TinySTM's code is here. Unit tests have a stand-in.
.PHONY: tinystm
tinystm:
	$(Q)test -f "$(TINYSTM)/include/stm.h" || \
		{ echo "tinystm: no include/stm.h in TINYSTM='$(TINYSTM)': make tinystm TINYSTM=/path/to/tinystm"; exit 2; }
	$(Q)$(MAKE) --no-print-directory $(O)/libstmlog.a $(O)/libstmlog-tinystm.a

# $(call tiny_rules,FOLDER,STM): the module's objects, in a folder of obj/, compiled with the stm.h in the folder STM.
tiny_obj  = $(patsubst %.c,$(O)/obj/$(1)/%.o,$(TINY_SRC))
define tiny_rules
$(call tiny_obj,$(1)): $(O)/obj/$(1)/%.o: %.c
	@mkdir -p $$(@D)
	$$(call say,CC,$$<)
	$(Q)$$(CC) $$(CFLAGS) $$(ALL) -Iinclude -Iruntimes/tinystm -Iruntimes/native -isystem $(2) -c -o $$@ $$<
endef
$(eval $(call tiny_rules,tinystm,$(TINYSTM)/include))
$(eval $(call tiny_rules,tinystm_stand_in,tests/tinystm))
$(O)/libstmlog-tinystm.a: $(call tiny_obj,tinystm)
	$(archive)
$(O)/libtiny-parts.a: $(call tiny_obj,tinystm_stand_in) $(call obj,$(filter-out %_test.c,$(wildcard tests/tinystm/*.c)))
	$(archive)
