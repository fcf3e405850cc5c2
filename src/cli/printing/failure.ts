// Prints failures at the command line and decides their exit code.

import { isDatabaseUnavailable } from '../../db/failure.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';

type ErrorOutput = Readonly<{ write: (text: string) => unknown }>;

export function reportRefusals(output: ErrorOutput, refusals: readonly Refusal[]): ExitCode {
  for (const { message } of refusals) output.write(`gw: ${message}\n`);
  const [first] = refusals;
  return first === undefined ? exitCodes.ok : exitCodeOf(first);
}

/** A failure prints one line per cause. The stack is printed only with GW_LOG=debug or trace. */
export async function reportingFailure(
  context: Readonly<{ stderr: ErrorOutput; env: Readonly<Record<string, string | undefined>> }>,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    context.stderr.write(`gw: ${causes(error).join('\n  because: ')}\n`);
    const level = context.env['GW_LOG'];
    if ((level === 'debug' || level === 'trace') && error instanceof Error) {
      context.stderr.write(`${error.stack ?? ''}\n`);
    }
    return isUnreachable(error) ? exitCodes.unreachable : exitCodes.failed;
  }
}

const causesMax = 5;

/** The message of the error, then of each cause. */
export function causes(error: unknown): readonly string[] {
  const messages: string[] = [];
  let at = error;
  while (at instanceof Error && messages.length < causesMax) {
    messages.push(messageOf(at));
    at = at.cause;
  }
  return messages.length > 0 ? messages : [JSON.stringify(error)];
}

/** The database library appends the statement to its message. An AggregateError of several addresses has no message. */
function messageOf(error: Error): string {
  const message = error.message.replace(/\n\n> \d[^]*$/, '');
  if (message !== '') return message;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** A missing file and a missing socket have the same code; the system call tells them apart. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('syscall' in error) return error.syscall === 'connect' || error.syscall === 'getaddrinfo';
  return error.cause === undefined ? isDatabaseUnavailable(error) : isUnreachable(error.cause);
}
