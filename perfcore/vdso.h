/*
 * The vDSO: code that the kernel maps into every process and that is no file.
 * All 64-bit processes of a host have the same image, so ours is read.
 */
#ifndef PERFCORE_VDSO_H
#define PERFCORE_VDSO_H

#include <stddef.h>

/* Our own image, valid for ever; NULL where there is none. */
const void *vdso_image(size_t *size);

#endif
