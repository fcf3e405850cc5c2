// What can be done to a key, each as a save.

import { createKey, revokeKey } from '../../api/keys.ts';
import type { ApiKey, MadeApiKey } from '../../api/keys.ts';
import { keyBody } from '../../lib/key-draft.ts';
import type { KeyDraft } from '../../lib/key-draft.ts';
import type { Save } from '../../lib/save.ts';
import { zone } from '../../state/preferences.ts';

type Creation = Readonly<{
  draft: KeyDraft;
  /** The name of whose it is. */
  principal: string;
  /** Takes the key, which is told this once. */
  onMade: (made: MadeApiKey) => void;
}>;

/** Leaves the form open behind the key, which is not closed until it is kept. */
export function creationOf({ draft, principal, onMade }: Creation): Save {
  const body = keyBody(draft, { now: Date.now(), zone: zone.get() });
  const { name, expires_at } = body;
  return {
    heading: `Create key ${name}`,
    verb: 'Create key',
    done: `Key ${name} created`,
    before: {},
    after: { name, principal, expires_at: expires_at ?? 'never' },
    run: async (change) => {
      const answer = await createKey(body, change);
      onMade(answer.body);
      return answer;
    },
  };
}

export const revocationOf = (key: ApiKey): Save => ({
  heading: `Revoke ${key.name}`,
  verb: 'Revoke key',
  done: `Key ${key.name} revoked`,
  before: null,
  after: null,
  danger: true,
  name: key.name,
  run: (change) => revokeKey(key.id, { version: key.version, ...change }),
});
