// C++: a destructor that spins while an exception passes, and a handler that
// does. Which, is the argument: cleanup, catch.
#include <cstring>
#include <stdexcept>
#include <string>

volatile unsigned long count;
static bool spins_in_cleanup;

__attribute__((noinline)) void spin()
{
	for (;;)
		count = count + 1;
}

struct Guard {
	std::string text = "a text that is long enough to be on the heap";
	__attribute__((noinline)) ~Guard()
	{
		if (spins_in_cleanup)
			spin();
	}
};

__attribute__((noinline)) void thrower(int n)
{
	if (n >= 0)
		throw std::runtime_error("on purpose");
	count = count + 1;
}

__attribute__((noinline)) void guarded(int n)
{
	Guard guard;
	thrower(n);
	count = count + 1;
}

__attribute__((noinline)) void catcher(int n)
{
	try {
		guarded(n);
	} catch (const std::exception &) {
		spin();
	}
	count = count + 1;
}

int main(int argc, char **argv)
{
	spins_in_cleanup = argc > 1 && !strcmp(argv[1], "cleanup");
	catcher(argc);
	return 0;
}
