// Scrolls the chosen link of a row of links into view without scrolling the page.

/** The row is the first `nav` in the root. */
export function showChosen(root: ParentNode): void {
  const row = root.querySelector('nav');
  const chosen = root.querySelector('[aria-current]');
  if (row === null || chosen === null || row.scrollWidth <= row.clientWidth) return;
  const [outer, inner] = [row.getBoundingClientRect(), chosen.getBoundingClientRect()];
  const middles = inner.left + inner.width / 2 - (outer.left + outer.width / 2);
  row.scrollLeft += middles;
}
