# Packages for the release of Debian on which make runs, into build/deb; and the sources as they are released.

.PHONY: deb test-deb dist test-dist
deb: | packages-deb
	$(Q)sh packaging/deb.sh $(VERSION) $(O)/deb

# On demand: on bare systems, some ten minutes for each release.
test-deb:
	$(Q)sh tests/long/deb.sh

# The last commit, with the page's bundle where $(PACKED) in tools/rules.mk looks for it: to build it needs neither git nor
# npm.
dist: | packages-page
	$(Q)$(MAKE) --no-print-directory page-libraries
	$(Q)$(MAKE) --no-print-directory $(PAGE_IN)/page.html
	$(call say,DIST,build/stmlog-$(VERSION).tar.gz)
	$(Q)git archive -o build/stmlog-$(VERSION).tar.gz --prefix=stmlog-$(VERSION)/tools/page/ \
		--add-file=$(PAGE_IN)/page.html --prefix=stmlog-$(VERSION)/ HEAD

# On demand: on bare systems, some five minutes for each release.
test-dist: dist
	$(Q)sh tests/long/dist.sh build/stmlog-$(VERSION).tar.gz
