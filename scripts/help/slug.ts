// Makes the anchor of a heading as GitHub does, so that a link to a heading works there and on the documentation site.

/** Repeated headings of a page get `-1`, `-2` and so on; that is left to the caller. */
export const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
