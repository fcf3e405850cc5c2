// Builds logs in memory, and the notation for tests of deciders:
// given(events).when(command).yields(events) or .refuses(code, pattern). Logs are deeply frozen, so
// that code that writes to one fails.

import assert from 'node:assert/strict';

import { readEvent, schemaOf } from '../../../events/catalogue.ts';
import type { GwEvent, RecordedEvent } from '../../../events/catalogue.ts';
import type { EventMetadata } from '../../../events/event.ts';
import { genesisHash, seal } from '../../../events/seal.ts';
import type { LogHead, SealedEvent } from '../../../events/seal.ts';
import { emptyState, fold, streamVersion } from '../../../projections/config/state.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { toRecorded } from '../../../src/db/log/event-log.ts';
import { decide } from '../../../src/deciders/decide.ts';
import type { Command } from '../../../src/deciders/decide.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import type { RefusalCode } from '../../../src/lib/refusal.ts';

export const testLogId = '00000000-0000-4000-8000-000000000000';

export const emptyHead: LogHead = {
  logId: testLogId,
  position: 0,
  hash: genesisHash(testLogId),
  recordedAt: 0,
};

/** A UUID that contains this number. */
export const testRef = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

type Metadata = Omit<EventMetadata, 'index' | 'count'>;

export const testMetadata = (command: string): Metadata => ({
  actor: { kind: 'session', principal_id: 1 },
  command,
  action: 'POST',
  target: '/admin/test',
  request_id: 'test',
  reason_ref: null,
  app_version: 'test',
});

/**
 * A log in memory. `commands` holds the events of each command; `state` is the result of folding
 * them.
 */
export type TestLog = Readonly<{
  head: LogHead;
  state: ConfigState;
  sealed: readonly SealedEvent[];
  commands: readonly (readonly RecordedEvent[])[];
}>;

export const emptyLog: TestLog = {
  head: emptyHead,
  state: deepFreeze(emptyState),
  sealed: [],
  commands: [],
};

/** Appends one command. Its time in seconds is its position. */
export function append(log: TestLog, events: readonly GwEvent[], metadata?: Metadata): TestLog {
  const position = log.head.position + 1;
  let id = position * 1000;
  const sealed = seal(events, log.head, {
    txId: testRef(id),
    at: position * 1000,
    newId: () => testRef((id += 1)),
    streamVersion: (stream) => streamVersion(log.state, stream),
    metadata: metadata ?? testMetadata('Test'),
  });
  const recorded = deepFreeze(sealed.map(toRecorded));
  const last = sealed.at(-1);
  if (last === undefined) return log;
  return {
    head: { ...log.head, position: last.position, hash: last.hash, recordedAt: last.recordedAt },
    state: deepFreeze(fold(log.state, recorded)),
    sealed: [...log.sealed, ...sealed],
    commands: [...log.commands, recorded],
  };
}

export const allEvents = (log: TestLog): RecordedEvent[] => log.commands.flat();

/** Records each past event as a command of its own, then runs the command under test. */
export function given(events: readonly GwEvent[]) {
  const log = events.reduce((log, event) => append(log, [event]), emptyLog);
  return {
    state: log.state,
    when: (command: Command) => {
      const decision = decide(log.state, deepFreeze(command));
      return {
        yields: (expected: readonly GwEvent[]): void => {
          assert.deepEqual(decision, expected);
          assertRecordable(log, expected);
        },
        refuses: (code: RefusalCode, message: RegExp, param: string | null = null): void => {
          if (!isRefusal(decision)) {
            assert.fail(`expected a refusal, got ${JSON.stringify(decision)}`);
          }
          assert.equal(decision.refused, code);
          assert.match(decision.message, message);
          assert.equal(decision.param, param);
        },
      };
    },
  };
}

/** Asserts that events can be stored, read back unchanged, and folded. */
function assertRecordable(log: TestLog, events: readonly GwEvent[]): void {
  for (const { stream, type, data } of events) {
    assert.deepEqual(readEvent({ stream, type, schema: schemaOf(type), data }).data, data);
    if ('id' in data) assert.equal(stream.slice(stream.indexOf('-') + 1), String(data.id));
  }
  append(log, events);
}

/** Freezes a value deeply. For a map, freezes its entries and makes its mutators throw. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (ArrayBuffer.isView(value)) return value;
  if (value instanceof Map) {
    for (const member of value.values()) deepFreeze(member);
    const forbidden = { value: forbid };
    Object.defineProperties(value, { set: forbidden, delete: forbidden, clear: forbidden });
  }
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

function forbid(): never {
  assert.fail('the map is frozen');
}
