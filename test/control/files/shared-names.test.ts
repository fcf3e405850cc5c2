// Tests a frontend model with the name of a provider model: clients that call the name reach the
// frontend model, and all other references mean the provider model.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { exportConfig } from '../../../src/control/files/export.ts';
import { importConfig } from '../../../src/control/files/import.ts';
import { frontendModelId } from '../../../src/lib/ids.ts';
import { readSource } from '../../../src/snapshot/file/source.ts';
import type { Snapshot } from '../../../src/snapshot/schema.ts';
import { checkText, fileOfText } from '../../harness/gateway/config-file.ts';
import { chatBody, startTestGateway } from '../../harness/gateway/gateway.ts';
import { testPlane } from '../../harness/control/plane.ts';
import { named } from '../../harness/events/routing-examples.ts';
import type { TestPlane } from '../../harness/control/plane.ts';
import { answerJson, startUpstream } from '../../harness/upstream/upstream.ts';

const text = (apiBase: string): string =>
  JSON.stringify({
    model_list: ['gpt-4o', 'small'].map((name) => ({
      model_name: name,
      litellm_params: { model: `openai/${name}`, api_base: apiBase },
    })),
    auth: { keys: [{ key: 'key', name: 'team', models: ['gpt-4o'] }] },
  });

async function take({ plane }: TestPlane, file: string): Promise<readonly string[]> {
  const given = { source: readSource(file, {}), environment: {}, dryRun: false };
  const report = await importConfig({ plane, newId: randomUUID }, given);
  assert.ok('changes' in report, JSON.stringify(report));
  return report.changes;
}

const snapshotOf = ({ plane }: TestPlane): Snapshot => {
  const current = plane.publisher.current();
  assert.ok(current !== null);
  return current.snapshot;
};

async function withFrontendModel(t: TestContext, file: string): Promise<TestPlane> {
  const test = await testPlane(t);
  await take(test, file);
  const defaultTargets = [named('gpt-4o')];
  await test.run({
    command: {
      type: 'CreateFrontendModel',
      name: 'gpt-4o',
      description: null,
      maxModelLen: null,
      rules: [],
      defaultTargets,
    },
  });
  return test;
}

/** The client's view of the name: the route of its request, and the list of models. */
async function seenByClient(snapshot: Snapshot) {
  await using gateway = await startTestGateway(null);
  assert.equal(gateway.live.apply(snapshot), undefined);
  const answer = await gateway.chat(chatBody('gpt-4o'));
  await answer.text();
  const listed = await fetch(`${gateway.url}/v1/models`, {
    headers: { authorization: 'Bearer key' },
  });
  return {
    route: answer.headers.get('x-gw-route'),
    model: answer.headers.get('x-gw-served-model'),
    listed: [...(await listed.text()).matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id),
  };
}

describe('a frontend model with the name of a provider model', () => {
  it('serves clients, with the grants on the provider model, until it is deleted', async (t) => {
    await using upstream = await startUpstream(answerJson());
    const test = await withFrontendModel(t, text(upstream.apiBase));
    assert.deepEqual(await seenByClient(snapshotOf(test)), {
      route: 'default',
      model: 'gpt-4o',
      listed: ['gpt-4o'],
    });
    await test.run({ command: { type: 'DeleteFrontendModel', id: frontendModelId.parse(1) } });
    assert.equal((await seenByClient(snapshotOf(test))).route, 'concrete');
  });

  it('is left alone by an import of the provider model', async (t) => {
    const file = text('http://127.0.0.1:9/v1');
    const test = await withFrontendModel(t, file);
    assert.deepEqual(await take(test, file), []);
  });

  it('is exported, imported and served from the file unchanged', async (t) => {
    await using upstream = await startUpstream(answerJson());
    const test = await withFrontendModel(t, text(upstream.apiBase));
    const exported = (await exportConfig(test.plane)).text;
    assert.deepEqual(checkText(exported).errors, []);
    const seen = await seenByClient(snapshotOf(test));
    assert.deepEqual(await seenByClient(fileOfText(exported).snapshot), seen);
    assert.deepEqual(await take(test, exported), []);
    const other = await testPlane(t);
    await take(other, exported);
    assert.deepEqual(await seenByClient(snapshotOf(other)), seen);
  });
});
