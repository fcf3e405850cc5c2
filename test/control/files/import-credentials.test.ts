// Tests which credential an imported entry uses: its own or none, never that of another entry.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { importConfig } from '../../../src/control/files/import.ts';
import type { ImportReport } from '../../../src/control/files/import.ts';
import { providerId } from '../../../src/lib/ids.ts';
import { readSource } from '../../../src/snapshot/file/source.ts';
import { testPlane } from '../../harness/control/plane.ts';
import type { TestPlane } from '../../harness/control/plane.ts';

async function run({ plane }: TestPlane, source: string): Promise<ImportReport> {
  const given = { source: readSource(source, {}), environment: {}, dryRun: false };
  const report = await importConfig({ plane, newId: randomUUID }, given);
  assert.ok('changes' in report, JSON.stringify(report));
  return report;
}

const imported = async (t: TestContext, source: string): Promise<TestPlane> => {
  const test = await testPlane(t);
  await run(test, source);
  return test;
};

const configOf = ({ plane }: TestPlane) => {
  const snapshot = plane.publisher.current()?.snapshot;
  assert.ok(snapshot !== undefined);
  return { ...snapshot.config, secrets: snapshot.secrets };
};

const entry = (name: string, host: string, more = ''): string =>
  `  - { model_name: ${name}, litellm_params: { model: openai/${name}, api_base: http://${host}/v1${more} } }\n`;

/** The credential that each model sends. */
const credentials = (test: TestPlane) => {
  const { models, providers, secrets } = configOf(test);
  return models.map(({ name, backends }) => {
    const provider = providers.find(({ id }) => id === backends[0]?.provider_id);
    return [name, secrets[provider?.credential_ref ?? ''] ?? null];
  });
};

const setCredential = async (test: TestPlane, id: number) => {
  const ref = randomUUID();
  const fingerprint = test.plane.vault.fingerprint('secret-of-operator');
  await test.run({
    command: {
      type: 'UpdateProvider',
      id: providerId.parse(id),
      name: undefined,
      kind: undefined,
      endpoint: undefined,
      credential: { kind: 'static', ref, fingerprint },
      keepCredential: false,
    },
    secrets: [{ ref, class: 'credential', plaintext: 'secret-of-operator' }],
  });
};

describe('an entry without a credential', () => {
  const a = entry('a', 'shared', ', api_key: secret-a');
  const b = entry('b', 'shared', ', api_key: secret-b');
  const keyless = entry('keyless', 'shared', ', api_key: not-needed');

  for (const list of [a + b + keyless, keyless + b + a]) {
    it('never uses the credential of another entry', async (t) => {
      const test = await imported(t, `model_list:\n${list}`);
      assert.deepEqual(
        new Map(credentials(test).map(([name, secret]) => [name, secret])),
        new Map([
          ['a', 'secret-a'],
          ['b', 'secret-b'],
          ['keyless', null],
        ]),
      );
      assert.deepEqual((await run(test, `model_list:\n${list}`)).changes, []);
    });
  }

  it('moves away from a provider whose credential another entry now names', async (t) => {
    const test = await imported(t, `model_list:\n${keyless}`);
    await setCredential(test, 1);
    await run(
      test,
      `model_list:\n${keyless}${entry('a', 'shared', ', api_key: secret-of-operator')}`,
    );
    assert.deepEqual(credentials(test), [
      ['keyless', null],
      ['a', 'secret-of-operator'],
    ]);
  });

  it('keeps the credential that an operator gave its provider, also for new models of that provider', async (t) => {
    const test = await imported(t, `model_list:\n${keyless}`);
    await setCredential(test, 1);
    assert.deepEqual((await run(test, `model_list:\n${keyless}`)).changes, []);
    await run(test, `model_list:\n${keyless}${entry('second', 'shared')}`);
    assert.deepEqual(credentials(test), [
      ['keyless', 'secret-of-operator'],
      ['second', 'secret-of-operator'],
    ]);
  });
});

it('an entry with a changed credential leaves the old one to another entry that names it', async (t) => {
  const before = `model_list:\n${entry('a', 'shared', ', api_key: secret-1')}`;
  const a = entry('a', 'shared', ', api_key: secret-2');
  const b = entry('b', 'shared', ', api_key: secret-1');
  for (const list of [a + b, b + a]) {
    const test = await imported(t, before);
    await run(test, `model_list:\n${list}`);
    assert.deepEqual(
      new Map(credentials(test).map(([name, secret]) => [name, secret])),
      new Map([
        ['a', 'secret-2'],
        ['b', 'secret-1'],
      ]),
    );
    assert.deepEqual((await run(test, `model_list:\n${list}`)).changes, []);
  }
});
