// What the commands that read the history do alike: they open the control plane, read, and print text or JSON.

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

/** `json` is what --json prints. The code is `ok` when absent. `next` are the words of the command that prints the next page. */
export type Printed = Readonly<{
  json: unknown;
  text: string;
  code?: ExitCode;
  next?: readonly string[] | null;
}>;

/** An answer of any length, made as it is written; `code` is asked for at the end. */
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

/** As `JSON.stringify` would write all of them. */
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
  const message = `--limit must be a whole number of 1 to ${rowsMax}, was ${JSON.stringify(given)}`;
  return refuse('invalid', message);
}

/** `rule` says what it must be. Null where nothing was given. */
export function readNumber(given: string | undefined, rule: string): number | Refusal | null {
  if (given === undefined) return null;
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given);
  return refuse('invalid', `${rule}, was ${JSON.stringify(given)}`);
}
