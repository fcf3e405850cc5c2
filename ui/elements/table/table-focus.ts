// Scrolls the focused cell out from under the sticky first column.

const gapPx = 8;

export function besideFirst(event: FocusEvent): void {
  const path = event.composedPath();
  const [target] = path;
  const cell = path.find((one) => one instanceof HTMLTableCellElement);
  const first = cell?.parentElement?.querySelector<HTMLTableCellElement>('.first');
  const scroll = event.currentTarget;
  if (!(target instanceof HTMLElement) || !(scroll instanceof HTMLElement)) return;
  if (cell === undefined || first === null || first === undefined) return;
  if (cell.cellIndex <= first.cellIndex) return;
  const hidden = first.getBoundingClientRect().right - target.getBoundingClientRect().left;
  if (hidden > 0) scroll.scrollLeft -= hidden + gapPx;
}
