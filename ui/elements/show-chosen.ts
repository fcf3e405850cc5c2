// Of a row of links that is wider than the page, the one that is chosen is brought into sight; the page itself stays where it is.

/** The row is the `nav` in a root, and may scroll sideways. */
export function showChosen(root: ParentNode): void {
  const row = root.querySelector('nav');
  const chosen = root.querySelector('[aria-current]');
  if (row === null || chosen === null || row.scrollWidth <= row.clientWidth) return;
  const [outer, inner] = [row.getBoundingClientRect(), chosen.getBoundingClientRect()];
  const middles = inner.left + inner.width / 2 - (outer.left + outer.width / 2);
  row.scrollLeft += middles;
}
