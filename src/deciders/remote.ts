// What an MCP server and an A2A agent have in common when they change: a name of their own, and a credential that stays with
// its origin.

import type { StoredCredential } from '../../events/provider.ts';
import type { Remote } from '../../events/remote.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { refuseLeak } from './credential-leak.ts';

export type HeldRemote<Details extends Remote> = Readonly<{
  id: number;
  details: Details;
  credential: StoredCredential | null;
}>;

/** A member that is undefined is left alone; `credential` null clears it. */
export type RemoteChange<Details extends Remote> = Readonly<{
  details: Readonly<{ [Field in keyof Details]?: Details[Field] | undefined }>;
  credential: StoredCredential | null | undefined;
  /** Says that the stored credential may be sent to another origin. */
  keepCredential: boolean;
}>;

type Others<Details extends Remote> = Readonly<{
  byId: ReadonlyMap<number, HeldRemote<Details>>;
}>;

/** Null when no other record has the name. `what` is the noun as people read it. */
export function refuseTaken<Details extends Remote>(
  { byId }: Others<Details>,
  { id, name }: Readonly<{ id: number | null; name: string }>,
  what: string,
): Refusal | null {
  const isTaken = [...byId.values()].some((one) => one.id !== id && one.details.name === name);
  return isTaken ? refuse('conflict', `${what} ${name} exists`, { param: 'name' }) : null;
}

/** What of a change is one: null of `details` and undefined of `credential` are no change. */
export type RemoteDifference<Details extends Remote> = Readonly<{
  details: Details | null;
  credential: StoredCredential | null | undefined;
}>;

export function changeRemote<Details extends Remote>(
  others: Others<Details>,
  held: HeldRemote<Details>,
  change: RemoteChange<Details>,
  what: string,
): RemoteDifference<Details> | Refusal {
  const sent = Object.entries(change.details).filter(([, value]) => value !== undefined);
  const details: Details = { ...held.details, ...Object.fromEntries(sent) };
  const refusal = refuseTaken(others, { id: held.id, name: details.name }, what);
  if (refusal !== null) return refusal;
  const isKept = change.credential === undefined && held.credential !== null;
  if (isKept && !change.keepCredential) {
    const leak = refuseLeak({ from: held.details.url, to: details.url, param: 'url' });
    if (isRefusal(leak)) return leak;
  }
  const isCleared = change.credential === null && held.credential === null;
  return {
    details: canonicalJson(details) === canonicalJson(held.details) ? null : details,
    credential: isCleared ? undefined : change.credential,
  };
}
