// Tests that secrets and personal data are in the database only sealed in the vault: every row of
// every table is searched for the submitted values.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { principalId } from '../../../src/lib/ids.ts';
import type { Secret, VaultClass } from '../../../src/db/vault.ts';
import { everyRow } from '../../harness/postgres/every-row.ts';
import { endpointAt } from '../../harness/events/examples.ts';
import { testRef } from '../../harness/events/test-log.ts';
import { testPlane } from '../../harness/control/plane.ts';

const canaries = {
  name: 'canary-name-of-a-user',
  otherName: 'canary-other-name',
  email: 'canary@mail.example',
  password: 'canary-password-hash',
  verifier: 'canary-key-verifier',
  credential: 'canary-credential',
  otherCredential: 'canary-other-credential',
  reason: 'canary-reason',
} as const;

const secret = (number: number, kind: VaultClass, plaintext: string): Secret => ({
  ref: testRef(number),
  class: kind,
  plaintext,
});

describe('the database', () => {
  it('contains no secret or personal data in plaintext in any table', async (t) => {
    const { plane, run, session } = await testPlane(t);
    const nameOf = (text: string, ref: number) => ({
      text: null,
      ref: testRef(ref),
      fingerprint: plane.vault.fingerprint(text),
    });
    const credentialOf = (text: string, ref: number) => ({
      kind: 'static' as const,
      ref: testRef(ref),
      fingerprint: plane.vault.fingerprint(text),
    });
    const reason = { reason: canaries.reason };
    const two = principalId.parse(2);
    await run(
      {
        command: {
          type: 'CreatePrincipal',
          name: nameOf(canaries.name, 1),
          kind: 'user',
          emailRef: testRef(2),
        },
        secrets: [secret(1, 'personal', canaries.name), secret(2, 'personal', canaries.email)],
      },
      reason,
    );
    const asUser = { actor: { kind: 'session', principal_id: two }, ...reason } as const;
    await run(
      {
        command: { type: 'SetPassword', id: two, passwordRef: testRef(3) },
        secrets: [secret(3, 'password', canaries.password)],
      },
      asUser,
    );
    await run(
      {
        command: {
          type: 'CreateApiKey',
          name: 'laptop',
          principalId: two,
          prefix: 'gw-abcdefghi',
          verifierRef: testRef(4),
          expiresAt: null,
        },
        secrets: [secret(4, 'key_verifier', canaries.verifier)],
      },
      asUser,
    );
    const { state } = await run(
      {
        command: {
          type: 'CreateProvider',
          name: 'p',
          defaultName: 'p',
          kind: 'static',
          catalogueKey: null,
          endpoint: endpointAt('https://here.example'),
          credential: credentialOf(canaries.credential, 5),
        },
        secrets: [secret(5, 'credential', canaries.credential)],
      },
      asUser,
    );
    const id = state.provider.byId.get(1)?.id;
    assert.ok(id);
    await run(
      {
        command: {
          type: 'UpdateProvider',
          id,
          name: undefined,
          kind: undefined,
          endpoint: undefined,
          credential: credentialOf(canaries.otherCredential, 6),
          keepCredential: false,
        },
        secrets: [secret(6, 'credential', canaries.otherCredential)],
      },
      asUser,
    );
    await run(
      {
        command: {
          type: 'UpdatePrincipal',
          id: two,
          name: nameOf(canaries.otherName, 7),
          emailRef: undefined,
        },
        secrets: [secret(7, 'personal', canaries.otherName)],
      },
      asUser,
    );

    const revealed = await plane.vault.reveal(plane.db, [1, 2, 3, 4, 5, 6, 7].map(testRef));
    const { reason: given, ...stored } = canaries;
    assert.deepEqual([...revealed.values()].toSorted(), Object.values(stored).toSorted());

    const client = await session();
    const tables = await everyRow(client);
    assert.ok(tables.length > 15, 'log, vault, operations and read models are searched');
    for (const { table, text } of tables) {
      for (const canary of [given, ...Object.values(stored)]) {
        assert.ok(!text.includes(canary), `${table} holds ${canary}`);
        assert.ok(!text.includes(Buffer.from(canary).toString('hex')), `${table} holds ${canary}`);
      }
    }
  });
});
