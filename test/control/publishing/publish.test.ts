// Tests publishing: the snapshot of the newest version is built once, with the secrets that can be
// opened. After a failure the old one stays, and the next call retries.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';

import { createPublisher } from '../../../src/control/publishing/publish.ts';
import type { Publisher } from '../../../src/control/publishing/publish.ts';
import type { Published } from '../../../src/control/publishing/published.ts';
import { readHead } from '../../../src/db/log/event-log.ts';
import { principalId, providerId } from '../../../src/lib/ids.ts';
import type { ProviderId } from '../../../src/lib/ids.ts';
import { configHash } from '../../../src/snapshot/hash.ts';
import { snapshot as snapshotSchema, snapshotEtag } from '../../../src/snapshot/schema.ts';
import { credentialOf, endpointAt } from '../../harness/events/examples.ts';
import { testRef } from '../../harness/events/test-log.ts';
import { testPlane } from '../../harness/control/plane.ts';
import type { TestPlane } from '../../harness/control/plane.ts';
import { rejection, token, tokenServer } from '../../harness/upstream/token-server.ts';
import { until } from '../../harness/wait.ts';

/** A provider with a credential, whose vault item has the number of the provider. */
const createProvider = async ({ run }: TestPlane, number: number) =>
  run({
    command: {
      type: 'CreateProvider',
      name: `p${number}`,
      defaultName: 'p',
      kind: 'static',
      catalogueKey: null,
      endpoint: endpointAt(`https://p${number}.example`),
      credential: credentialOf(`secret ${number}`, number),
    },
    secrets: [{ ref: testRef(number), class: 'credential', plaintext: `secret ${number}` }],
  });

const createModel = async ({ run }: TestPlane, name: string) =>
  run({ command: { type: 'CreateModel', name, fields: {} } });

const published = ({ current }: Publisher): Published => {
  const held = current();
  assert.ok(held);
  return held;
};

const bodyOf = async ({ whole }: Publisher): Promise<string> =>
  String((await whole())?.sendable.bytes);

async function publisherOf({ plane }: TestPlane, failures: unknown[] = []): Promise<Publisher> {
  const { logId } = await readHead(plane.db);
  const { db, vault, store, cloudTokens } = plane;
  const onFailure = (error: unknown): void => void failures.push(error);
  return createPublisher({
    db,
    vault,
    store,
    logId,
    budgets: { overlay: () => ({ seq: 0, uses: [] }) },
    centroids: noCentroids,
    cloudTokens,
    clock: Date.now,
    onFailure,
  });
}

const noCentroids = { of: async () => ({ fast: null, refined: null }) };

describe('a published snapshot', () => {
  it('is accepted by a proxy, with the version and head that it was built at', async (t) => {
    const test = await testPlane(t);
    const { version, state } = await createProvider(test, 1);
    const { snapshot, etag } = published(test.plane.publisher);
    const body = await bodyOf(test.plane.publisher);
    assert.deepEqual(snapshotSchema.parse(JSON.parse(body)), snapshot);
    assert.equal(snapshot.version, version);
    assert.equal(etag, `"${version}.0.${snapshot.config_hash.slice(0, 16)}"`);
    const { logId } = await readHead(test.plane.db);
    assert.deepEqual(snapshot.log, { id: logId, position: state.position, hash: state.hash });
    assert.equal(snapshot.config_hash, configHash(snapshot.config));
    assert.deepEqual(snapshot.secrets, { [testRef(1)]: 'secret 1' });
  });

  it('has the hash that the log has for its version', async (t) => {
    const test = await testPlane(t);
    const { version } = await createProvider(test, 1);
    const [row] = await test.plane.db.query(
      sql`select content_hash from snapshot_versions where version = ${version}`,
    );
    assert.deepEqual(row, { content_hash: published(test.plane.publisher).snapshot.config_hash });
  });

  it('is built once per version, however often publishing is requested', async (t) => {
    const test = await testPlane(t);
    const publisher = await publisherOf(test);
    await createModel(test, 'a');
    await Promise.all([publisher.publish(), publisher.publish(), publisher.publish()]);
    const first = published(publisher);
    await test.run({ command: { type: 'SetFallbackModel', modelId: null } });
    await publisher.publish();
    assert.equal(published(publisher), first);
    await createModel(test, 'b');
    await publisher.publish();
    assert.notEqual(published(publisher), first);
  });

  it('is sent to listeners, from the next one on, until they unsubscribe', async (t) => {
    const test = await testPlane(t);
    const { publisher } = test.plane;
    const versions: number[] = [];
    const stop = publisher.onPublished(({ snapshot }) => versions.push(snapshot.version));
    const outcomes = [await createModel(test, 'a'), await createModel(test, 'b')];
    stop();
    await createModel(test, 'c');
    assert.deepEqual(
      versions,
      outcomes.map(({ version }) => version),
    );
  });
});

describe('a secret', () => {
  it('omits only a secret that cannot be opened, and reports it', async (t) => {
    const test = await testPlane(t);
    for (const number of [1, 2]) await createProvider(test, number);
    await test.plane.db.query(sql`
      update vault.items set subject = 'provider-9' where ref = ${testRef(1)}`);
    const again = await test.another();
    const { snapshot } = published(again.plane.publisher);
    assert.equal(snapshot.config.providers.length, 2);
    assert.deepEqual(snapshot.secrets, { [testRef(2)]: 'secret 2' });
    assert.deepEqual(
      again.failures.map(({ what }) => what),
      [`opening vault item ${testRef(1)}`],
    );
  });

  it('omits an erased secret without a failure', async (t) => {
    const test = await testPlane(t);
    for (const number of [1, 2]) await createProvider(test, number);
    await test.plane.db.query(sql`
      update vault.items set body = null, erased_at = now() where ref = ${testRef(1)}`);
    const again = await test.another();
    const { secrets } = published(again.plane.publisher).snapshot;
    assert.deepEqual(secrets, { [testRef(2)]: 'secret 2' });
    assert.deepEqual(again.failures, []);
  });

  it('does not contain secrets that are no longer referred to', async (t) => {
    const test = await testPlane(t);
    const { state } = await createProvider(test, 1);
    const id = state.provider.byId.get(1)?.id;
    assert.ok(id);
    await test.run({ command: { type: 'DeleteProvider', id } });
    assert.deepEqual(published(test.plane.publisher).snapshot.secrets, {});
  });
});

/** A provider with this key file as its credential. */
const createCloudProvider = async ({ run }: TestPlane, keyFile: string, number = 1) =>
  run({
    command: {
      type: 'CreateProvider',
      name: `cloud${number}`,
      defaultName: 'p',
      kind: 'cloud',
      catalogueKey: null,
      endpoint: endpointAt(`https://p${number}.example`),
      credential: { ...credentialOf(keyFile, number), kind: 'cloud_service_account' },
    },
    secrets: [{ ref: testRef(number), class: 'credential', plaintext: keyFile }],
  });

describe('a service account', () => {
  it('is published as its access token, without its key file', async (t) => {
    const server = await tokenServer(t);
    const test = await testPlane(t, { egress: server.egress });
    const { version } = await createCloudProvider(test, server.keyFile());
    const { snapshot, etag } = published(test.plane.publisher);
    assert.deepEqual(snapshot.overlay.tokens, [{ provider_id: 1, token: 'token-1' }]);
    assert.deepEqual(snapshot.secrets, {});
    assert.doesNotMatch(await bodyOf(test.plane.publisher), /PRIVATE|a@b.example/);
    assert.equal(snapshot.version, version);
    assert.ok(snapshot.overlay.seq > 0);
    assert.equal(etag, snapshotEtag(snapshot));
    await createModel(test, 'a');
    assert.equal(server.forms.length, 1);
  });

  it('drops only its provider without a token, which returns under the same version', async (t) => {
    const server = await tokenServer(t);
    server.answerWith(() => rejection);
    let now = Date.now();
    const test = await testPlane(t, { egress: server.egress, clock: () => now });
    await createProvider(test, 2);
    const { version } = await createCloudProvider(test, server.keyFile());
    const out = published(test.plane.publisher).snapshot;
    assert.deepEqual(out.secrets, { [testRef(2)]: 'secret 2' });
    assert.match(out.overlay.dropped_providers[0]?.reason ?? '', /returned no access token/);
    const said = test.failures.map(({ what, error }) => `${what} ${String(error)}`).join();
    assert.match(said, /invalid_grant.*provider cloud1/);
    assert.doesNotMatch(said, /PRIVATE/);
    server.answerWith(token(3600));
    now += 10_000;
    await test.plane.publisher.publish();
    const back = await until(
      () => {
        const { snapshot } = published(test.plane.publisher);
        return snapshot.overlay.tokens.length > 0 && snapshot;
      },
      { what: 'the token' },
    );
    assert.deepEqual(back.overlay.dropped_providers, []);
    assert.equal(back.version, version);
    assert.ok(back.overlay.seq > out.overlay.seq);
  });

  it('is renewed by the plane itself, and listeners are called', async (t) => {
    const server = await tokenServer(t);
    server.answerWith(token(2));
    const test = await testPlane(t, { egress: server.egress });
    const tokens: unknown[] = [];
    test.plane.publisher.onPublished(({ snapshot }) => {
      tokens.push(snapshot.overlay.tokens[0]?.token);
    });
    await createCloudProvider(test, server.keyFile());
    await until(() => tokens.includes('token-2'), { what: 'a second token' });
  });
});

/** A publisher with the test's own tokens and budgets. */
async function withOverlay(test: TestPlane) {
  const { logId } = await readHead(test.plane.db);
  const { db, vault, store } = test.plane;
  const own = { tokens: [] as { provider_id: ProviderId; token: string }[] };
  const told = { seq: 3 };
  const publisher = createPublisher({
    db,
    vault,
    store,
    logId,
    budgets: { overlay: () => ({ seq: told.seq, uses: [] }) },
    centroids: noCentroids,
    cloudTokens: { overlayOf: async () => ({ tokens: own.tokens, dropped_providers: [] }) },
    clock: () => 1000,
    onFailure: (error) => assert.fail(String(error)),
  });
  const publish = async (): Promise<number> => {
    await publisher.publish();
    return published(publisher).snapshot.overlay.seq;
  };
  const giveToken = (token: string): void => {
    own.tokens = [{ provider_id: providerId.parse(1), token }];
  };
  return { told, giveToken, publish };
}

describe('the number of an overlay', () => {
  it('is that of the budgets, equal on all replicas, while there are no tokens', async (t) => {
    const { told, publish } = await withOverlay(await testPlane(t));
    assert.equal(await publish(), 3);
    assert.equal(await publish(), 3);
    told.seq = 9;
    assert.equal(await publish(), 9);
  });

  it('changes whenever a token or a budget changes', async (t) => {
    const { told, giveToken, publish } = await withOverlay(await testPlane(t));
    const numbers = [await publish()];
    giveToken('first');
    numbers.push(await publish());
    told.seq = 4;
    numbers.push(await publish());
    giveToken('second');
    numbers.push(await publish());
    told.seq = 5000;
    numbers.push(await publish());
    giveToken('third');
    numbers.push(await publish(), await publish());
    assert.deepEqual(numbers, [3, 1000, 1001, 1002, 5000, 5001, 5001]);
  });
});

describe('publishing that fails', () => {
  it('keeps the old snapshot, reports the failure, and succeeds with the next call', async (t) => {
    const test = await testPlane(t);
    const old = published(test.plane.publisher);
    await test.plane.db.query(sql`alter table vault.items rename to items_away`);
    // Without a verifier in the vault, the command itself needs no vault.
    const outcome = await test.run({
      command: {
        type: 'CreateApiKey',
        name: 'k',
        principalId: principalId.parse(1),
        prefix: 'p',
        verifierRef: testRef(1),
        expiresAt: null,
      },
    });
    assert.equal(published(test.plane.publisher), old);
    assert.equal(test.failures[0]?.what, 'publishing the snapshot');
    await test.plane.db.query(sql`alter table vault.items_away rename to items`);
    await test.plane.refresh();
    assert.equal(published(test.plane.publisher).snapshot.version, outcome.version);
  });

  it('reports an error of a listener, which stops neither it nor the next one', async (t) => {
    const test = await testPlane(t);
    const failures: unknown[] = [];
    const publisher = await publisherOf(test, failures);
    const broken = new Error('a listener is broken');
    const stop = publisher.onPublished(() => {
      throw broken;
    });
    await createModel(test, 'a');
    await publisher.publish();
    assert.deepEqual(failures, [broken]);
    stop();
    const { version } = await createModel(test, 'b');
    await publisher.publish();
    assert.equal(published(publisher).snapshot.version, version);
  });
});
