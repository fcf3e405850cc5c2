// Tests that a checkpoint is a signed note that cannot be forged and in which no byte can be
// changed.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  isNoteSigned,
  isSigned,
  signedNote,
  signingKey,
  verifierKey,
} from '../../events/checkpoint.ts';
import { readNote } from '../../events/note.ts';
import { digest } from '../../events/seal.ts';
import { testLogId } from '../harness/events/test-log.ts';

const key = signingKey(new Uint8Array(32).fill(1));
const other = signingKey(new Uint8Array(32).fill(2));
const checkpoint = { logId: testLogId, position: 1482, hash: digest('chain') };
const note = signedNote(checkpoint, key);

it('a key is that of RFC 8032, section 7.1, test 1', () => {
  const seed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
  const signed = signingKey(Buffer.from(seed, 'hex'));
  const publicKey = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
  assert.equal(signed.publicKey, publicKey);
  assert.equal(
    Buffer.from(signed.sign('')).toString('hex'),
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  );
  assert.ok(isSigned('', signed.sign(''), publicKey));
});

it('a note states log, position and hash, and is signed by its key alone', () => {
  assert.match(
    note,
    new RegExp(`^gw/${testLogId}\n1482\n[^\n]{44}\n\n— gw/${testLogId} [^\n]+\n$`),
  );
  const read = readNote(note);
  assert.deepEqual(read && { ...read, hash: Buffer.from(read.hash) }, {
    ...checkpoint,
    hash: Buffer.from(checkpoint.hash),
  });
  assert.equal(isNoteSigned(note, key.publicKey), true);
  assert.equal(isNoteSigned(note, other.publicKey), false);
  assert.match(verifierKey(testLogId, key.publicKey), /^gw\/[\da-f-]{36}\+[\da-f]{8}\+[\w+/]{44}$/);
});

it('a note of which any one character is another does not hold', () => {
  const alphabet = 'Ab9+/=\n -—'.split('');
  for (let at = 0; at < note.length; at++) {
    for (const character of alphabet.filter((one) => one !== note[at])) {
      const altered = note.slice(0, at) + character + note.slice(at + 1);
      assert.equal(isNoteSigned(altered, key.publicKey), false, JSON.stringify(altered));
    }
  }
});

it('a signature or a key of another length signs nothing', () => {
  assert.equal(isSigned('text', new Uint8Array(63), key.publicKey), false);
  assert.equal(isSigned('text', key.sign('text'), ''), false);
});
