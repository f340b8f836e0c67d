# Packages for the release of Debian on which make runs, into build/deb.

.PHONY: deb test-deb
deb: | packages-deb
	$(Q)sh packaging/deb.sh $(VERSION) $(O)/deb

# On demand: on bare systems, some ten minutes for each release.
test-deb:
	$(Q)sh tests/long/deb.sh
