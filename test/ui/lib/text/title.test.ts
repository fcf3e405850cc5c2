// Tests the title of the browser tab.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { titleOf } from '../../../../ui/lib/text/title.ts';

const cases: readonly (readonly [names: readonly string[], title: string])[] = [
  [['Overview'], 'Overview · gw'],
  [['', 'Models', 'Models'], 'Models · gw'],
  [['gpt-nano', 'Models', 'Models'], 'gpt-nano · Models · gw'],
  [['Create rule', 'chat', 'Frontend models'], 'Create rule · chat · Frontend models · gw'],
];

for (const [names, title] of cases) {
  it(`a page of ${JSON.stringify(names)} is called ${title}`, () => {
    assert.equal(titleOf(names), title);
  });
}
