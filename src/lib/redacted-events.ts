// Events whose payload was removed from the log or from an export of it: the chain holds without it, and what they said is gone.

/** `positions` are the first of them. */
export type RedactedEvents = Readonly<{ count: number; positions: readonly number[] }>;

/** Positions that a finding names; of more it gives the number. */
export const redactedNamedMax = 20;

export const noneRedacted: RedactedEvents = { count: 0, positions: [] };

export const withRedacted = (
  { count, positions }: RedactedEvents,
  position: number,
): RedactedEvents => ({
  count: count + 1,
  positions: count < redactedNamedMax ? [...positions, position] : positions,
});

/** Null when none is. deploy/verify.mjs says the same. */
export function redactedText({ count, positions }: RedactedEvents): string | null {
  if (count === 0) return null;
  if (count === 1) return `1 event has no payload (position ${positions.join()})`;
  const more = count > positions.length ? ', …' : '';
  return `${count} events have no payload (positions ${positions.join(', ')}${more})`;
}
