/* SPDX-License-Identifier: MIT
 * What libdw may open. A recording names modules, and a module names further files with its debug information
 * (.gnu_debuglink, dwo names, .gnu_debugaltlink), which libdw opens by itself. A name may be that of a FIFO, which
 * would be waited for without end, or of a device. So this file has open() for the whole command: a program's function
 * stands before the C library's for all libraries that it is linked with. Whoever opens a file to read it gets only
 * regular files, unless O_NONBLOCK says that the caller takes care itself. It has dlopen(), too, which does not load
 * the libraries that ask servers for debug information. */
#ifndef PLAIN_OPEN_H
#define PLAIN_OPEN_H

/* From then on libdw asks no server for debug information, either (DEBUGINFOD_URLS). The caller calls it before libdw
 * looks for any: a server would learn which programs are looked at, and its answer may take minutes. */
void plain_open_only(void);

#endif
