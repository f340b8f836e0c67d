/* SPDX-License-Identifier: MIT
 * The build-id names the build of a libitm; the hash of all bytes shows that the file was not changed since. */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libitm.h"

uint64_t libitm_hash(uint64_t hash, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static bool identify(struct libitm *libitm, Elf *elf)
{
	size_t size = 0;
	const void *bits = NULL;
	const char *image = elf_rawfile(elf, &size);
	if (image == NULL)
		return false;
	snprintf(libitm->sum, sizeof libitm->sum, "%016" PRIx64, libitm_hash(LIBITM_HASH, image, size));
	ssize_t len = dwelf_elf_gnu_build_id(elf, &bits);
	for (ssize_t i = 0; i < len && 2 * (size_t)len < sizeof libitm->id; i++)
		snprintf(libitm->id + 2 * i, 3, "%02x", ((const unsigned char *)bits)[i]);
	return true;
}

bool libitm_identify(struct libitm *libitm)
{
	int file = open(libitm->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return false;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(file, ELF_C_READ, NULL);
	bool is_done = elf != NULL && elf_kind(elf) == ELF_K_ELF && identify(libitm, elf);
	elf_end(elf);
	close(file);
	return is_done;
}
