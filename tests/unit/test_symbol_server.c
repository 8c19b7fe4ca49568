/*
 * Debug files from a debuginfod server of this test's own: one that has the
 * file, one that has another's, and one that never answers.
 */
#include "symbolize/symbol_server.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "built.h"
#include "perfcore/mem.h"

struct http {
	pid_t pid;
	const char *file; /* sent to whoever asks; NULL: never answers */
};

static void http_answer(int client, const char *file)
{
	char request[4096], head[128];
	struct stat status;
	int fd, length;

	if (!file) {
		pause();
		return;
	}
	if (read(client, request, sizeof(request)) <= 0)
		return;
	fd = open(file, O_RDONLY);
	if (fd < 0 || fstat(fd, &status))
		return;
	length = snprintf(head, sizeof(head),
			  "HTTP/1.0 200 OK\r\nContent-Length: %lld\r\n\r\n",
			  (long long)status.st_size);
	if (write(client, head, (size_t)length) == length)
		sendfile(client, fd, NULL, (size_t)status.st_size);
	close(fd);
}

/* Starts a server and sets DEBUGINFOD_URLS to it. */
static void http_start(struct http *http, const char *file)
{
	int server = socket(AF_INET, SOCK_STREAM, 0), client;
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t size = sizeof(address);
	char url[64];

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(server, (void *)&address, size), 0);
	assert_int_equal(listen(server, 8), 0);
	getsockname(server, (void *)&address, &size);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d",
		 ntohs(address.sin_port));
	setenv("DEBUGINFOD_URLS", url, 1);
	http->pid = fork();
	while (http->pid == 0) {
		client = accept(server, NULL, NULL);
		http_answer(client, file);
		close(client);
	}
	close(server);
}

static void http_stop(struct http *http)
{
	kill(http->pid, SIGKILL);
	waitpid(http->pid, NULL, 0);
	unsetenv("DEBUGINFOD_URLS");
}

static bool is_installed(const char *test)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW);

	if (!library)
		printf("skip %s: libdebuginfod.so.1 is not installed\n", test);
	return library != NULL;
}

/* p, stripped, and its debug file beside it, where it is not looked for. */
static void program_build(struct built *built)
{
	built_run(built, "gcc -O1 -nostdlib -e main p.c -o whole && "
			 "objcopy --only-keep-debug whole d && "
			 "strip -o p whole && "
			 "gcc -O1 -nostdlib -e main -g p.c -o other");
	setenv("DEBUGINFOD_CACHE_PATH", built->dir, 1);
}

static void ask(struct built *built, const char *file, uint64_t deadline_ms)
{
	char *path = file ? mem_printf("%s/%s", built->dir, file) : NULL;
	struct http http;

	program_build(built);
	http_start(&http, path);
	built->server = symbol_server_new(deadline_ms, &built->notes);
	built_open(built, "p");
	built_name_of(built, BUILT_FOO);
	http_stop(&http);
	free(path);
}

static void test_debug_file_from_a_server(void **state)
{
	struct built *built = *state;

	if (!is_installed(__func__))
		skip();
	ask(built, "d", 5000);
	built_assert_named(built);
	assert_int_equal(built->notes.count, 0);
	symbol_server_free(built->server);
}

static void test_c19_server_with_another_build(void **state)
{
	struct built *built = *state;

	if (!is_installed(__func__))
		skip();
	ask(built, "other", 5000);
	assert_string_equal(built_name_of(built, BUILT_FOO), "");
	assert_int_equal(built->notes.count, 1);
	symbol_server_free(built->server);
}

static void test_server_that_never_answers(void **state)
{
	struct built *built = *state;
	const uint8_t id[20] = { 1 };

	if (!is_installed(__func__))
		skip();
	ask(built, NULL, 1);
	assert_string_equal(built_name_of(built, BUILT_FOO), "");
	assert_int_equal(built->notes.count, 1);
	assert_non_null(strstr(built->notes.items[0].text, "too long"));
	assert_true(symbol_server_find(built->server, id, 20) < 0);
	symbol_server_free(built->server);
}

static void test_no_server_is_known(void **state)
{
	struct built *built = *state;
	const uint8_t id[20] = { 1 };

	unsetenv("DEBUGINFOD_URLS");
	built->server = symbol_server_new(1000, &built->notes);
	assert_true(symbol_server_find(built->server, id, 20) < 0);
	assert_int_equal(built->notes.count, 1);
	assert_non_null(strstr(built->notes.items[0].text, "DEBUGINFOD_URLS"));
	symbol_server_free(built->server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BUILT_TEST(test_debug_file_from_a_server),
		BUILT_TEST(test_c19_server_with_another_build),
		BUILT_TEST(test_server_that_never_answers),
		BUILT_TEST(test_no_server_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
