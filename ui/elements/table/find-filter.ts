// Finds the filter field that `/` focuses, in nested shadow trees.

export function filterIn(root: ParentNode): HTMLElement | null {
  for (const element of root.querySelectorAll<HTMLElement>('*')) {
    if (element.dataset['filter'] !== undefined && element.checkVisibility()) return element;
    const inner = element.shadowRoot === null ? null : filterIn(element.shadowRoot);
    if (inner !== null) return inner;
  }
  return null;
}
