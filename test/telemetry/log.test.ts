// A log line is one line, in either format, whatever is in it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createLog } from '../../src/telemetry/log.ts';

function collect(format: 'text' | 'json', filter = 'info') {
  const lines: string[] = [];
  const log = createLog({ filter, format, write: (line) => void lines.push(line) });
  return { lines, log };
}

describe('createLog', () => {
  it("writes JSON with the event's fields at top level", () => {
    const { lines, log } = collect('json');
    log.warn({ version: 3 }, 'applied');
    const { timestamp, ...rest } = JSON.parse(lines[0] ?? '');
    assert.deepEqual(rest, { level: 'warn', version: 3, message: 'applied' });
    assert.ok(Number.isFinite(Date.parse(timestamp)));
  });

  it('writes one readable line as text', () => {
    const { lines, log } = collect('text');
    log.info({ url: 'http://x', what: 'two words', count: 2 }, 'started');
    assert.match(
      lines[0] ?? '',
      /^\S+Z INFO {2}started url=http:\/\/x what="two words" count=2\n$/,
    );
  });

  it('lets no value forge a line or move a cursor', () => {
    const { lines, log } = collect('text');
    log.info({ name: 'a\nERROR forged\u001b[2J\u2028' }, 'b\r\nc');
    assert.equal(lines.length, 1);
    assert.doesNotMatch(lines[0]?.slice(0, -1) ?? '', /[\p{Cc}\u2028]/u);
  });

  it('leaves out what the filter does not name', () => {
    const { lines, log } = collect('json', 'gw=debug,warn');
    log.info({}, 'quiet');
    log.error({}, 'loud');
    assert.equal(lines.length, 1);
    const silent = collect('json', 'silent');
    silent.log.error({}, 'unheard');
    assert.equal(silent.lines.length, 0);
  });
});
