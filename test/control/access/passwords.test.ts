// Tests passwords: Argon2id, with limits on length and concurrency.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { argon2id, hash } from 'argon2';

import { createPasswords } from '../../../src/control/access/passwords.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';

it('stores a password as Argon2id with the designed cost, and matches only it', async () => {
  const passwords = createPasswords();
  const stored = await passwords.hash('correct horse battery');
  assert.ok(!isRefusal(stored));
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$|^\$argon2id\$v=19\$m=19456,p=1,t=2\$/);
  assert.equal(await passwords.verify(stored, 'correct horse battery'), true);
  assert.equal(await passwords.verify(stored, 'correct horse batterz'), false);
});

it('matches nothing for a principal without a password, after a real check', async () => {
  const passwords = createPasswords();
  assert.equal(await passwords.verify(null, 'anything at all'), false);
});

const unfit: readonly (readonly [password: string, message: string])[] = [
  ['', 'password: at least 12 characters; this one has 0'],
  ['elevenchars', 'password: at least 12 characters; this one has 11'],
  ['\u{1F600}'.repeat(3), 'password: at least 12 characters; this one has 3'],
  [' '.repeat(12), 'password: at least 5 different characters'],
  ['abcd'.repeat(4), 'password: at least 5 different characters'],
  ['password1234', 'password: this is one of the most common passwords; choose another'],
  ['Administrator', 'password: this is one of the most common passwords; choose another'],
  ['x'.repeat(1025), 'password: at most 1024 bytes; this one has 1025'],
];
for (const [password, message] of unfit) {
  it(`refuses the password '${password.slice(0, 20)}' by its field and the rule`, async () => {
    const refused = await createPasswords().hash(password);
    assert.ok(isRefusal(refused));
    assert.deepEqual(
      [refused.refused, refused.param, refused.message],
      ['invalid', 'password', message],
    );
  });
}

it('accepts twelve characters that are not common', async () => {
  assert.ok(!isRefusal(await createPasswords().hash('qzv7-lamp-uy')));
});

it('accepts a stored password that is older than the rules', async () => {
  const stored = await hash('12345678', { type: argon2id });
  assert.equal(await createPasswords().verify(stored, '12345678'), true);
});

it('refuses checks beyond the queue', async () => {
  const passwords = createPasswords();
  const answers = await Promise.all(
    Array.from({ length: 80 }, () => passwords.verify(null, 'a wrong password')),
  );
  assert.equal(answers.filter((answer) => answer === false).length, 66);
  assert.equal(answers.filter(isRefusal).length, 14);
});
