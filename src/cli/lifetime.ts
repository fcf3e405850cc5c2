// Decides how a serving process ends: the first SIGTERM or SIGINT drains it, the second ends it at once ("Limits", Shutdown).

import { exitCodes } from './printing/exit-codes.ts';
import type { ExitCode } from './printing/exit-codes.ts';

export type Running = Readonly<{
  close: () => Promise<void>;
  /** Rejects when the process can no longer serve. */
  failed?: Promise<never>;
}>;

/** The part of `process` that a lifetime needs. */
export type SignalSource = Readonly<{
  on: (signal: 'SIGTERM' | 'SIGINT', listener: () => void) => unknown;
  off: (signal: 'SIGTERM' | 'SIGINT', listener: () => void) => unknown;
  exit: (code: ExitCode) => void;
}>;

const signals = ['SIGTERM', 'SIGINT'] as const;

/** A signal during `start` takes effect after it. */
export async function serveUntilSignal(
  source: SignalSource,
  start: () => Promise<Running>,
): Promise<ExitCode> {
  const first = Promise.withResolvers<void>();
  let seen = 0;
  const onSignal = (): void => {
    seen += 1;
    if (seen === 1) first.resolve();
    else source.exit(exitCodes.interrupted);
  };
  for (const signal of signals) source.on(signal, onSignal);
  try {
    const running = await start();
    await Promise.race([first.promise, running.failed ?? first.promise]);
    await running.close();
    return exitCodes.ok;
  } finally {
    for (const signal of signals) source.off(signal, onSignal);
  }
}
