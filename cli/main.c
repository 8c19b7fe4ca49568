#include <locale.h>

#include "cli/command.h"

int main(int argc, char **argv)
{
	/* For the width of characters only: numbers keep their point. */
	setlocale(LC_CTYPE, "C.UTF-8");
	return command_main(argc, argv);
}
