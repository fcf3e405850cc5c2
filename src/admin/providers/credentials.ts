// How the admin listener looks up each credential: sessions in the database, keys in the published snapshot, admin
// tokens by their verifiers in the vault, the proxy token by comparing digests in constant time.

import { createHash, hash, timingSafeEqual } from 'node:crypto';

import type { Publisher } from '../../control/publishing/publish.ts';
import { verbsHeld } from '../../../projections/config/grants.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import type { Snapshot, SnapshotApiKey } from '../../snapshot/schema.ts';
import type { Credentials } from '../http/authorise.ts';
import type { Control } from '../control.ts';

type Dependencies = Readonly<{
  control: Pick<Control, 'sessions' | 'adminTokens' | 'state' | 'clock'> &
    Readonly<{ publisher: Publisher }>;
  /** Several are accepted, for rotation; an empty one never is. */
  proxyTokens: readonly string[];
}>;

export function createCredentials({ control, proxyTokens }: Dependencies): Credentials {
  const digests = proxyTokens.filter((token) => token !== '').map(digest);
  const keys = createKeyIndex(control.clock);
  return {
    sessionOwner: control.sessions.owner,
    adminTokenHolder: control.adminTokens.holder,
    verbsOf: (holder) => verbsHeld(control.state(), holder),
    isProxyToken: (token) => {
      const given = digest(token);
      // Every one is compared, so that the time does not say which.
      return digests.map((known) => timingSafeEqual(known, given)).includes(true);
    },
    apiKeyOwner: (key) => {
      const snapshot = control.publisher.current()?.snapshot;
      return snapshot === undefined ? null : keys(snapshot, key);
    },
  };
}

const digest = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Finds a key by its verifier, in an index that is made once a snapshot. */
function createKeyIndex(clock: Clock): (snapshot: Snapshot, key: string) => PrincipalId | null {
  const indexes = new WeakMap<Snapshot, ReadonlyMap<string, SnapshotApiKey>>();
  return (snapshot, key) => {
    const index = indexes.get(snapshot) ?? indexKeys(snapshot);
    indexes.set(snapshot, index);
    const found = index.get(hash('sha256', key));
    if (found === undefined) return null;
    const expired = found.expires_at !== null && Date.parse(found.expires_at) <= clock();
    return expired ? null : found.principal_id;
  };
}

const indexKeys = ({ config, secrets }: Snapshot): ReadonlyMap<string, SnapshotApiKey> =>
  new Map(
    config.api_keys.flatMap((key) => {
      const verifier = secrets[key.verifier_ref];
      return verifier === undefined ? [] : [[verifier, key] as const];
    }),
  );
