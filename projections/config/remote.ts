// Folds the events of a remote server: an MCP server or an A2A agent. Its credential is in the
// vault.

import type { EventsByNoun, RemoteDetails } from '../../events/catalogue.ts';
import type { EventOf, NewEvent } from '../../events/event.ts';
import type { RemoteNoun } from '../../events/nouns.ts';
import type { StoredCredential } from '../../events/provider.ts';
import { checkAbsent, existing } from './entity.ts';

type RemoteEvent<N extends RemoteNoun> = EventOf<EventsByNoun[N]>;

type IdOf<Event> = Event extends { type: `${string}Created`; data: { id: infer Id extends number } }
  ? Id
  : never;

export type Remotes = {
  readonly [N in RemoteNoun]: Readonly<{
    id: IdOf<RemoteEvent<N>>;
    details: RemoteDetails[N];
    credential: StoredCredential | null;
  }>;
};

export function evolveRemote<N extends RemoteNoun>(
  held: Remotes[N] | undefined,
  event: RemoteEvent<N>,
): Remotes[N] | undefined;
export function evolveRemote(
  held: object | undefined,
  event: NewEvent<string, object>,
): object | undefined {
  if (event.type.endsWith('Created')) {
    checkAbsent(held, event);
    return event.data;
  }
  const before = existing(held, event);
  if (event.type.endsWith('Deleted')) return undefined;
  // Other events contain the new details or the new credential.
  const cleared = event.type.endsWith('CredentialCleared') ? { credential: null } : {};
  return { ...before, ...event.data, ...cleared };
}
