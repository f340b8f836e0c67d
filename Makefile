# stmlog: how all of it is built, tested and installed. There is no configure step.
#
# make                  the command, the agents, the libraries
# make page             the same with the page of stmlog report --html, whose libraries are fetched by npm;
#                       make page-tests fetches by npm what drives a browser in the page's test
# make demo             builds, with the page where npm answers, runs a contended bank of two threads, shows the report
# make test             every test; make test T=PATTERN only those whose name contains PATTERN
# make quick            some two minutes: unit tests, format, the tests of the tree itself, one recording
# make tests programs   the unit tests and the programs to profile, built and not run; tm-programs: those of the tests
# make help             this text
# make format           puts the sources into shape; make format-check only says where they are not
# make bench            what recording costs; also bench-micro, -agent, -ghc, -tiny, -share, -observer, -crowd, -export
# make bench-speed      how much all programs get done while they are recorded
# make bench-page       how fast a large page of stmlog report --html is
# make bench-truth      whether reports are true
# make bench-scale      how costs grow with the work: depth, sites, threads, events, sizes of recordings
# make lint             gcc -fanalyzer, clang-tidy, cppcheck, a build by clang: any finding is an error
# make coverage         which branches the tests take, by folder
# make fuzz             damaged recordings through all readers, for FUZZ_MINUTES (10) in FUZZ_JOBS (1) processes
# make matrix           scenes of processes, threads and scarcity, many times without and with the profiler; 10,000 forks
# make rows             each way to be in the way on its pair of programs, ten times (ROW_RUNS)
# make points           what the first screen says of programs with faults that users have reported (POINT_RUNS)
# make strangers        whether the first row is the transaction in the way, of programs written blind (STRANGER_RUNS)
# make soak             eight threads for half an hour (SOAK_MINUTES): memory flat, each commit counted
# make lives            threads of random hooks that end anywhere, a million (LIVES), also with sanitizers: all counted
# make test-regression  whether diff finds a planted regression; also test-signals, test-distributions, test-litmus,
#                       test-aarch64, test-ghc-newer
# make torture          kills recorded programs and record at random moments, ROUNDS times (1,000)
# make itm-testsuite    SRC=...: GCC's own tests of libitm, without and with the profiler
# make picture          the picture at the top of the README, anew, of a run on this machine
# make man              the manual pages, into build/man
# make install          to PREFIX (/usr/local), libraries to LIBDIR (PREFIX/lib), below DESTDIR; make uninstall removes
#                       with the same variables what make install has put there
# make deb              packages for this release of Debian, into build/deb; make test-deb tries them on bare systems
# make dist             the sources with the page, to be built without git and npm; make test-dist tries them there
# make clean            removes all that was built
#
# SAN=address,undefined into build/san, with these sanitizers; SAN=thread into build/tsan
# RACE=1                into build/race, for helgrind and DRD (tests/race/atomic_ops.h)
# COVERAGE=1            into build/coverage: -O0, and counts which branches are taken
# DEBUG=1               into build/debug: -O0, and the library checks what its functions require
# CC=clang              into build/clang: without the programs that need gcc's -fgnu-tm
# CROSS=PREFIX-         into build/PROCESSOR, with the gcc and binutils of these names; SYSROOT=DIR has their libraries
# V=1                   shows the commands; WERROR=1 makes warnings errors
#
# The rules of each component are in its rules.mk.

ifdef CROSS
CC       := $(CROSS)gcc$(if $(SYSROOT), --sysroot=$(SYSROOT))
AR       := $(CROSS)ar
endif
OBJCOPY  := $(CROSS)objcopy
CLANG    := $(findstring clang,$(CC))
# The processor for which it builds: x86_64, aarch64.
ARCH     := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
KIND     := $(if $(CROSS),$(ARCH)) $(if $(SAN),$(if $(filter thread,$(SAN)),tsan,san)) $(if $(RACE),race) \
            $(if $(DEBUG),debug) $(if $(COVERAGE),coverage) $(if $(CLANG),clang)
empty    :=
comma    := ,
O        := build$(if $(strip $(KIND)),/$(subst $(empty) ,-,$(strip $(KIND))))
Q        := $(if $(V),,@)

# Builds in which the library checks what its functions require, since nobody measures their speed.
CHECKS   := $(SAN)$(RACE)$(DEBUG)
# With sanitizers gcc takes half as long again at -O2 as at -O1.
# elfutils needs .debug_aranges to find the line of an address; clang writes that section only if told to.
CFLAGS   ?= $(if $(DEBUG)$(COVERAGE),-O0,$(if $(SAN),-O1,-O2)) -g$(if $(CLANG), -gdwarf-aranges)$(if $(COVERAGE), --coverage -fprofile-update=atomic)
# Clang also warns of extensions of gcc that it ignores, and of enumerators in arithmetic, which are meant as numbers.
NOT_WARN := $(if $(CLANG),$(addprefix -Wno-,unknown-attributes gnu-variable-sized-type-not-at-end \
              enum-enum-conversion enum-float-conversion))
WARN     := -Wall -Wextra -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wvla $(NOT_WARN)
SANITIZE := $(if $(SAN),-fsanitize=$(SAN))
RACE_OPS := $(if $(RACE),-Itests/race -include tests/race/atomic_ops.h)
# gcc has wrong warnings of two kinds where sanitizers have added their calls. clang would read the type of a function in
# front of it, which code that was made or found at run time does not have.
NOT_SAN  := $(if $(CLANG),-fno-sanitize=function,-Wno-tsan -Wno-stringop-overflow)
# gcc defines this macro by itself.
SAN_MACRO := $(if $(CLANG),$(if $(findstring address,$(SAN)),-D__SANITIZE_ADDRESS__=1))
# Without PLTs the agent's calls are bound when a program is loaded that contains it: in a signal handler on a small stack
# the loader has no room to bind one.
# Each function has a section of its own, so that shared libraries are linked without those that nobody in them calls.
# A newer library may deprecate a function for which older ones have no other: that is no error.
ALL      := -std=c11 -D_GNU_SOURCE $(WARN) $(if $(WERROR),-Werror -Wno-error=deprecated-declarations) \
            -fPIC -fno-plt -fvisibility=hidden -ffunction-sections -pthread -MMD -MP \
            $(if $(CHECKS),-DSTMLOG_CHECKS) \
            $(if $(SAN),$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all $(NOT_SAN) $(SAN_MACRO)) \
            $(RACE_OPS)
LINK      = $(CC) $(CFLAGS) $(SANITIZE) -pthread $(LDFLAGS)
TM       := -O2 -g -fgnu-tm -pthread
# The archives have the library of the counters in them, so that programs can link them as ever.
GCOV     := $(if $(COVERAGE),-lgcov)
NO_GCOV  := $(if $(COVERAGE),--wildcard --localize-symbol='__gcov*' --localize-symbol=mangle_path)

# $(call say,WORD[,NAME]): prints the short line for a rule's command; with V=1 make prints the command, with -s nothing.
SILENT   := $(findstring s,$(filter-out -%,$(firstword $(MAKEFLAGS))))
say       = $(if $(Q),$(if $(SILENT),,@echo "  $(1)    $(or $(2),$@)"))
# The objects of these sources.
obj       = $(patsubst %,$(O)/obj/%.o,$(basename $(1)))

define archive
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
endef
# Joins objects into one. A group of sections is resolved: the linker would discard a group that another archive of ours
# has, too, although functions in the same object need it (the data of clang 19 with the address sanitizer).
JOIN      = $(CC) -r -nostdlib -Wl,--force-group-allocation -Wl,-T,stmlog/joined.ld -o
# A shared library of ours. All symbols are bound at load, so that no hook has to look one up.
SHARED    = -shared -Wl,-z,defs -Wl,-z,now -Wl,--gc-sections -Wl,--version-script=$(filter %.map,$^)
# Objects come before archives, so that they take the place of objects in these. A target may set FORM and LIBS: further
# arguments for the linker before and after both.
define link
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(LINK) $(FORM) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)
endef

.PHONY: all help clean format format-check
all:

# ---- objects ----
# INC is the include path of a component. It enforces the layers: base <- traceback <- stmlog <- {runtimes, examples,
# tools}, the last three seeing only include/ of the library; {base, format} <- report <- tools; format <- stmlog. A wrong
# #include does not compile.
# $(call rooms,FOLDER,INCLUDES,ROOMS): gives each room of a folder the include path of itself and the rooms before it.
rooms = $(eval SEEN := $(2))$(foreach room,$(3),$(eval SEEN += -I$(1)/$(room))$(eval $(O)/obj/$(1)/$(room)/%.o: INC := $(SEEN)))

$(O)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS) $(ALL) -Iinclude $(INC) -c -o $@ $<

$(O)/obj/%.o: %.S
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$(Q)$(CC) $(CFLAGS) $(filter-out $(RACE_OPS),$(ALL)) -Iinclude $(INC) -c -o $@ $<

# ---- components ----
include report/rules.mk stmlog/rules.mk runtimes/rules.mk examples/rules.mk tools/rules.mk tests/rules.mk bench/rules.mk packaging/rules.mk

all: $(O)/stmlog $(or $(FOR_LIBITM),no-agent) $(FOR_GHC) $(O)/libstmlog.a $(O)/libstmlog.so $(O)/every-cause $(O)/every-lazy-cause \
     $(O)/stmlog-vendor.h $(O)/stmlog.c

# ---- packages that the build and the tests need ----
PACKAGES  = CC='$(CC)' CXX='$(CXX)' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)' sh .ci/packages
packages-tool: ; $(Q)$(PACKAGES) tool
packages-quick: ; $(Q)$(PACKAGES) tool test house
packages-test: ; $(Q)$(PACKAGES) tool test house reader
packages-page: ; $(Q)$(PACKAGES) tool page
packages-lint: ; $(Q)$(PACKAGES) tool test lint
packages-coverage: ; $(Q)$(PACKAGES) tool test coverage
packages-fuzz: ; $(Q)$(PACKAGES) tool test house fuzz
packages-deb: ; $(Q)$(PACKAGES) tool deb
.PHONY: packages-tool packages-quick packages-test packages-page packages-lint packages-coverage packages-fuzz packages-deb

# ---- demonstration ----
# With software transactions on each machine, since losses of hardware transactions are not seen.
.PHONY: demo
demo: | packages-tool
	$(Q)$(MAKE) -s --no-print-directory page-if-npm
	@echo "stmlog: building, which takes minutes for the first time"
	$(Q)$(MAKE) -s --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$$(nproc)) all $(O)/bench/bank
	@echo "stmlog: recording $(O)/bench/bank for 2 s"
	$(Q)ITM_DEFAULT_METHOD=ml_wt $(O)/stmlog record -o $(O)/demo.data -- $(O)/bench/bank --threads=2 --seconds=2

# ---- the picture of the README: the first screen of a run of the tutorial's program ----
PICTURE  ?= docs/first-screen.svg
.PHONY: picture
picture: all
	$(Q)mkdir -p $(O)/docs
	$(call say,TM,$(O)/docs/cache)
	$(Q)$(CC) $(TM) -o $(O)/docs/cache docs/cache.c
	$(Q)cd $(O)/docs && ITM_DEFAULT_METHOD=ml_wt $(abspath $(O))/stmlog record --no-report ./cache >cache.out
	$(call say,SVG,$(PICTURE))
	$(Q)cd $(O)/docs && NO_COLOR= COLUMNS=80 $(abspath $(O))/stmlog report --color=always >cache.screen
	$(Q)LC_ALL=C awk -v command='stmlog record ./cache' -f docs/picture.awk $(O)/docs/cache.screen >$(O)/docs/cache.svg
	$(Q)cp $(O)/docs/cache.svg $(PICTURE)

# ---- manual pages: of the command from its tables, of the library from its headers ----
MANUALS := $(patsubst %,include/stmlog/%.h,runtime setup causes agent read timeline traceback profile measure label)
COMMANDS := $(patsubst tools/cmd_%.c,%,$(wildcard tools/cmd_*.c)) help
# What runs the command on the machine that builds; with CROSS an emulator, or nothing: then these are left out.
RUN      ?=
RUNS     := $(if $(CROSS),$(RUN),yes)
.PHONY: man
man: $(O)/man/man3/stmlog_runtime.3 $(O)/man/man7/stmlog-options.7 $(if $(RUNS),$(O)/man/man1/stmlog.1)
$(O)/man/man3/stmlog_runtime.3: man/pages.awk $(MANUALS) $(wildcard include/stmlog/*.def)
	$(call say,MAN,$(@D))
	@rm -rf $(@D) && mkdir -p $(@D)
	$(Q)for header in $(MANUALS); do \
		awk -v dir=$(@D) -v version=$(VERSION) -v date="$$(date +%F)" -f man/pages.awk $$header || exit 1; \
	done
	@ln -sf stmlog_runtime.3 $(@D)/stmlog.3
$(O)/man/man7/stmlog-options.7: man/options.awk docs/options.md
	$(call say,MAN)
	@mkdir -p $(@D)
	$(Q)awk -v version=$(VERSION) -v date="$$(date +%F)" -f man/options.awk docs/options.md >$@
$(O)/man/man1/stmlog.1: $(O)/stmlog
	$(call say,MAN,$(@D))
	@rm -rf $(@D) && mkdir -p $(@D)
	$(Q)for command in $(COMMANDS); do \
		$(RUN) $(O)/stmlog help --man $$command >$(@D)/stmlog-$$command.1 || exit 1; \
	done
	$(Q)$(RUN) $(O)/stmlog help --man >$@

# ---- installing into DESTDIR, to run from PREFIX ----
# The agents stay in PREFIX/lib/stmlog, where the command finds them wherever LIBDIR is.
PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
INTO      = $(DESTDIR)$(PREFIX)
VERSION   = $(shell sed -n 's/^.define STMLOG_VERSION "\(.*\)"/\1/p' include/stmlog/setup.h)
define PC
prefix=$(PREFIX)
Name: stmlog
Description: records what memory transactions lose, where, and to whom
Version: $(VERSION)
Cflags: -I$${prefix}/include
Libs: -L$(LIBDIR:$(PREFIX)/%=$${prefix}/%) -lstmlog
Libs.private: -pthread
endef
export PC
define install_for_x86_64
install $(O)/stmlog-calibrate $(INTO)/lib/stmlog
	install -m 644 $(AGENT) $(OBJECTS) $(LINKED) $(INTO)/lib/stmlog
	sed '$$s,.*/,$(PREFIX)/lib/stmlog/,' $(O)/stmlog-itm.wrap >$(INTO)/lib/stmlog/stmlog-itm.wrap
	install -m 644 $(GHC_MODULE) $(GHC_LINKED) $(INTO)/lib/stmlog
	sed '$$s,.*/,$(PREFIX)/lib/stmlog/,' $(O)/stmlog-ghc.wrap >$(INTO)/lib/stmlog/stmlog-ghc.wrap
	install -m 644 runtimes/ghc/haskell/StmlogNames.hs $(INTO)/share/stmlog
endef
.PHONY: install uninstall
install: all man
	install -d $(addprefix $(INTO)/,bin lib/stmlog include/stmlog share/man share/stmlog share/doc/stmlog/docs) \
		$(addprefix $(DESTDIR)$(LIBDIR)/,pkgconfig cmake/stmlog)
	install $(O)/stmlog $(INTO)/bin
	$(if $(FOR_LIBITM),$(install_for_x86_64))
	install -m 644 $(O)/libstmlog.a $(DESTDIR)$(LIBDIR)
	install -m 644 $(O)/libstmlog.so $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libstmlog.so
	$(if $(filter-out $(PREFIX)/lib,$(LIBDIR)),ln -sf $(LIBDIR)/$(SONAME) $(INTO)/lib/stmlog/libstmlog.so)
	install -m 644 include/stmlog/* $(O)/stmlog-vendor.h $(INTO)/include/stmlog
	install -m 644 README.md CHANGELOG.md LICENSE $(INTO)/share/doc/stmlog
	install -m 644 docs/*.md docs/cache.c docs/first-screen.svg docs/Shop.hs $(INTO)/share/doc/stmlog/docs
	cd $(O)/man && cp -P --parents man*/* $(abspath $(INTO))/share/man
	echo "$$PC" > $(DESTDIR)$(LIBDIR)/pkgconfig/stmlog.pc
	for file in stmlogConfig stmlogConfigVersion; do \
		sed -e 's,@VERSION@,$(VERSION),; s,@SONAME@,$(SONAME),' \
			-e "s,@INCLUDE@,$$(realpath -ms --relative-to=$(LIBDIR)/cmake/stmlog $(PREFIX)/include)," \
			packaging/cmake/$$file.cmake.in >$(DESTDIR)$(LIBDIR)/cmake/stmlog/$$file.cmake || exit 1; \
	done

# Installs into a directory of its own to learn what there is to remove.
uninstall:
	$(Q)rm -rf $(O)/installed
	$(Q)$(MAKE) -s --no-print-directory install DESTDIR=$(abspath $(O))/installed >/dev/null
	$(Q)cd $(O)/installed && find . ! -type d | while read -r file; do rm -f "$(DESTDIR)/$$file"; done
	$(Q)-rmdir $(INTO)/lib/stmlog $(INTO)/include/stmlog $(INTO)/share/doc/stmlog/docs $(INTO)/share/doc/stmlog $(INTO)/share/stmlog \
		$(DESTDIR)$(LIBDIR)/cmake/stmlog
	$(Q)rm -r $(O)/installed

# ---- housekeeping ----
help:
	@sed -n '3,/^$$/s/^# \{0,1\}//p' Makefile

OURS      = $$(git ls-files '*.c' '*.h' '*.hpp')
format:
	clang-format -i $(OURS)
format-check:
	$(Q)clang-format --dry-run -Werror $(OURS)
clean:
	rm -rf build

# Keeps objects that make would delete as intermediate. Not .SECONDARY: that would not rebuild an object when one of its
# headers is deleted.
.PRECIOUS: $(O)/obj/%.o $(O)/programs/O0/obj/%.o $(O)/programs/O2/obj/%.o

-include $(shell test -d $(O)/obj && find $(O)/obj -name '*.d')
