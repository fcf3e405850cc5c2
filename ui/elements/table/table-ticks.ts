// The ticks of a table's rows, and the one for all rows of the page.

import { html } from 'lit';

type Key = string | number;

export type Ticks = Readonly<{
  ticked: ReadonlySet<Key>;
  toggle: (keys: readonly Key[]) => void;
}>;

/** `name` is what the row is known by. */
export const rowTick = (
  { key, name }: Readonly<{ key: Key; name: unknown }>,
  { ticked, toggle }: Ticks,
) =>
  html`<td class="tick">
    <input
      type="checkbox"
      aria-label="Choose ${name}"
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
      aria-label="Choose all on this page"
      .checked=${isWhole}
      @change=${() => toggle(change)}
    />
  </th>`;
}
