/* Shared library: calls back, and small functions to be called through the
 * PLT. */
volatile unsigned long library_count;

__attribute__((noinline)) void library_a(void)
{
	library_count++;
}

__attribute__((noinline)) void library_b(void)
{
	library_count += 2;
}

void library_call(void (*callback)(void))
{
	library_a();
	callback();
	library_count++;
}
