// Tests that every command explains itself: what it does, its options, an example.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { commandLine } from '../../src/cli/main.ts';
import { commandName } from '../../src/cli/printing/help.ts';

/**
 * The first word of each description. A new verb needs a reason, because the same action always has
 * the same verb.
 */
const verbs: ReadonlySet<string> = new Set(
  (
    'apply approve check compare draft erase explain export follow import list measure ' +
    're-encrypt rebuild refuse register restore run schedule serve set show start update verify'
  ).split(' '),
);

const definitions = commandLine(false).definitions();

describe('the help of every command', () => {
  for (const definition of definitions) {
    const name = commandName(definition);
    const { description = '', details = '', examples = [], options } = definition;

    it(`describes ${name} in one line that begins with a known verb`, () => {
      assert.ok(verbs.has(description.split(/[ ,]/, 1)[0] ?? ''), description);
      assert.ok(description.trim().length <= 100, description);
      assert.notEqual(details.trim(), '');
    });

    it(`shows an example of ${name} that calls it`, () => {
      assert.ok(examples.length > 0);
      for (const [what, command] of examples) {
        const called = command.trim();
        assert.match(what, /^[A-Z][a-z]+\b/);
        assert.ok(called.startsWith(name === 'serve' ? 'gw' : `gw ${name.split(' ')[0]}`), called);
      }
    });

    it(`describes every option of ${name}`, () => {
      for (const { definition: flags, description: meaning = '' } of options) {
        assert.ok(meaning.trim().length >= 10, `${flags}: ${meaning}`);
        assert.doesNotMatch(meaning, /when absent|\bbehind\b|\banew\b/);
      }
    });
  }
});
