// Holds that a protocol of backends is its folder and two rows (CONTRIBUTING.md, "Add a backend protocol").

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { commonProtocol, protocolNames } from '../../src/protocols/facts.ts';
import { sourcesOfTree } from './tree.ts';

const program = /^(events|projections|src|ui)\//;

for (const name of protocolNames.filter((one) => one !== commonProtocol)) {
  test(`protocol ${name} is named in two files besides its folder`, () => {
    const named = new RegExp(`['"\`]${name}['"\`]|^ *${name},?$|\\b${name}: |/${name}/`, 'm');
    const files = sourcesOfTree().filter(
      ({ path, text }) =>
        program.test(path) && !path.startsWith(`src/protocols/${name}/`) && named.test(text),
    );
    assert.deepEqual(
      // Clients of the Messages API speak the protocol of its vendor.
      files.map(({ path }) => path).filter((path) => !path.startsWith('src/protocols/messages/')),
      ['src/protocols/facts.ts', 'src/protocols/protocol.ts'],
    );
  });
}
