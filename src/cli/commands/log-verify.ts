// The command that checks the event log: its hash chain, its checkpoints, and everything derived from it against a rebuild.

import { readFileSync } from 'node:fs';

import { Option } from 'clipanion';

import type { LogCheck } from '../../control/log/verify-log.ts';
import type { Database } from '../../db/pool.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { anchorOption, readAnchors } from '../control-plane/anchors.ts';
import { encryptionKeys } from '../encryption-keys.ts';
import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { LogCommand } from '../control-plane/log-command.ts';
import { recordVerified } from '../control-plane/verified.ts';

export class LogVerifyCommand extends LogCommand {
  static override paths = [['log', 'verify']];
  static override usage = LogCommand.Usage({
    description: 'check the event log and all that is derived from it',
    details: `
      Reads every event and checks the digests, the hash chain up to the head and the signed
      checkpoints. Compares the items of the vault with those that the events name, and the read
      models with a rebuild, the hash of each snapshot version included. With GW_ENCRYPTION_KEY it
      also opens every item of the vault, which finds items that were swapped or altered. Changes
      nothing; the result is kept in the database (gw projections status). Exits 10 when something
      differs, and names the position. Needs --database-url (GW_DATABASE_URL).
    `,
    examples: [
      ['Check the log', '$0 log verify'],
      ['Against checkpoints that were kept', '$0 log verify --anchor checkpoints.ndjson'],
    ],
  });

  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });
  anchor = anchorOption();

  protected override async read(
    db: Database,
    url: string,
    { encryptionKey, encryptionKeyPrevious }: Parameters<LogCommand['read']>[2],
  ): Promise<ExitCode | Refusal> {
    const anchors = readAnchors(this.anchor, (path) => readFileSync(path, 'utf8'));
    if (isRefusal(anchors)) return anchors;
    const { findingsOf } = await import('../../control/log/verifications.ts');
    const { verifyLog } = await import('../../control/log/verify-log.ts');
    const { createWalkThreads } = await import('../../control/evidence/walk-threads.ts');
    const beside = createWalkThreads(url);
    const keys =
      encryptionKey === null ? null : encryptionKeys({ encryptionKey, encryptionKeyPrevious });
    try {
      const check = await verifyLog(db, { anchors, beside, encryptionKeys: keys });
      await recordVerified(db, this.context, findingsOf(check));
      this.context.stdout.write(`${this.json ? JSON.stringify(check) : toText(check)}\n`);
      return check.problems.length === 0 ? exitCodes.ok : exitCodes.differences;
    } finally {
      await beside.close();
    }
  }
}

function toText({ events, head, checkpoints, tables, vault, problems }: LogCheck): string {
  const log = `${events} events, head ${head.hash}`;
  const contents = vault === null || vault.opened ? [] : [contentsUnchecked];
  if (problems.length === 0) {
    const signed = checkpoints === 0 ? '' : `, with ${checkpoints} checkpoints`;
    const items = `the vault holds the ${vault?.items ?? 0} items that it must hold`;
    const holds = `the chain holds${signed}, and ${tables} tables equal a rebuild`;
    return [log, holds, items, ...contents].join('\n');
  }
  const lines = problems.map(({ position, problem }) =>
    position === null ? problem : `position ${position}: ${problem}`,
  );
  return [log, ...lines, ...contents].join('\n');
}

const contentsUnchecked =
  'the contents of the vault were not checked, because GW_ENCRYPTION_KEY is not given';
