// Tests that a log entry is one line in either format, is bounded, and shows no secret.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isRefusal } from '../../src/lib/refusal.ts';
import { readLogFilter } from '../../src/telemetry/log-filter.ts';
import { createLog } from '../../src/telemetry/log.ts';

function collect(format: 'text' | 'json', directive = 'info') {
  const lines: string[] = [];
  const filter = readLogFilter(directive);
  assert.ok(!isRefusal(filter), directive);
  const log = createLog({ filter, format, write: (line) => void lines.push(line) });
  const only = (): Record<string, unknown> => {
    assert.equal(lines.length, 1);
    return JSON.parse(lines[0] ?? '');
  };
  return { lines, log, only };
}

describe('createLog', () => {
  it("writes JSON with the event's fields at top level", () => {
    const { log, only } = collect('json');
    log.of('gateway').warn({ version: 3 }, 'applied');
    const { timestamp, ...rest } = only();
    assert.deepEqual(rest, {
      level: 'warn',
      target: 'gw::gateway',
      version: 3,
      message: 'applied',
    });
    assert.ok(Number.isFinite(Date.parse(String(timestamp))));
  });

  it('writes one readable line as text', () => {
    const { lines, log } = collect('text');
    log.info({ url: 'http://x', what: 'two words', count: 2 }, 'started');
    assert.match(
      lines[0] ?? '',
      /^\S+Z INFO {2}gw: started url=http:\/\/x what="two words" count=2\n$/,
    );
  });

  it('lets no name, value or message forge a line or move a cursor', () => {
    for (const format of ['text', 'json'] as const) {
      const { lines, log } = collect(format);
      log.info({ 'a\nb': 'c\nERROR forged\u001b[2J\u2028' }, 'd\r\ne');
      assert.equal(lines.length, 1);
      const [line = ''] = lines;
      assert.ok(line.endsWith('\n'));
      assert.doesNotMatch(line.slice(0, -1), /\p{Cc}/u, format);
    }
  });

  it('leaves out what the filter does not name', () => {
    const { lines, log } = collect('json', 'warn');
    log.info({}, 'quiet');
    log.error({}, 'loud');
    assert.equal(lines.length, 1);
    const silent = collect('json', 'silent');
    silent.log.error({}, 'unheard');
    assert.equal(silent.lines.length, 0);
  });

  it('gives each component its own level', () => {
    const { lines, log } = collect('json', 'gw::gateway=debug,warn,gw::admin=off');
    log.of('gateway').debug({}, 'a');
    log.of('control').info({}, 'b');
    log.of('admin').error({}, 'c');
    log.error({}, 'd');
    const shown = lines.map((line) => JSON.parse(line).message);
    assert.deepEqual(shown, ['a', 'd']);
  });

  it('shows of an error its message, code, frames and causes, and nothing else that it carries', () => {
    const { log, lines, only } = collect('json');
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const error = Object.assign(new TypeError('fetch failed', { cause }), {
      parameters: ['canary-parameter'],
      headers: { authorization: 'canary-header' },
    });
    log.error({ error }, 'failed');
    const { error: shown } = only();
    assert.doesNotMatch(lines.join(''), /canary/);
    assert.ok(typeof shown === 'object' && shown !== null && 'cause' in shown && 'stack' in shown);
    assert.equal(Reflect.get(shown, 'message'), 'fetch failed');
    assert.equal(Reflect.get(shown, 'type'), 'TypeError');
    assert.match(String(shown.stack), /^at .*log\.test\.ts/);
    assert.ok(typeof shown.cause === 'object' && shown.cause !== null);
    assert.equal(Reflect.get(shown.cause, 'code'), 'ECONNREFUSED');
  });

  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const large: readonly (readonly [string, unknown])[] = [
    ['a long text', 'x'.repeat(1_000_000)],
    ['many texts', Array.from({ length: 10_000 }, () => 'x'.repeat(1000))],
    ['a deep object', Array.from({ length: 1000 }).reduce((deeper) => ({ deeper }), {})],
    ['a circle', circle],
    ['a wide object', Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`k${n}`, n]))],
    ['bytes', new Uint8Array(1_000_000)],
    ['an error with a long message', new Error('x'.repeat(1_000_000))],
    ['a bigint', 10n ** 30n],
    ['a function', () => 1],
  ];
  for (const [what, value] of large) {
    it(`bounds a line that holds ${what}`, () => {
      for (const format of ['json', 'text'] as const) {
        const { lines, log } = collect(format);
        log.error({ value }, 'm'.repeat(100_000));
        assert.equal(lines.length, 1);
        assert.ok((lines[0] ?? '').length < 16_384, `${format}: ${lines[0]?.length}`);
      }
    });
  }

  const secrets: readonly (readonly [string, string])[] = [
    ['a bearer token', 'sent Authorization: Bearer canary.canary-canary'],
    ['a password in an address', 'connecting to postgres://gw:canary@db/gw'],
    ['a key of this program', `key gw-${'canary'.repeat(6)} is unknown`],
    ['a key of a vendor', 'incorrect API key sk-canarycanarycanary'],
    ['a private key', 'bad -----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----'],
  ];
  for (const [what, text] of secrets) {
    it(`hides ${what} wherever it stands`, () => {
      for (const format of ['json', 'text'] as const) {
        const { lines, log } = collect(format);
        log.warn({ text, list: [text], deep: { text }, error: new Error(text) }, text);
        assert.match(lines[0] ?? '', /hidden/);
        assert.doesNotMatch(lines[0] ?? '', /canary/);
      }
    });
  }
});

describe('the filter', () => {
  const read: readonly (readonly [string, string])[] = [
    ['info', 'info'],
    ['WARN', 'warn'],
    ['', 'info'],
    ['debug, error', 'error'],
    ['off', 'silent'],
    ['gw=trace', 'info'],
    ['error , gw::control_link = off', 'error'],
  ];
  for (const [text, base] of read) {
    it(`reads ${JSON.stringify(text)} as ${base} for all`, () => {
      const filter = readLogFilter(text);
      assert.equal(isRefusal(filter) ? filter.message : filter.base, base);
    });
  }

  for (const text of [
    'loud',
    'gw::gatway=debug',
    'gw=loud',
    'gw=debug=info',
    'info;warn',
    '=info',
  ]) {
    it(`refuses ${text} and names it`, () => {
      const filter = readLogFilter(`info,${text}`);
      assert.ok(isRefusal(filter));
      assert.ok(filter.message.includes(JSON.stringify(text)), filter.message);
    });
  }
});
