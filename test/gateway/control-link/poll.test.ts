// The poll hears of a change at once where the control plane lets it wait, and asks no more than it should where that does not.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createControlClient } from '../../../src/gateway/control-link/client.ts';
import { startPoll } from '../../../src/gateway/control-link/poll.ts';
import type { PollOptions } from '../../../src/gateway/control-link/poll.ts';
import { createLive } from '../../../src/gateway/config/live.ts';
import { baseHeader, deltaMediaType, rootHeader } from '../../../src/snapshot/delta/delta.ts';
import { firstEdition } from '../../../src/snapshot/delta/edition.ts';
import type { Edition } from '../../../src/snapshot/delta/edition.ts';
import { newCounts } from '../../../src/telemetry/metrics.ts';
import { configHash } from '../../../src/snapshot/hash.ts';
import { wholeOf } from '../../../src/snapshot/paged.ts';
import { snapshotEtag } from '../../../src/snapshot/schema.ts';
import type { Snapshot } from '../../../src/snapshot/schema.ts';
import { collectLog } from '../../harness/gateway/gateway.ts';
import type { LogLine } from '../../harness/gateway/gateway.ts';
import { givenSnapshot } from '../../harness/gateway/snapshot.ts';
import { deltaBetween, pagedOf } from '../../harness/gateway/editions.ts';
import { startUpstream, unusedApiBase } from '../../harness/upstream/upstream.ts';
import type { Script } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

const version = (number: number, log = 'test'): Snapshot => {
  const snapshot = givenSnapshot({ version: number, models: {} });
  return { ...snapshot, log: { ...snapshot.log, id: log } };
};

const send =
  (snapshot: Snapshot): Script =>
  (_, response) =>
    void response.writeHead(200, { etag: snapshotEtag(snapshot) }).end(JSON.stringify(snapshot));

const unchanged: Script = (_, response) => void response.writeHead(304).end();

const monotonic = () => performance.now();

async function poll(script: Script | null, more: Partial<PollOptions> = {}) {
  const control = await startUpstream(script ?? (() => {}));
  if (script === null) await control[Symbol.asyncDispose]();
  const lines: LogLine[] = [];
  const log = collectLog(lines);
  const live = createLive({ log, monotonic });
  const client = createControlClient({
    controlUrl: control.apiBase.replace('/v1', ''),
    proxyToken: 'token',
    caBundle: [],
  });
  const counts = newCounts();
  const link = { client, live, cache: null, acceptLog: null, log, counts };
  const options = { ...link, pollMs: 10, monotonic };
  const running = await startPoll({ ...options, random: () => 1, ...more });
  return {
    control,
    live,
    lines,
    counts,
    served: () => live.current()?.version,
    [Symbol.asyncDispose]: async () => {
      await running.stop();
      await client.close();
      await control[Symbol.asyncDispose]();
    },
  };
}

/** The cache of an earlier process. */
const cacheOf = (snapshot: Snapshot): PollOptions['cache'] => ({
  read: async () => ({ cached: { snapshot, seen: [] }, refused: [] }),
  write: async () => {},
  append: async () => true,
});

const edition = (number: number, keys: readonly string[]): Edition => {
  const given = {
    version: number,
    models: {},
    keys: Object.fromEntries(keys.map((key) => [key, {}])),
  };
  return firstEdition(pagedOf(givenSnapshot(given)));
};

const sendWhole =
  (edition: Edition): Script =>
  (_, response) => {
    const headers = { etag: snapshotEtag(edition), [rootHeader]: edition.root };
    response.writeHead(200, headers).end(JSON.stringify(wholeOf(edition)));
  };

/** The delta from the base that the proxy names, and else the whole snapshot. */
const sendDelta =
  (base: Edition, next: Edition, damaged: object = {}, mediaType = deltaMediaType): Script =>
  (request, response) => {
    if (request.headers[baseHeader] !== base.root) return sendWhole(next)(request, response);
    const headers = { etag: snapshotEtag(next), 'content-type': mediaType };
    const delta = { ...deltaBetween(base, next), ...damaged };
    response.writeHead(200, headers).end(JSON.stringify(delta));
  };

const writesTo = (written: string[]): PollOptions['cache'] => ({
  read: async () => ({ cached: null, refused: [] }),
  write: async ({ snapshot, root }) => {
    written.push(`${snapshot.version} ${Object.values(snapshot.secrets).join()} ${root}`);
  },
  append: async () => true,
});
const lastOf = ({ root }: Edition): string => `2 new ${root}`;

describe('a poll of deltas', () => {
  const one = edition(1, ['a', 'b']);
  const two = edition(2, ['a']);

  it('names the held snapshot, and applies the delta', async () => {
    await using link = await poll(sendWhole(one));
    link.control.play(sendDelta(one, two));
    await until(() => link.served() === 2, { what: 'the delta' });
    assert.deepEqual(link.counts.snapshots, { whole: 1, delta: 1, mismatched: 0 });
    assert.equal(link.live.current()?.callers.size, 1);
  });

  it('fetches the whole snapshot after a delta that does not verify', async () => {
    await using link = await poll(sendWhole(one));
    link.control.play(sendDelta(one, two, { version: 3 }));
    await until(() => link.served() === 2, { what: 'the whole snapshot' });
    assert.deepEqual(link.counts.snapshots, { whole: 2, delta: 0, mismatched: 1 });
    assert.match(link.lines.map(({ message }) => message).join(), /a delta was refused/);
  });

  it('accepts parameters of its media type', async () => {
    await using link = await poll(sendWhole(one));
    link.control.play(sendDelta(one, two, {}, `${deltaMediaType}; charset=utf-8`));
    await until(() => link.served() === 2, { what: 'the delta' });
    assert.equal(link.counts.snapshots.delta, 1);
  });

  it('fetches the whole snapshot after a delta with another media type', async () => {
    await using link = await poll(sendWhole(one));
    link.control.play(sendDelta(one, two, {}, 'application/json'));
    await until(() => link.served() === 2, { what: 'the whole snapshot' });
    assert.deepEqual(link.counts.snapshots, { whole: 2, delta: 0, mismatched: 0 });
  });

  const given = givenSnapshot({
    version: 1,
    models: { m: { backends: [{ apiBase: 'http://one/v1', credential: 'old' }] } },
  });
  const withCredential = (number: number, ref: string, text: string): Edition => {
    const providers = given.config.providers.map((one) =>
      Object.assign({ ...one }, { credential_ref: ref }),
    );
    const config = { ...given.config, providers };
    const parts = { config, config_hash: configHash(config), secrets: { [ref]: text } };
    return firstEdition(pagedOf({ ...given, version: number, ...parts }));
  };
  const before = firstEdition(pagedOf(given));
  const after = withCredential(2, 'r2', 'new');

  it('writes the whole cache twice after a replaced credential, so that no file has the old one', async () => {
    const written: string[] = [];
    await using link = await poll(sendWhole(before), { cache: writesTo(written) });
    link.control.play(sendDelta(before, after));
    await until(() => written.length === 3, { what: 'both writes' });
    assert.deepEqual(written, [`1 old ${before.root}`, lastOf(after), lastOf(after)]);
  });

  it('does the same after a whole snapshot with a replaced credential, and only then', async () => {
    const written: string[] = [];
    await using link = await poll(sendWhole(before), { cache: writesTo(written) });
    link.control.play(sendWhole(after));
    await until(() => written.length === 3, { what: 'both writes' });
    const third = withCredential(3, 'r2', 'new');
    link.control.play(sendWhole(third));
    await until(() => link.served() === 3, { what: 'the third snapshot' });
    link.control.play(sendWhole(withCredential(4, 'r1', 'old')));
    await until(() => written.length === 6, { what: 'both writes of the old credential' });
    const versions = written.map((text) => text.split(' ').slice(0, 2).join(' '));
    assert.deepEqual(versions, ['1 old', '2 new', '2 new', '3 new', '4 old', '4 old']);
  });

  it('asks for none after a snapshot that does not have its stated root', async () => {
    await using link = await poll(sendWhole({ ...one, root: two.root }));
    await until(() => link.counts.snapshots.mismatched === 1, { what: 'the mismatch' });
    const { seen } = link.control;
    const before = seen.length;
    await until(() => seen.length > before + 1, { what: 'more polls' });
    assert.equal(seen.at(-1)?.headers[baseHeader], undefined);
  });

  it('asks a control plane that sends no roots for none', async () => {
    await using link = await poll(send(wholeOf(one)));
    link.control.play(send(wholeOf(two)));
    await until(() => link.served() === 2, { what: 'the change' });
    assert.deepEqual(link.counts.snapshots, { whole: 2, delta: 0, mismatched: 0 });
  });
});

describe('the poll', () => {
  it('waits at the control plane for an interval, and takes up a change when it comes', async () => {
    await using link = await poll(send(version(1)), { pollMs: 60_000 });
    const { seen, play } = link.control;
    assert.equal(seen[0]?.path, '/snapshot?at_least=0');
    const held = Promise.withResolvers<void>();
    play((request, response) => void held.promise.then(() => send(version(2))(request, response)));
    await until(() => seen.length === 2, { what: 'the poll that waits' });
    assert.equal(seen[1]?.path, '/snapshot?at_least=1&wait=30');
    held.resolve();
    // Far sooner than the next interval.
    await until(() => link.served() === 2, { what: 'the change' });
  });

  it('asks one that does not wait once an interval', async () => {
    const times: number[] = [];
    await using link = await poll(send(version(1)), { pollMs: 1000 });
    link.control.play((request, response) => {
      times.push(performance.now());
      unchanged(request, response);
    });
    await until(() => times.length === 2, { what: 'two more polls' });
    const [first = 0, second = 0] = times;
    assert.ok(second - first > 900, `${second - first} ms between them`);
  });

  it('takes the same snapshot again for no change, and applies it once', async () => {
    await using link = await poll(send(version(1)));
    await until(() => link.control.seen.length > 4, { what: 'more polls' });
    assert.equal(link.lines.filter(({ message }) => message === 'snapshot applied').length, 1);
  });

  it('starts with what it has while the control plane hangs', async () => {
    await using link = await poll(() => {}, { cache: cacheOf(version(3)) });
    assert.equal(link.served(), 3);
    assert.equal(link.control.seen[0]?.path, '/snapshot?at_least=3');
  });

  it('says what it refused until something better came, and keeps what it has', async () => {
    await using link = await poll(send(version(1)));
    link.control.play(send({ ...version(2), schema: 99 }));
    await until(() => link.live.refused()?.version === 2, { what: 'the refusal' });
    assert.equal(link.served(), 1);
    link.control.play((_, response) => void response.writeHead(200, { etag: '"x"' }).end('[]'));
    await until(() => link.live.refused()?.version === null, { what: 'the second refusal' });
    link.control.play(send(version(3)));
    await until(() => link.served() === 3, { what: 'a good one' });
    assert.equal(link.live.refused(), null);
  });

  it('refuses a snapshot of another log, and says how to be told otherwise', async () => {
    await using link = await poll(send(version(9, 'b')), { cache: cacheOf(version(3, 'a')) });
    await until(() => link.live.refused() !== null, { what: 'the refusal' });
    assert.equal(link.served(), 3);
    assert.match(link.live.refused()?.reason ?? '', /log b, but log a.*--accept-log b/);
  });

  it('follows another log when it is told to', async () => {
    const cache = cacheOf(version(3, 'a'));
    await using link = await poll(send(version(1, 'b')), { cache, acceptLog: 'b' });
    await until(() => link.served() === 1, { what: 'the other log' });
    assert.ok(link.lines.some(({ message }) => message.includes('another log was accepted')));
  });

  it('warns when the log has a different history', async () => {
    const first = version(1);
    await using link = await poll(send(first));
    link.control.play((_, response) => {
      const forked = { ...first, log: { ...first.log, hash: 'other' } };
      response.writeHead(200, { etag: '"forked"' }).end(JSON.stringify(forked));
    });
    const says = () => link.lines.some(({ message }) => message.includes('a different history'));
    await until(says, { what: 'the warning' });
  });

  it('tries again within one interval for as long as the control plane is away', async () => {
    const away = await unusedApiBase();
    const client = createControlClient({
      controlUrl: away.replace('/v1', ''),
      proxyToken: 'token',
      caBundle: [],
    });
    const times: number[] = [];
    const counting: PollOptions['client'] = {
      get: (path, call) => {
        times.push(performance.now());
        return client.get(path, call);
      },
    };
    await using link = await poll(null, { client: counting, pollMs: 50 });
    await until(() => times.length >= 8, { what: 'eight tries' });
    assert.equal(link.lines.filter(({ message }) => message.includes('not answer')).length, 1);
    await client.close();
  });
});
