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
  const shown = masked({
    value: body,
    place: [],
    isSecret: (place) => isSecret(path, place),
    found: (place) => secrets.push(place.join('.')),
  });
  return { method, path, body: shown, secrets };
}

type Place = readonly string[];

/** The address of a webhook is secret too. The effect of the calls shows its origin. */
const isSecret = (path: string, place: Place): boolean =>
  secretFields.has(place.at(-1) ?? '') ||
  (place.at(-1) === 'url' && (path.startsWith('/admin/webhooks') || place.includes('webhooks')));

type Masked = Readonly<{
  value: unknown;
  place: Place;
  isSecret: (place: Place) => boolean;
  found: (place: Place) => void;
}>;

function masked({ value, place, ...how }: Masked): unknown {
  if (Array.isArray(value)) {
    return value.map((one: unknown, index) =>
      masked({ ...how, value: one, place: [...place, `${index}`] }),
    );
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    const at = [...place, name];
    if (member === null || !how.isSecret(at)) {
      return [name, masked({ ...how, value: member, place: at })];
    }
    how.found(at);
    return [name, 'set'];
  });
  return Object.fromEntries(members);
}
