// Authenticates admin API tokens: `gwt-`, 32 random bytes and a checksum, like API keys. A token is
// found by its displayed prefix and verified against its SHA-256 in the vault.

import { hash, timingSafeEqual } from 'node:crypto';

import type { ConfigState } from '../../../projections/config/state.ts';
import { writeAdminTokenUse } from '../../db/usage/admin-token-uses.ts';
import type { Database } from '../../db/pool.ts';
import type { Vault } from '../../db/vault.ts';
import { isLiveToken } from '../../deciders/callers/admin-token.ts';
import type { Holder } from '../../../projections/config/grants.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AdminTokenId } from '../../lib/ids.ts';
import { hasChecksum, mint, shownPrefixLength } from './api-key.ts';
import type { MintedApiKey } from './api-key.ts';

export const adminTokenPrefix = 'gwt-';
export const mintAdminToken = (random: Uint8Array): MintedApiKey => mint(adminTokenPrefix, random);

const dayMs = 24 * 60 * 60 * 1000;
export const tokenDaysDefault = 90;
export const tokenDaysMax = 365;
export const tokenDefaultMs = tokenDaysDefault * dayMs;
export const tokenMaxMs = tokenDaysMax * dayMs;

/** The minimum time between two records of the use of a token, per replica. */
const recordedEveryMs = 60_000;

export type AdminTokens = Readonly<{
  /** Uses the state at the head of the log. Null if the token is not valid. */
  holder: (token: string) => Promise<Holder | null>;
  isLive: (state: ConfigState, id: AdminTokenId) => boolean;
}>;

type Dependencies = Readonly<{
  db: Database;
  vault: Pick<Vault, 'reveal'>;
  state: () => ConfigState;
  /** Reads the log to its head: a token that another replica revoked must not authenticate here. */
  refresh: () => Promise<void>;
  clock: Clock;
  /** Called when a use could not be recorded. The request does not fail because of it. */
  onFailure: (error: unknown) => void;
}>;

export function createAdminTokens(dependencies: Dependencies): AdminTokens {
  const { db, vault, state, refresh, clock, onFailure } = dependencies;
  const recordedAt = new Map<AdminTokenId, number>();
  const record = async (id: AdminTokenId): Promise<void> => {
    const now = clock();
    if (now - (recordedAt.get(id) ?? -Infinity) < recordedEveryMs) return;
    recordedAt.set(id, now);
    await writeAdminTokenUse(db, { id, at: new Date(now) }).catch(onFailure);
  };
  return {
    holder: async (token) => {
      if (!hasChecksum(token)) return null;
      await refresh();
      const prefix = token.slice(0, shownPrefixLength);
      const candidates = [...state().admin_token.byId.values()].filter(
        (one) => one.prefix === prefix && isLiveToken(one, clock()),
      );
      if (candidates.length === 0) return null;
      const verifiers = await vault.reveal(
        db,
        candidates.map(({ verifierRef }) => verifierRef),
      );
      const found = candidates.find(({ verifierRef }) =>
        isVerifiedBy(token, verifiers.get(verifierRef)),
      );
      if (found === undefined) return null;
      await record(found.id);
      return { principalId: found.principalId, tokenId: found.id };
    },
    isLive: ({ admin_token: { byId } }, id) => {
      const token = byId.get(id);
      return token !== undefined && isLiveToken(token, clock());
    },
  };
}

function isVerifiedBy(token: string, verifier: string | undefined): boolean {
  const given = Buffer.from(hash('sha256', token));
  const known = Buffer.from(verifier ?? '');
  return known.length === given.length && timingSafeEqual(known, given);
}
