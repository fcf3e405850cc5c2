// Where `/` goes: the first field of the screen by which its list is filtered, however deep it lies.

export function filterIn(root: ParentNode): HTMLElement | null {
  for (const element of root.querySelectorAll<HTMLElement>('*')) {
    if (element.dataset['filter'] !== undefined && element.checkVisibility()) return element;
    const inner = element.shadowRoot === null ? null : filterIn(element.shadowRoot);
    if (inner !== null) return inner;
  }
  return null;
}
