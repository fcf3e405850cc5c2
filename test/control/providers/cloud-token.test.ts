// Tests that access tokens are cached until five minutes before they expire, and that a failure
// affects only its provider (Gateway rule 15; Limits, "Cloud token cache").

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { createCloudTokens } from '../../../src/control/providers/cloud-token.ts';
import type { CloudProvider, CloudTokens } from '../../../src/control/providers/cloud-token.ts';
import type { Minted } from '../../../src/control/providers/service-account.ts';
import { providerId } from '../../../src/lib/ids.ts';
import { isRefusal, refuse } from '../../../src/lib/refusal.ts';
import type { Refusal } from '../../../src/lib/refusal.ts';
import { until } from '../../harness/wait.ts';

const minute = 60_000;
const provider = (number: number, keyFile: string | null = `file ${number}`): CloudProvider => ({
  id: providerId.parse(number),
  name: `p${number}`,
  keyFile,
});

/**
 * An exchange that returns numbered tokens for an hour, or the test's result, with the test's
 * clock.
 */
function started(test: TestContext, clock?: () => number) {
  const now = { ms: 1_000_000 };
  const nowMs = clock ?? ((): number => now.ms);
  const asked: string[] = [];
  const failures: string[] = [];
  const answers = { next: (): Promise<Minted | Refusal> | null => null };
  const tokens = createCloudTokens({
    clock: nowMs,
    exchange: async (keyFile) => {
      asked.push(keyFile);
      const lifeMs = 60 * minute;
      const minted = {
        token: `token-${asked.length}`,
        mintedAtMs: nowMs(),
        expiresAtMs: nowMs() + lifeMs,
      };
      return (await answers.next()) ?? minted;
    },
    onFailure: (what, { message }) => void failures.push(`${what}: ${message}`),
  });
  test.after(() => tokens.close());
  return { tokens, now, asked, failures, answers };
}

const refused = async (): Promise<Refusal> => refuse('upstream', 'no token today');
const sent = async (tokens: CloudTokens, ...providers: CloudProvider[]) =>
  (await tokens.overlayOf(providers)).tokens.map(({ token }) => token);

describe('an access token', () => {
  it('is cached until five minutes before it expires, for dials and snapshots', async (t) => {
    const { tokens, now, asked } = started(t);
    assert.equal(await tokens.accessToken('file 1'), 'token-1');
    now.ms += 55 * minute - 1;
    assert.deepEqual(await sent(tokens, provider(1), provider(2, 'file 1')), [
      'token-1',
      'token-1',
    ]);
    now.ms += 1;
    assert.equal(await tokens.accessToken('file 1'), 'token-2');
    assert.deepEqual(asked, ['file 1', 'file 1']);
  });

  it('is used during renewal, and until it expires if renewal fails', async (t) => {
    const { tokens, now, answers, failures } = started(t);
    assert.deepEqual(await sent(tokens, provider(1)), ['token-1']);
    answers.next = refused;
    now.ms += 55 * minute;
    assert.deepEqual(await sent(tokens, provider(1)), ['token-1']);
    await until(() => failures.length > 0, { what: 'the failure' });
    assert.deepEqual(failures, ['requesting an access token for provider p1: no token today']);
    now.ms += 5 * minute;
    assert.deepEqual(await tokens.overlayOf([provider(1)]), {
      tokens: [],
      dropped_providers: [{ provider_id: 1, reason: 'no token today' }],
    });
  });

  it('is requested once for all concurrent callers', async (t) => {
    const { tokens, asked } = started(t);
    const both = await Promise.all([tokens.accessToken('file'), tokens.accessToken('file')]);
    assert.deepEqual(both, ['token-1', 'token-1']);
    assert.equal(asked.length, 1);
  });

  it('is dropped with its provider once it has expired', async (t) => {
    const { tokens, now, asked } = started(t);
    await tokens.overlayOf([provider(1)]);
    await tokens.overlayOf([]);
    now.ms += minute;
    assert.deepEqual(await sent(tokens, provider(1)), ['token-1']);
    await tokens.overlayOf([]);
    now.ms += 60 * minute;
    await tokens.overlayOf([]);
    assert.deepEqual(await sent(tokens, provider(1)), ['token-2']);
    assert.equal(asked.length, 2);
  });
});

describe('an unavailable token', () => {
  it('drops only its provider, and is retried with growing pauses', async (t) => {
    const { tokens, now, asked, answers } = started(t);
    assert.deepEqual(await sent(tokens, provider(2)), ['token-1']);
    answers.next = refused;
    assert.deepEqual(await tokens.overlayOf([provider(1), provider(2), provider(3, null)]), {
      tokens: [{ provider_id: 2, token: 'token-1' }],
      dropped_providers: [
        { provider_id: 1, reason: 'no token today' },
        { provider_id: 3, reason: 'its credential cannot be decrypted' },
      ],
    });
    const pauses = [5, 10, 20, 40, 80, 160, 300, 300];
    for (const seconds of pauses) {
      const before = asked.length;
      now.ms += seconds * 1000 - 1;
      await tokens.overlayOf([provider(1)]);
      assert.equal(asked.length, before, `not before ${seconds} s`);
      now.ms += 1;
      await tokens.overlayOf([provider(1)]);
      assert.equal(asked.length, before + 1, `after ${seconds} s`);
    }
    answers.next = () => null;
    assert.equal(await tokens.accessToken('file 1'), `token-${asked.length}`);
  });

  it('delays a publish by at most two seconds, once', async (t) => {
    const { tokens, answers } = started(t, Date.now);
    answers.next = () => new Promise(() => {});
    const from = performance.now();
    const first = await tokens.overlayOf([provider(1)]);
    const tookMs = performance.now() - from;
    assert.ok(tookMs > 1_500 && tookMs < 5_000, `${tookMs} ms`);
    assert.match(first.dropped_providers[0]?.reason ?? '', /not arrived yet/);
    const again = performance.now();
    await tokens.overlayOf([provider(1)]);
    assert.ok(performance.now() - again < 500);
  });

  it('refuses a dial, and the next dial retries at once', async (t) => {
    const { tokens, answers } = started(t);
    answers.next = refused;
    assert.ok(isRefusal(await tokens.accessToken('file')));
    answers.next = () => null;
    assert.equal(await tokens.accessToken('file'), 'token-2');
  });
});

it('renews a token by a timer before it expires', async (t) => {
  const { tokens, answers } = started(t, Date.now);
  let count = 0;
  const short = (): Minted => {
    const mintedAtMs = Date.now();
    return { token: `short-${(count += 1)}`, mintedAtMs, expiresAtMs: mintedAtMs + 1_200 };
  };
  answers.next = async () => short();
  const seen: string[] = [];
  const look = async (): Promise<void> => {
    seen.push(...(await sent(tokens, provider(1))));
  };
  tokens.onDue(() => void look());
  await look();
  await until(() => seen.includes('short-3'), { what: 'two renewals' });
});

it('runs at most eight exchanges at once', async (t) => {
  const { tokens, asked, answers } = started(t);
  const gate = Promise.withResolvers<null>();
  answers.next = async () => (await gate.promise) ?? refuse('upstream', 'late');
  const overlay = tokens.overlayOf(Array.from({ length: 20 }, (_, i) => provider(i + 1)));
  assert.equal(asked.length, 8);
  gate.resolve(null);
  await overlay;
  await until(() => asked.length === 20, { what: 'every exchange' });
});
