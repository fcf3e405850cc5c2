// Tests the output and exit codes of `gw classify-bench`.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { z } from 'zod';

import { gw } from '../harness/program/command-line.ts';

const measured = z.array(
  z.object({
    tier: z.literal('fast'),
    encoder: z.literal('english-1'),
    characters: z.int(),
    median_ms: z.number().positive(),
    worst_ms: z.number().positive(),
  }),
);

test('classify-bench measures the built-in encoder on prompts of three lengths', async () => {
  const { code, stdout } = await gw(['classify-bench', '--iterations', '5', '--json']);
  assert.equal(code, 0);
  const lines = measured.parse(JSON.parse(stdout));
  assert.deepEqual(
    lines.map(({ characters }) => characters),
    [100, 1_000, 4_096],
  );
});

test('classify-bench refuses an invalid count and a missing model', async () => {
  const count = await gw(['classify-bench', '--concurrency', '0']);
  assert.deepEqual([count.code, count.stdout], [2, '']);
  assert.match(count.stderr, /--concurrency must be a whole number from 1 to 64, was "0"/);
  const model = await gw(['classify-bench', '--classifier-model', '/nowhere']);
  assert.equal(model.code, 1);
  assert.match(model.stderr, /\/nowhere\/model\.safetensors/);
});
