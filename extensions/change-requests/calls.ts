// Shows the calls of a change request. Secrets are replaced, and their places listed.

import { z } from 'zod';

import type { DraftedCall } from '../../src/control/change-requests/body.ts';
import { secretFields } from '../../src/admin/http/input.ts';

export const shownCall = z.object({
  method: z.string(),
  path: z.string(),
  /** Secrets are replaced by `set`. Null if the call has no body. */
  body: z.unknown(),
  /** The places of the secrets in the body. */
  secrets: z.array(z.string()).readonly(),
});
type ShownCall = z.input<typeof shownCall>;

export function shownCallOf({ method, path, body = null }: DraftedCall): ShownCall {
  const secrets: string[] = [];
  const shown = masked(body, [], (place) => secrets.push(place.join('.')));
  return { method, path, body: shown, secrets };
}

type Found = (place: readonly string[]) => void;

function masked(value: unknown, place: readonly string[], found: Found): unknown {
  if (Array.isArray(value)) {
    return value.map((one: unknown, index) => masked(one, [...place, `${index}`], found));
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    const at = [...place, name];
    if (!secretFields.has(name) || member === null) return [name, masked(member, at, found)];
    found(at);
    return [name, 'set'];
  });
  return Object.fromEntries(members);
}
