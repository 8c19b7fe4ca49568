#include "symbolize/symbol_server.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "perfcore/mem.h"

/* As elfutils/debuginfod.h declares them. */
struct client_functions {
	void *(*begin)(void);
	void (*end)(void *client);
	void (*set_progressfn)(void *client,
			       int (*progress)(void *client, long a, long b));
	void (*set_user_data)(void *client, void *data);
	int (*find_debuginfo)(void *client, const unsigned char *build_id,
			      int size, char **path);
};

struct symbol_server {
	struct notes *notes;
	void *library, *client; /* client NULL: cannot be asked */
	struct client_functions functions;
	uint64_t left_ms;
	uint64_t end_ms; /* of the question being asked */
};

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* POSIX lets dlsym's result be a function; ISO C has no cast for it. */
static bool function_load(struct symbol_server *server, const char *name,
			  void *function)
{
	*(void **)function = dlsym(server->library, name);
	return *(void **)function != NULL;
}

static bool library_load(struct symbol_server *server)
{
	struct client_functions *functions = &server->functions;

	server->library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	return server->library &&
	       function_load(server, "debuginfod_begin", &functions->begin) &&
	       function_load(server, "debuginfod_end", &functions->end) &&
	       function_load(server, "debuginfod_set_progressfn",
			     &functions->set_progressfn) &&
	       function_load(server, "debuginfod_set_user_data",
			     &functions->set_user_data) &&
	       function_load(server, "debuginfod_find_debuginfo",
			     &functions->find_debuginfo);
}

struct symbol_server *symbol_server_new(uint64_t deadline_ms,
					struct notes *notes)
{
	struct symbol_server *server = mem_calloc(1, sizeof(*server));
	const char *urls = getenv("DEBUGINFOD_URLS");

	server->notes = notes;
	server->left_ms = deadline_ms;
	if (!urls || !urls[0])
		notes_add(notes, "no debuginfod server can be asked: "
				 "DEBUGINFOD_URLS is not set");
	else if (!library_load(server))
		notes_add(notes, "no debuginfod server can be asked: "
				 "libdebuginfod.so.1 is not installed");
	else
		server->client = server->functions.begin();
	return server;
}

void symbol_server_free(struct symbol_server *server)
{
	if (!server)
		return;
	if (server->client)
		server->functions.end(server->client);
	/* The library stays loaded: libcurl below it cannot be unloaded. */
	free(server);
}

/*
 * Called about every second, and with each piece of data; what is not 0 ends
 * the question. It is told nothing but the client, so the function that leads
 * from there to our server is looked up in the loaded library again.
 */
static int on_progress(void *client, long a, long b)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_NOLOAD);
	const struct symbol_server *server;
	void *(*get_user_data)(void *client);

	(void)a;
	(void)b;
	*(void **)&get_user_data = dlsym(library, "debuginfod_get_user_data");
	server = get_user_data(client);
	dlclose(library);
	return now_ms() >= server->end_ms;
}

int symbol_server_find(struct symbol_server *server, const uint8_t *build_id,
		       size_t size)
{
	const struct client_functions *functions = &server->functions;
	uint64_t start_ms = now_ms(), took_ms;
	int fd;

	if (!server->client)
		return -ENOENT;
	if (!server->left_ms)
		return -ETIME;
	server->end_ms = start_ms + server->left_ms;
	functions->set_user_data(server->client, server);
	functions->set_progressfn(server->client, on_progress);
	fd = functions->find_debuginfo(server->client, build_id, (int)size,
				       NULL);
	took_ms = now_ms() - start_ms;
	server->left_ms -=
		took_ms < server->left_ms ? took_ms : server->left_ms;
	if (!server->left_ms)
		notes_add(server->notes,
			  "debuginfod servers took too long: no more debug "
			  "files are asked for");
	return fd < 0 && fd != -ENOENT && !server->left_ms ? -ETIME : fd;
}
