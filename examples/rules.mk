# Two small STMs that embed the library, as examples for authors of a runtime. They see the library's public headers.

$(O)/obj/examples/smallstm/%.o: INC := -Iexamples/smallstm
$(O)/obj/examples/lazystm/%.o: INC := -Iexamples/lazystm

STM_SRC  := $(filter-out %/scenes.c %/every_cause.c,$(wildcard examples/smallstm/*.c))
LAZY_SRC := $(filter-out %/scenes.c %/every_lazy_cause.c,$(wildcard examples/lazystm/*.c))

$(O)/libsmallstm.a: $(call obj,$(STM_SRC))
	$(archive)
$(O)/libscenes.a: $(O)/obj/examples/smallstm/scenes.o
	$(archive)
$(O)/every-cause: $(O)/obj/examples/smallstm/every_cause.o $(O)/libscenes.a $(O)/libsmallstm.a $(O)/libstmlog.a
	$(link)
$(O)/liblazystm.a: $(call obj,$(LAZY_SRC))
	$(archive)
$(O)/liblazyscenes.a: $(O)/obj/examples/lazystm/scenes.o
	$(archive)
$(O)/every-lazy-cause: $(O)/obj/examples/lazystm/every_lazy_cause.o $(O)/liblazyscenes.a $(O)/liblazystm.a $(O)/libstmlog.a
	$(link)
