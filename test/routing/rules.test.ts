// Rules decide as the specification says: the first that matches, every action terminal, jumps capped.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { jumpsMax } from '../../src/snapshot/compile/frontend-models.ts';
import { routing } from '../harness/gateway/routing.ts';
import type { RoutingOptions } from '../harness/gateway/routing.ts';

type Case = readonly [request: string, answer: string];

function decides(what: string, rules: string, cases: readonly Case[], options?: RoutingOptions) {
  it(what, () => {
    for (const [request, answer] of cases) {
      assert.equal(routing(rules, options).ask(request), answer, request);
    }
  });
}

describe('the first rule whose conditions all match', () => {
  decides(
    'decides, and no rule after it',
    `house: max_prompt_tokens=100 -> small
     house: stream=true -> streamer, spare
     house: -> big #rest`,
    [
      ['house prompt=100', 'small | rule:0'],
      ['house prompt=101 stream', 'streamer spare | rule:1'],
      ['house prompt=101', 'big | rule:2 #rest'],
      ['house prompt=100 stream', 'small | rule:0'],
    ],
  );

  decides(
    'must meet all its conditions',
    `house: max_prompt_tokens=100 stream=true headers.x-tier=gold -> a
     house: else b`,
    [
      ['house stream x-tier:gold', 'a | rule:0'],
      ['house stream x-tier:silver', 'b | default'],
      ['house stream', 'b | default'],
      ['house x-tier:gold', 'b | default'],
      ['house prompt=101 stream x-tier:gold', 'b | default'],
    ],
  );

  decides('falls back to the defaults when none matches', 'house: else a, b', [
    ['house', 'a b | default'],
  ]);

  decides(
    'does not fall through to the defaults when nothing serves its targets',
    `house: stream=true -> idle
     house: else b`,
    [['house stream', '404 | rule:0']],
    { models: { idle: { backends: [] } } },
  );

  decides('may name targets that are gone: the rest is the chain', 'house: -> gone, a', [
    ['house', 'a | rule:0'],
  ]);

  decides('does not apply to an unknown name', 'house: -> a', [
    ['cellar', '404 |'],
    ['a', 'a | concrete'],
  ]);

  decides(
    'is looked for even when a provider model has the name of the frontend model',
    'a: -> b',
    [['a', 'b | rule:0']],
    { models: { a: {} } },
  );
});

describe('a deny', () => {
  decides(
    'answers its own status and message, and its tag is kept',
    `house: min_prompt_tokens=1000 -> deny 413 too long for this house #long
     house: -> a`,
    [
      ['house prompt=1000', '413 too long for this house | rule:0 #long'],
      ['house prompt=999', 'a | rule:1'],
    ],
  );
});

describe('a jump', () => {
  decides(
    "continues in the other chain, and that chain's defaults end it",
    `house: stream=true -> jump cellar #jumped
     house: -> a
     cellar: max_prompt_tokens=100 -> b #deep
     cellar: else c`,
    [
      ['house stream prompt=100', 'b | jump:cellar>rule:0 #deep'],
      ['house stream prompt=101', 'c | jump:cellar>default #jumped'],
      ['house', 'a | rule:1'],
    ],
  );

  decides(
    'is terminal: no later rule of the first chain is evaluated',
    `house: -> jump cellar
     house: -> a
     house: else b
     cellar: stream=true -> c`,
    [['house', '404 | jump:cellar>default']],
  );

  decides(
    'may lead to a deny and to another jump',
    `house: -> jump hall
     hall: -> jump cellar
     cellar: stream=true -> deny 400 no streams here
     cellar: -> a`,
    [
      ['house stream', '400 no streams here | jump:hall>jump:cellar>rule:0'],
      ['house', 'a | jump:hall>jump:cellar>rule:1'],
    ],
  );

  decides(
    'to a deleted model does not match, and the next rule is evaluated',
    `house: -> jump gone
     house: -> a`,
    [['house', 'a | rule:1']],
  );

  it('is limited in number: after that a jump rule does not match', () => {
    const loop = `house: -> jump cellar
                  house: -> a
                  cellar: -> jump house
                  cellar: -> b`;
    const reason = 'jump:cellar>jump:house>'.repeat(jumpsMax / 2);
    assert.equal(routing(loop).ask('house'), `a | ${reason}rule:1`);
    assert.equal(routing(loop).ask('cellar').startsWith('b | '), true);
  });

  it('names a frontend model that no header could hold with escapes', () => {
    const { snapshot } = routing('house: -> jump höhle\nhöhle: -> a');
    const reasons = [...snapshot.frontendModels.values()].map(({ jumpReason }) => jumpReason);
    assert.deepEqual(reasons, ['jump:house>', 'jump:h%C3%B6hle>']);
  });
});
