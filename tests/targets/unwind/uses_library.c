/* callback: main -> library_call -> back -> spin; plt: calls through the PLT
 * for ever. */
#include <string.h>

void library_a(void);
void library_b(void);
void library_call(void (*callback)(void));

volatile unsigned long count;

__attribute__((noinline)) static void spin(void)
{
	for (;;)
		count++;
}

__attribute__((noinline)) static void back(void)
{
	spin();
	count++;
}

__attribute__((noinline)) static void through_plt(void)
{
	for (;;) {
		library_a();
		library_b();
		count++;
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "plt") == 0)
		through_plt();
	library_call(back);
	return 0;
}
