// Tests that a backend protocol consists of its folder and two rows (CONTRIBUTING.md, "Add a
// backend protocol").

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { commonProtocol, protocolNames } from '../../src/protocols/facts.ts';
import { sourcesOfTree } from './tree.ts';

const program = /^(events|projections|src|ui)\//;
/** A protocol may be built on another. */
const folder = /^src\/protocols\/\w+\//;

for (const name of protocolNames.filter((one) => one !== commonProtocol)) {
  test(`protocol ${name} is named in two files outside its folder`, () => {
    const named = new RegExp(`['"\`]${name}['"\`]|^ *${name},?$|\\b${name}: |/${name}/`, 'm');
    const files = sourcesOfTree().filter(
      ({ path, text }) => program.test(path) && !folder.test(path) && named.test(text),
    );
    assert.deepEqual(
      files.map(({ path }) => path),
      ['src/protocols/facts.ts', 'src/protocols/protocol.ts'],
    );
  });
}
