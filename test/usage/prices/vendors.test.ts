// Tests costs against prices that vendors publish.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { totalsOnly } from '../../../src/usage/counts.ts';
import { costOf } from '../../../src/usage/price.ts';
import { anthropic } from './vendors/anthropic.ts';
import { google } from './vendors/google.ts';
import { openai } from './vendors/openai.ts';
import { others } from './vendors/others.ts';

const examples = [...openai, ...anthropic, ...google, ...others];

describe('costOf computes what vendors charge', () => {
  for (const { name, prices, counts, micros } of examples) {
    it(`${name}: ${micros} micro-units`, () => {
      const totals = totalsOnly({ promptTokens: 0, completionTokens: 0 });
      const cost = costOf({ ...totals, ...counts }, prices);
      assert.deepEqual([cost.micros, cost.missing, cost.isClamped], [micros, null, false]);
    });
  }
});

it('covers at least forty prices of vendors', () => {
  assert.ok(new Set(examples.map(({ name }) => name)).size >= 40);
});
