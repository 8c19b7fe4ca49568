/*
 * Debug files from debuginfod servers ($DEBUGINFOD_URLS), asked only when the
 * user wants it: libdebuginfod is loaded then, and keeps what it fetched in
 * its own cache. All questions together may take so much time and no more.
 */
#ifndef SYMBOLIZE_SYMBOL_SERVER_H
#define SYMBOLIZE_SYMBOL_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "perfcore/notes.h"

struct symbol_server;

/* notes (borrowed, may be NULL) says why nothing can be asked. */
struct symbol_server *symbol_server_new(uint64_t deadline_ms,
					struct notes *notes);
void symbol_server_free(struct symbol_server *server);

/* Fetches the debug file of a build-id. Returns an fd that the caller closes,
 * or -errno: -ENOENT no server has it, -ETIME the deadline has passed. */
int symbol_server_find(struct symbol_server *server, const uint8_t *build_id,
		       size_t size);

#endif
