// Looks up credentials for the admin listener: sessions in the database, keys in the published
// snapshot, admin tokens by their verifiers in the vault. Proxy tokens are compared by digest in
// constant time.

import { createHash, hash, timingSafeEqual } from 'node:crypto';

import type { ConfigState } from '../../../projections/config/state.ts';
import type { AdminTokens } from '../../control/access/admin-tokens.ts';
import type { Sessions } from '../../control/access/sessions.ts';
import type { Publisher } from '../../control/publishing/publish.ts';
import { verbsHeld } from '../../../projections/config/grants.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import type { Snapshot, SnapshotApiKey } from '../../snapshot/schema.ts';
import type { Credentials } from './authorise.ts';

type Dependencies = Readonly<{
  sessions: Pick<Sessions, 'owner'>;
  adminTokens: Pick<AdminTokens, 'holder'>;
  publisher: Pick<Publisher, 'current'>;
  state: () => ConfigState;
  clock: Clock;
  /** Several are accepted, for rotation. An empty token never is. */
  proxyTokens: readonly string[];
}>;

export function createCredentials(dependencies: Dependencies): Credentials {
  const { sessions, adminTokens, publisher, state, clock, proxyTokens } = dependencies;
  const digests = proxyTokens.filter((token) => token !== '').map(digest);
  const keys = createKeyIndex(clock);
  return {
    sessionOwner: sessions.owner,
    adminTokenHolder: adminTokens.holder,
    verbsOf: (holder) => verbsHeld(state(), holder),
    isProxyToken: (token) => {
      const given = digest(token);
      // Compares all tokens, so that the time does not reveal which one matched.
      return digests.map((known) => timingSafeEqual(known, given)).includes(true);
    },
    apiKeyOwner: (key) => {
      const snapshot = publisher.current()?.snapshot;
      return snapshot === undefined ? null : keys(snapshot, key);
    },
  };
}

const digest = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Builds the index once per snapshot. */
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
