// Describes events whose payload was removed from the log or an export. The hash chain remains
// valid without it.

/** `positions` are the first ones. */
export type RedactedEvents = Readonly<{ count: number; positions: readonly number[] }>;

/** If there are more, a finding gives only their number. */
export const redactedNamedMax = 20;

export const noneRedacted: RedactedEvents = { count: 0, positions: [] };

export const withRedacted = (
  { count, positions }: RedactedEvents,
  position: number,
): RedactedEvents => ({
  count: count + 1,
  positions: count < redactedNamedMax ? [...positions, position] : positions,
});

/** Null if there are none. deploy/verify.mjs prints the same text. */
export function redactedText({ count, positions }: RedactedEvents): string | null {
  if (count === 0) return null;
  if (count === 1) return `1 event has no payload (position ${positions.join()})`;
  const more = count > positions.length ? ', …' : '';
  return `${count} events have no payload (positions ${positions.join(', ')}${more})`;
}
