/* SPDX-License-Identifier: MIT */
#include "artifact.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char suffix[] = ".XXXXXX";

int artifact_begin(struct artifact *artifact, const char *path)
{
	size_t len = strlen(path);
	if (len + sizeof suffix > sizeof artifact->beside)
		return -ENAMETOOLONG;
	artifact->path = path;
	memcpy(artifact->beside, path, len);
	memcpy(artifact->beside + len, suffix, sizeof suffix);
	artifact->fd = mkostemp(artifact->beside, O_CLOEXEC);
	return artifact->fd < 0 ? -errno : 0;
}

int artifact_end(struct artifact *artifact, int error)
{
	/* mkostemp() makes it private; a recording is as readable as any file of the program's. umask can only
	 * be read by setting it, which another thread could see: 0644 is what nearly everybody has. */
	if (error == 0 && fchmod(artifact->fd, 0644) != 0)
		error = -errno;
	if (close(artifact->fd) != 0 && error == 0)
		error = -errno;
	if (error == 0 && rename(artifact->beside, artifact->path) != 0)
		error = -errno;
	if (error != 0)
		unlink(artifact->beside);
	return error;
}
