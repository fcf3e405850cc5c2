// Passwords: Argon2id, bounded in length and in number.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { createPasswords } from '../../src/control/passwords.ts';
import { isRefusal } from '../../src/lib/refusal.ts';

it('a password is stored as Argon2id with the cost of the design and matches itself alone', async () => {
  const passwords = createPasswords();
  const stored = await passwords.hash('correct horse');
  assert.ok(!isRefusal(stored));
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$|^\$argon2id\$v=19\$m=19456,p=1,t=2\$/);
  assert.equal(await passwords.verify(stored, 'correct horse'), true);
  assert.equal(await passwords.verify(stored, 'correct horsf'), false);
});

it('a principal without a password matches nothing, after a real check', async () => {
  const passwords = createPasswords();
  assert.equal(await passwords.verify(null, 'anything at all'), false);
});

it('a password that is too short or too long is refused by its field', async () => {
  const passwords = createPasswords();
  for (const password of ['', 'short', 'x'.repeat(1025)]) {
    const refused = await passwords.hash(password);
    assert.ok(isRefusal(refused));
    assert.deepEqual([refused.refused, refused.param], ['invalid', 'password']);
  }
});

it('a flood of checks is refused beyond the line instead of queueing without end', async () => {
  const passwords = createPasswords();
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => passwords.verify(null, 'a wrong password')),
  );
  assert.equal(answers.filter((answer) => answer === false).length, 18);
  assert.equal(answers.filter(isRefusal).length, 12);
});
