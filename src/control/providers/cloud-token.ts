// Caches the access tokens of service accounts (Gateway rule 15). Tokens are requested while a
// snapshot is built and renewed five minutes before they expire. If renewal fails, the old token is
// used until it expires. A publish waits briefly for a first token, but never for a renewal.

import { hash } from 'node:crypto';

import type { Clock } from '../../lib/clock.ts';
import type { ProviderId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { SnapshotOverlay } from '../../snapshot/schema.ts';
import {
  dueAtMs,
  isDue,
  isFresh,
  newCredential,
  noteFailure,
  noteMinted,
  usableToken,
} from './cloud-credential.ts';
import type { CloudCredential } from './cloud-credential.ts';
import type { Exchange, Minted } from './service-account.ts';
import { createSlots } from '../slots.ts';

/** `keyFile` is null if it cannot be opened. */
export type CloudProvider = Readonly<{ id: ProviderId; name: string; keyFile: string | null }>;

/** The code of a refusal is `upstream`. */
export type AccessToken = (keyFile: string) => Promise<string | Refusal>;

type Overlay = Pick<SnapshotOverlay, 'tokens' | 'dropped_providers'>;

export type CloudTokens = Readonly<{
  /**
   * For a dial. Ignores the back-off after failures, since a user who retries has probably changed
   * something.
   */
  accessToken: AccessToken;
  /** Providers without a token are dropped, each with its reason. */
  overlayOf: (providers: readonly CloudProvider[]) => Promise<Overlay>;
  /**
   * `listener` is called when a token arrived, failed, expires or must be renewed. It should then
   * call overlayOf.
   */
  onDue: (listener: () => void) => void;
  close: () => void;
}>;

type Dependencies = Readonly<{
  exchange: Exchange;
  clock: Clock;
  /** Called when a provider has no token, or only one that expires soon. */
  onFailure: (what: string, error: Error) => void;
}>;

const timeoutMs = 10_000;
const firstWaitMs = 2_000;
const timerMsMin = 500;
const timerMsMax = 24 * 3_600_000;
const parallelMax = 8;
const credentialsMax = 1_000;

export function createCloudTokens({ exchange, clock, onFailure }: Dependencies): CloudTokens {
  const credentials: Credentials = new Map();
  const slots = createSlots({ parallelMax, waitingMax: credentialsMax, what: 'token exchanges' });
  const closing = new AbortController();
  let wanted: readonly CloudProvider[] = [];
  let renewalTimer: NodeJS.Timeout | undefined;
  let tellDue: (() => void) | null = null;

  /** One exchange at a time per key file. Concurrent callers share it. */
  const mint = (credential: CloudCredential): Promise<void> => {
    if (credential.minting !== null) return credential.minting;
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]);
    credential.askedAtMs = clock();
    credential.minting = slots
      .run(() => exchange(credential.keyFile, signal))
      .then((minted) => settle(credential, minted));
    return credential.minting;
  };

  const settle = (credential: CloudCredential, minted: Minted | Refusal): void => {
    credential.minting = null;
    if (closing.signal.aborted) return;
    const owners = wanted.filter(({ keyFile }) => keyFile === credential.keyFile);
    if (isRefusal(minted)) {
      noteFailure(credential, minted, clock());
      for (const { name } of owners) {
        onFailure(`requesting an access token for provider ${name}`, new Error(minted.message));
      }
    } else {
      noteMinted(credential, minted);
    }
    if (owners.length > 0) tellDue?.();
  };

  const schedule = (asked: readonly CloudCredential[]): void => {
    clearTimeout(renewalTimer);
    if (asked.length === 0 || closing.signal.aborted) return;
    const nowMs = clock();
    const waitMs = Math.min(...asked.map((credential) => dueAtMs(credential, nowMs) - nowMs));
    const boundedMs = Math.min(Math.max(waitMs, timerMsMin), timerMsMax);
    renewalTimer = setTimeout(() => tellDue?.(), boundedMs).unref();
  };

  return {
    accessToken: async (keyFile) => {
      forgetIdle(credentials, wanted, clock());
      const credential = credentialOf(credentials, keyFile);
      if (!isFresh(credential, clock())) await mint(credential);
      const token = usableToken(credential, clock());
      return token ?? refuse('upstream', credential.reason, { param: 'upstream_api_key' });
    },
    overlayOf: async (providers) => {
      wanted = providers;
      forgetIdle(credentials, wanted, clock());
      const keyFiles = new Set(providers.flatMap(({ keyFile }) => keyFile ?? []));
      const asked = [...keyFiles].map((keyFile) => credentialOf(credentials, keyFile));
      for (const credential of asked) if (isDue(credential, clock())) void mint(credential);
      await firstTokens(asked, clock());
      schedule(asked);
      return overlayParts(providers, credentials, clock());
    },
    onDue: (listener) => void (tellDue = listener),
    close: () => {
      closing.abort();
      clearTimeout(renewalTimer);
    },
  };
}

/** By digest of the key file. */
type Credentials = Map<string, CloudCredential>;

function credentialOf(credentials: Credentials, keyFile: string): CloudCredential {
  const key = hash('sha256', keyFile);
  const credential = credentials.get(key) ?? newCredential(keyFile);
  credentials.set(key, credential);
  return credential;
}

/** Drops unused credentials once their token expired or too many are stored. */
function forgetIdle(
  credentials: Credentials,
  wanted: readonly CloudProvider[],
  nowMs: number,
): void {
  const kept = new Set(wanted.map(({ keyFile }) => keyFile));
  for (const [key, credential] of credentials) {
    const isIdle = credential.minting === null && !kept.has(credential.keyFile);
    const isOver = usableToken(credential, nowMs) === null || credentials.size > credentialsMax;
    if (isIdle && isOver) credentials.delete(key);
  }
}

const noneHere = 'this process does not request access tokens';

export const noCloudTokens: CloudTokens = {
  accessToken: async () => refuse('upstream', noneHere, { param: 'upstream_api_key' }),
  overlayOf: async (providers) => ({
    tokens: [],
    dropped_providers: providers.map(({ id }) => ({ provider_id: id, reason: noneHere })),
  }),
  onDue: () => undefined,
  close: () => undefined,
};

/** Not for long: a slow token server must not delay changes of other providers. */
async function firstTokens(asked: readonly CloudCredential[], nowMs: number): Promise<void> {
  const first = asked.filter((credential) => usableToken(credential, nowMs) === null);
  const minting = first.flatMap((credential) => credential.minting ?? []);
  const waitMs = Math.max(...first.map(({ askedAtMs }) => askedAtMs + firstWaitMs - nowMs));
  if (minting.length === 0 || waitMs <= 0) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  await Promise.race([promise, Promise.all(minting)]);
  clearTimeout(timer);
}

function overlayParts(
  providers: readonly CloudProvider[],
  credentials: Credentials,
  nowMs: number,
): Overlay {
  const tokens: Overlay['tokens'][number][] = [];
  const dropped: Overlay['dropped_providers'][number][] = [];
  for (const { id, keyFile } of providers) {
    const credential = keyFile === null ? null : credentialOf(credentials, keyFile);
    const token = credential === null ? null : usableToken(credential, nowMs);
    if (token !== null) tokens.push({ provider_id: id, token });
    else {
      const reason = credential?.reason ?? 'its credential cannot be decrypted';
      dropped.push({ provider_id: id, reason });
    }
  }
  return { tokens, dropped_providers: dropped };
}
