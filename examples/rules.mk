# Two small STMs that embed the library, as examples for authors of a runtime. They see the library's public headers,
# and what both have in common; the scenarios see the STMs' interfaces.

$(O)/obj/examples/support/%.o: INC := -Iexamples/support
$(O)/obj/examples/smallstm/%.o: INC := -Iexamples/support -Iexamples/smallstm
$(O)/obj/examples/lazystm/%.o: INC := -Iexamples/support -Iexamples/lazystm
$(O)/obj/examples/scenarios/%.o: INC := -Iexamples/support -Iexamples/scenarios
$(O)/obj/examples/scenarios/smallstm_%.o: INC := -Iexamples/support -Iexamples/smallstm -Iexamples/scenarios
$(O)/obj/examples/scenarios/lazystm_%.o: INC := -Iexamples/support -Iexamples/lazystm -Iexamples/scenarios

STM_SUPPORT := $(wildcard examples/support/*.c)
STM_SRC  := $(wildcard examples/smallstm/*.c) $(STM_SUPPORT)
LAZY_SRC := $(wildcard examples/lazystm/*.c) $(STM_SUPPORT)

$(O)/libsmallstm.a: $(call obj,$(STM_SRC))
	$(archive)
$(O)/liblazystm.a: $(call obj,$(LAZY_SRC))
	$(archive)

# The same program with each STM, and with the scenarios of that STM.
SCENARIOS := $(call obj,$(addprefix examples/scenarios/,every_cause.c scenario.c))
$(O)/every-cause: $(SCENARIOS) $(O)/obj/examples/scenarios/smallstm_scenarios.o $(O)/libsmallstm.a $(O)/libstmlog.a
	$(link)
$(O)/every-lazy-cause: $(SCENARIOS) $(O)/obj/examples/scenarios/lazystm_scenarios.o $(O)/liblazystm.a $(O)/libstmlog.a
	$(link)
