// The access tokens of service accounts (Gateway rule 15): had while a snapshot is built, kept until five minutes before their end,
// and sent on until their end when the next one cannot be had. A publish waits a moment for a first token and never for a renewal.

import { hash } from 'node:crypto';

import type { Clock } from '../lib/clock.ts';
import type { ProviderId } from '../lib/ids.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { SnapshotOverlay } from '../snapshot/schema.ts';
import type { Exchange, Minted } from './service-account.ts';
import { createSlots } from './slots.ts';

/** A provider whose credential is a key file; null is one that cannot be opened. */
export type CloudProvider = Readonly<{ id: ProviderId; name: string; keyFile: string | null }>;

/** The access token for a key file; the refusal's code is `upstream`. */
export type AccessToken = (keyFile: string) => Promise<string | Refusal>;

type Overlay = Pick<SnapshotOverlay, 'tokens' | 'dropped_providers'>;

export type CloudTokens = Readonly<{
  /** For a dial. Asks at once, whatever was refused before: whoever tries again has changed something. */
  accessToken: AccessToken;
  /** The tokens of these providers; those that have none are dropped, each with the reason. */
  overlayOf: (providers: readonly CloudProvider[]) => Promise<Overlay>;
  /** Calls `listener` when a token came, failed, ends or is to be renewed: overlayOf is then to be asked again. */
  onDue: (listener: () => void) => void;
  close: () => void;
}>;

type Dependencies = Readonly<{
  exchange: Exchange;
  clock: Clock;
  /** A provider has no token, or only the one that ends soon. */
  onFailure: (what: string, error: Error) => void;
}>;

/** What is known of one key file. Times are epoch milliseconds. */
type Credential = {
  readonly keyFile: string;
  held: Minted | null;
  minting: Promise<void> | null;
  askedAtMs: number;
  failures: number;
  /** Not asked again before. */
  retryAtMs: number;
  /** Why none is held. */
  reason: string;
};

const timeoutMs = 10_000;
const firstWaitMs = 2_000;
const renewBeforeMs = 5 * 60_000;
/** One that lives little longer than renewBeforeMs is kept at least so long, and a shorter one for half of its life. */
const heldMsMin = 60_000;
const backOffMsMin = 5_000;
const backOffMsMax = 5 * 60_000;
const timerMsMin = 500;
const timerMsMax = 24 * 3_600_000;
const parallelMax = 8;
const credentialsMax = 1_000;

export function createCloudTokens({ exchange, clock, onFailure }: Dependencies): CloudTokens {
  const credentials = new Map<string, Credential>();
  const slots = createSlots({ parallelMax, waitingMax: credentialsMax, what: 'token exchanges' });
  const closing = new AbortController();
  let wanted: readonly CloudProvider[] = [];
  let renewalTimer: NodeJS.Timeout | undefined;
  let tellDue = (): void => undefined;

  const credentialOf = (keyFile: string): Credential => {
    const key = hash('sha256', keyFile);
    const credential = credentials.get(key) ?? newCredential(keyFile);
    credentials.set(key, credential);
    return credential;
  };

  /** One exchange at a time for a key file: whoever asks meanwhile waits for the same. */
  const mint = (credential: Credential): Promise<void> => {
    if (credential.minting !== null) return credential.minting;
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]);
    credential.askedAtMs = clock();
    credential.minting = slots
      .run(() => exchange(credential.keyFile, signal))
      .then((minted) => settle(credential, minted));
    return credential.minting;
  };

  const settle = (credential: Credential, minted: Minted | Refusal): void => {
    credential.minting = null;
    if (closing.signal.aborted) return;
    const owners = wanted.filter(({ keyFile }) => keyFile === credential.keyFile);
    if (isRefusal(minted)) {
      noteFailure(credential, minted, clock());
      for (const { name } of owners) {
        onFailure(`having an access token for provider ${name}`, new Error(minted.message));
      }
    } else {
      Object.assign(credential, { held: minted, failures: 0, retryAtMs: 0 });
    }
    if (owners.length > 0) tellDue();
  };

  /** Forgets what no provider has any more, when its token is over or when too many are kept. */
  const forget = (nowMs: number): void => {
    const kept = new Set(wanted.map(({ keyFile }) => keyFile));
    for (const [key, credential] of credentials) {
      const isIdle = credential.minting === null && !kept.has(credential.keyFile);
      if (isIdle && (!isUsable(credential, nowMs) || credentials.size > credentialsMax)) {
        credentials.delete(key);
      }
    }
  };

  const schedule = (asked: readonly Credential[]): void => {
    clearTimeout(renewalTimer);
    if (asked.length === 0 || closing.signal.aborted) return;
    const nowMs = clock();
    const waitMs = Math.min(...asked.map((credential) => dueAtMs(credential, nowMs) - nowMs));
    const boundedMs = Math.min(Math.max(waitMs, timerMsMin), timerMsMax);
    renewalTimer = setTimeout(() => tellDue(), boundedMs).unref();
  };

  return {
    accessToken: async (keyFile) => {
      forget(clock());
      const credential = credentialOf(keyFile);
      if (!isFresh(credential, clock())) await mint(credential);
      const { held, reason } = credential;
      if (held !== null && isUsable(credential, clock())) return held.token;
      return refuse('upstream', reason, { param: 'upstream_api_key' });
    },
    overlayOf: async (providers) => {
      wanted = providers;
      forget(clock());
      const keyFiles = new Set(providers.flatMap(({ keyFile }) => keyFile ?? []));
      const asked = [...keyFiles].map(credentialOf);
      for (const credential of asked) if (isDue(credential, clock())) void mint(credential);
      await firstTokens(asked, clock());
      schedule(asked);
      return overlayParts(providers, { credentialOf, nowMs: clock() });
    },
    onDue: (listener) => void (tellDue = listener),
    close: () => {
      closing.abort();
      clearTimeout(renewalTimer);
    },
  };
}

const noneHere = 'this process asks for no access tokens';

/** Of a process that serves no snapshots. */
export const noCloudTokens: CloudTokens = {
  accessToken: async () => refuse('upstream', noneHere, { param: 'upstream_api_key' }),
  overlayOf: async (providers) => ({
    tokens: [],
    dropped_providers: providers.map(({ id }) => ({ provider_id: id, reason: noneHere })),
  }),
  onDue: () => undefined,
  close: () => undefined,
};

const newCredential = (keyFile: string): Credential => ({
  keyFile,
  held: null,
  minting: null,
  askedAtMs: 0,
  failures: 0,
  retryAtMs: 0,
  reason: 'its access token is not here yet',
});

function noteFailure(credential: Credential, { message }: Refusal, nowMs: number): void {
  const backOffMs = Math.min(backOffMsMin * 2 ** credential.failures, backOffMsMax);
  credential.failures = Math.min(credential.failures + 1, 16);
  credential.retryAtMs = nowMs + backOffMs;
  credential.reason = message;
}

function renewAtMs({ mintedAtMs, expiresAtMs }: Minted): number {
  const lifeMs = expiresAtMs - mintedAtMs;
  return mintedAtMs + Math.max(lifeMs - renewBeforeMs, Math.min(lifeMs / 2, heldMsMin));
}

const isUsable = ({ held }: Credential, nowMs: number): boolean =>
  held !== null && nowMs < held.expiresAtMs;

const isFresh = ({ held }: Credential, nowMs: number): boolean =>
  held !== null && nowMs < renewAtMs(held);

const isDue = (credential: Credential, nowMs: number): boolean =>
  credential.minting === null && !isFresh(credential, nowMs) && nowMs >= credential.retryAtMs;

/** When the credential is to be looked at again. What is under way tells by itself. */
function dueAtMs(credential: Credential, nowMs: number): number {
  const { held, minting, retryAtMs } = credential;
  const endsAtMs = held !== null && nowMs < held.expiresAtMs ? held.expiresAtMs : Infinity;
  if (minting !== null) return endsAtMs;
  return held !== null && nowMs < renewAtMs(held) ? renewAtMs(held) : Math.min(retryAtMs, endsAtMs);
}

/** Waits for tokens where none can be sent, but not long: other providers' news must not wait for a slow one. */
async function firstTokens(asked: readonly Credential[], nowMs: number): Promise<void> {
  const first = asked.filter(
    (credential) => credential.minting !== null && !isUsable(credential, nowMs),
  );
  const waitMs = Math.max(...first.map(({ askedAtMs }) => askedAtMs + firstWaitMs - nowMs));
  if (first.length === 0 || waitMs <= 0) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  await Promise.race([promise, Promise.all(first.map(({ minting }) => minting))]);
  clearTimeout(timer);
}

type Known = Readonly<{ credentialOf: (keyFile: string) => Credential; nowMs: number }>;

function overlayParts(
  providers: readonly CloudProvider[],
  { credentialOf, nowMs }: Known,
): Overlay {
  const tokens: Overlay['tokens'][number][] = [];
  const dropped: Overlay['dropped_providers'][number][] = [];
  for (const { id, keyFile } of providers) {
    const credential = keyFile === null ? null : credentialOf(keyFile);
    const token =
      credential !== null && isUsable(credential, nowMs) ? credential.held?.token : null;
    const reason = credential?.reason ?? 'its credential cannot be opened';
    if (typeof token === 'string') tokens.push({ provider_id: id, token });
    else dropped.push({ provider_id: id, reason });
  }
  return { tokens, dropped_providers: dropped };
}
