// The checkboxes of rows, and the one for all rows of the page.

import { html } from 'lit';

type Key = string | number;

export type Ticks = Readonly<{
  ticked: ReadonlySet<Key>;
  toggle: (keys: readonly Key[]) => void;
}>;

/** `name` identifies the row to screen readers. */
export const rowTick = (
  { key, name }: Readonly<{ key: Key; name: unknown }>,
  { ticked, toggle }: Ticks,
) =>
  html`<td class="tick">
    <input
      type="checkbox"
      aria-label="Select ${name}"
      .checked=${ticked.has(key)}
      @click=${(event: Event) => event.stopPropagation()}
      @change=${() => toggle([key])}
    />
  </td>`;

export function pageTick(keys: readonly Key[], { ticked, toggle }: Ticks) {
  const isWhole = keys.length > 0 && keys.every((key) => ticked.has(key));
  const change = keys.filter((key) => isWhole || !ticked.has(key));
  return html`<th scope="col" class="tick">
    <input
      type="checkbox"
      aria-label="Select all on this page"
      .checked=${isWhole}
      @change=${() => toggle(change)}
    />
  </th>`;
}
