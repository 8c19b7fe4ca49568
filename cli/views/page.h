/*
 * The flame graph page: one self-contained HTML file, of the sources in
 * cli/views/page (assembled at build time) and the profile's tables.
 */
#ifndef CLI_VIEWS_PAGE_H
#define CLI_VIEWS_PAGE_H

#include "cli/formats/sink.h"
#include "cli/profile/compare.h"

/*
 * Writes the page of one profile, or of a comparison where after is not NULL
 * (ops are not used). Errors are the sink's. The data in the page:
 *
 *   base64 of gzip of: the meta text (page_meta.h), the verdicts' text
 *   (page_verdicts.h; empty for one profile), then the columns in the
 *   order of columns_of in page.c, each a count and that many varints.
 *   Numbers that may be missing are one more than they are, 0 for missing.
 *
 * Texts are what binaries and processes call themselves. They stand in the
 * compressed data only, so none can end the script or start another.
 */
void page_write(struct sink *sink, const struct compare_side *before,
		const struct compare_side *after);

#endif
