// Base class of commands that open the control plane, read the history, and print text or JSON.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { Option } from 'clipanion';

import { momentField } from '../../control/history/moment.ts';
import type { Moment } from '../../control/history/moment.ts';
import type { ControlPlane } from '../../control/plane.ts';
import { plainly, ruleText } from '../../lib/plain-issue.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { nextLine } from '../printing/next-page.ts';
import { PlaneCommand } from './plane-command.ts';
import type { Settings } from '../settings/settings.ts';

/** `json` is the output of --json. `code` defaults to `ok`. `next` is the command for the next page. */
export type Printed = Readonly<{
  json: unknown;
  text: string;
  code?: ExitCode;
  next?: readonly string[] | null;
}>;

/** Output of any length, produced while it is written. `code` is called at the end. */
export type Streamed = Readonly<{ pieces: Iterable<string>; code: () => ExitCode }>;

export abstract class HistoryCommand extends PlaneCommand {
  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

  protected abstract read(
    plane: ControlPlane,
    settings: Settings,
  ): Promise<Printed | Streamed | Refusal>;

  protected override async work(
    plane: ControlPlane,
    _encryptionKey: string,
    settings: Settings,
  ): Promise<ExitCode | Refusal> {
    const printed = await this.read(plane, settings);
    if (isRefusal(printed)) return printed;
    if ('pieces' in printed) {
      await pipeline(Readable.from(printed.pieces), this.context.stdout, { end: false });
      return printed.code();
    }
    this.context.stdout.write(`${this.json ? JSON.stringify(printed.json) : printed.text}\n`);
    const { next = null } = printed;
    if (next !== null) this.context.stderr.write(nextLine(next, this.json));
    return printed.code ?? exitCodes.ok;
  }
}

/** The same text as `JSON.stringify` of all rows. */
export function* jsonPieces(rows: Iterable<object>): Generator<string> {
  let before = '[';
  for (const row of rows) {
    yield `${before}${JSON.stringify(row)}`;
    before = ',';
  }
  yield before === '[' ? '[]\n' : ']\n';
}

export function readMoment(given: string, named: string): Moment | Refusal {
  const read = momentField.safeParse(given, plainly);
  if (read.success) return read.data;
  const message = `${named} ${ruleText(read.error)}, was ${JSON.stringify(given)}`;
  return refuse('invalid', message);
}

const rowsMax = 1_000;

export function readLimit(given: string): number | Refusal {
  const limit = /^[1-9]\d{0,3}$/.test(given) ? Number(given) : 0;
  if (limit >= 1 && limit <= rowsMax) return limit;
  const message = `--limit must be a whole number from 1 to ${rowsMax}, was ${JSON.stringify(given)}`;
  return refuse('invalid', message);
}

/** `rule` says what the value must be. Null if no value is given. */
export function readNumber(given: string | undefined, rule: string): number | Refusal | null {
  if (given === undefined) return null;
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given);
  return refuse('invalid', `${rule}, was ${JSON.stringify(given)}`);
}
