// Tests that generated text does not block other work of the process while it is sent.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { inTurns } from '../../../src/admin/http/in-turns.ts';

async function chunksOf(pieces: Iterable<string>): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of inTurns(pieces)) chunks.push(chunk);
  return chunks;
}

function* faulty(): Generator<string> {
  yield 'a';
  throw new Error('of the text');
}

it('long text is sent completely, and other work runs in between', async () => {
  const pieces = Array.from({ length: 2_000 }, (_, at) => `${at}`.padEnd(1_024, '.'));
  let turns = 0;
  let text = '';
  let isSent = false;
  const takeTurn = (): void => {
    turns += 1;
    if (!isSent) setImmediate(takeTurn);
  };
  takeTurn();
  for await (const chunk of inTurns(pieces)) text += chunk;
  isSent = true;
  assert.equal(text, pieces.join(''));
  assert.ok(turns > 20, `${turns} turns`);
});

it('short text is one chunk, and empty text is none', async () => {
  assert.deepEqual(await chunksOf(['a', 'b']), ['ab']);
  assert.deepEqual(await chunksOf([]), []);
});

it('an error while making the text is an error of the stream', async () => {
  await assert.rejects(chunksOf(faulty()), /of the text/);
});
