// Tests that `reasoning_effort` becomes thinking parameters that the model accepts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { object } from '../given.ts';
import { sent } from './given.ts';

const level = (thinkingLevel: string) => ({ includeThoughts: true, thinkingLevel });
const budget = (thinkingBudget: number) => ({ includeThoughts: true, thinkingBudget });

describe('reasoning_effort', () => {
  const cases: readonly (readonly [string, string | null, object | undefined])[] = [
    ['gemini-3-flash-preview', 'minimal', level('MINIMAL')],
    ['gemini-3-flash-preview', 'low', level('LOW')],
    ['gemini-3-flash-preview', 'medium', level('MEDIUM')],
    ['gemini-3-flash-preview', 'max', level('HIGH')],
    ['gemini-3-flash-preview', 'none', { thinkingLevel: 'MINIMAL' }],
    ['gemini-3-pro-preview', 'minimal', level('LOW')],
    ['gemini-3-pro-preview', 'medium', level('HIGH')],
    ['gemini-3-pro-preview', 'none', { thinkingLevel: 'LOW' }],
    ['gemini-3.1-pro-preview', 'medium', level('MEDIUM')],
    ['gemini-flash-latest', 'xhigh', level('HIGH')],
    ['prod-tuned', 'minimal', level('MINIMAL')],
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }],
    ['gemini-2.5-flash-lite', 'minimal', budget(1024)],
    ['gemini-2.5-flash', 'low', budget(1024)],
    ['gemini-2.5-flash', 'medium', budget(8192)],
    ['gemini-2.5-pro', 'high', budget(24_576)],
    ['gemini-2.5-pro', 'none', { thinkingBudget: 128 }],
    ['gemini-2.0-flash', 'high', undefined],
    ['gemini-1.5-pro-002', 'high', undefined],
    ['gemma-3-27b-it', 'high', undefined],
    ['gemini-3-flash-preview', null, undefined],
  ];
  for (const [model, effort, expected] of cases) {
    it(`${effort} for ${model}`, () => {
      const { generationConfig } = sent({ reasoning_effort: effort }, { model });
      assert.deepEqual(object(generationConfig)['thinkingConfig'], expected);
    });
  }
});
