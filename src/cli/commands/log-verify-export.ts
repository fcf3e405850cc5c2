// Defines `gw log verify-export`, which checks an export of the event log without a database.

import { readFileSync } from 'node:fs';

import { Command, Option } from 'clipanion';

import type { ExportRead } from '../../control/log/read-export.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import { redactedText } from '../../lib/redacted-events.ts';
import { anchorOption, keyOption, readAnchors } from '../control-plane/anchors.ts';
import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../printing/failure.ts';
import { linesOf } from '../printing/lines.ts';

export class LogVerifyExportCommand extends Command {
  static override paths = [['log', 'verify-export']];
  static override usage = Command.Usage({
    description: 'verify an export of the event log',
    details: `
      Checks every byte: digests, hash chain, audit keys and checkpoints. Exits 10 and names the
      first wrong position if a check fails. An event whose payload was removed fails, unless
      --allow-redacted is given. deploy/verify.mjs does the same without gw.
    `,
    examples: [
      ['Verify against saved checkpoints', '$0 log verify-export log.ndjson --anchor kept'],
    ],
  });

  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });
  anchor = anchorOption();
  key = keyOption();
  allowRedacted = Option.Boolean('--allow-redacted', false, {
    description: 'accept events whose payload was removed',
  });
  file = Option.String({ name: 'file' });

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { stdout, stderr } = this.context;
      const { key = null } = this;
      if (key !== null && !/^[\da-f]{64}$/.test(key)) {
        const message = `--key must be 64 hex digits, was ${JSON.stringify(key)}`;
        return reportRefusals(stderr, [refuse('invalid', message)]);
      }
      const anchors = readAnchors(this.anchor, (path) => readFileSync(path, 'utf8'));
      if (isRefusal(anchors)) return reportRefusals(stderr, [anchors]);
      const { readExport } = await import('../../control/log/read-export.ts');
      const read = await readExport(linesOf(this.file), { key, anchors });
      const check = this.allowRedacted ? read : findingRedacted(read);
      const isAnchored = anchors.length > 0;
      stdout.write(`${this.json ? JSON.stringify(check) : toText(check, { isAnchored })}\n`);
      return check.problem === null ? exitCodes.ok : exitCodes.differences;
    });
  }
}

function findingRedacted(check: ExportRead): ExportRead {
  const problem = redactedText(check.redacted);
  const [position] = check.redacted.positions;
  if (check.problem !== null || problem === null || position === undefined) return check;
  return { ...check, problem: { position, problem } };
}

/** The same words as in deploy/verify.mjs. */
const unanchored =
  'without saved checkpoints (--anchor), a log that was truncated, or rewritten and signed again, ' +
  'is not detected';

function toText(
  { events, checkpoints, hash, problem, redacted }: ExportRead,
  { isAnchored }: Readonly<{ isAnchored: boolean }>,
): string {
  if (problem !== null) return `position ${problem.position}: ${problem.problem}`;
  const holds = `${events} events and ${checkpoints} checkpoints are valid, up to hash ${hash}`;
  const blank = redactedText(redacted);
  return [holds, ...(blank === null ? [] : [blank]), ...(isAnchored ? [] : [unanchored])].join(
    '\n',
  );
}
