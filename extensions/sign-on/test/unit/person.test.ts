// Tests which person an ID token identifies.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { readPerson } from '../../person.ts';

const options = { matchClaim: 'email', groupsClaim: 'groups', groupRoles: {} };
const claims = { iss: 'https://issuer.example', email: 'ada@example.com', email_verified: true };

it('takes a person by issuer and sub, and refuses a sub that is empty', () => {
  assert.deepEqual(readPerson({ ...claims, sub: 'a1' }, options), {
    issuer: 'https://issuer.example',
    subject: 'a1',
    name: { text: 'ada@example.com' },
    groups: [],
  });
  for (const sub of ['', ' ']) {
    assert.deepEqual(readPerson({ ...claims, sub }, options), {
      failure: 'unnamed',
      why: 'claim sub is empty',
    });
  }
});
