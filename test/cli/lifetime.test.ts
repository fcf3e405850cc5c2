// Tests how a serving process ends.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';

import { exitCodes } from '../../src/cli/printing/exit-codes.ts';
import { serveUntilSignal } from '../../src/cli/lifetime.ts';
import type { SignalSource } from '../../src/cli/lifetime.ts';

type Signals = SignalSource & Readonly<{ send: (signal: string) => void; exits: number[] }>;

function signals(): Signals {
  const emitter = new EventEmitter();
  const exits: number[] = [];
  return {
    on: (signal, listener) => emitter.on(signal, listener),
    off: (signal, listener) => emitter.off(signal, listener),
    exit: (code) => exits.push(code),
    send: (signal) => emitter.emit(signal),
    exits,
  };
}

test('shuts down on the first signal and exits with 0', async () => {
  const source = signals();
  let closed = 0;
  const close = (): Promise<void> => {
    closed += 1;
    return Promise.resolve();
  };
  const ended = serveUntilSignal(source, () => Promise.resolve({ close }));
  source.send('SIGTERM');
  assert.equal(await ended, exitCodes.ok);
  assert.equal(closed, 1);
  assert.deepEqual(source.exits, []);
});

test('a second signal ends the process at once', async () => {
  const source = signals();
  const closing = Promise.withResolvers<void>();
  const ended = serveUntilSignal(source, () => Promise.resolve({ close: () => closing.promise }));
  source.send('SIGINT');
  source.send('SIGINT');
  assert.deepEqual(source.exits, [exitCodes.interrupted]);
  closing.resolve();
  await ended;
});

test('handles a signal during the start once the start is complete', async () => {
  const source = signals();
  const starting = Promise.withResolvers<void>();
  let closed = false;
  const ended = serveUntilSignal(source, async () => {
    await starting.promise;
    return {
      close: () => {
        closed = true;
        return Promise.resolve();
      },
    };
  });
  source.send('SIGTERM');
  assert.equal(closed, false);
  starting.resolve();
  assert.equal(await ended, exitCodes.ok);
  assert.equal(closed, true);
});

test('removes its signal listeners if the start fails', async () => {
  const source = signals();
  const failing = serveUntilSignal(source, () => Promise.reject(new Error('no port')));
  await assert.rejects(failing, /no port/);
  source.send('SIGTERM');
  source.send('SIGTERM');
  assert.deepEqual(source.exits, []);
});
