// Defines `gw log verify`, which checks the event log and compares everything derived from it with a rebuild.

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
    description: 'verify the event log and everything derived from it',
    details: `
      Reads every event and checks the digests, the hash chain up to the head and the signed
      checkpoints. Compares the items of the vault with those that the events name, and the read
      models and snapshot hashes with a rebuild. With GW_ENCRYPTION_KEY it also decrypts every item
      of the vault, which detects swapped or altered items. Changes nothing except that it stores
      the result (gw projections status). Exits 10 and names the position if something differs.
      Needs --database-url (GW_DATABASE_URL).
    `,
    examples: [
      ['Verify the log', '$0 log verify'],
      ['Verify against saved checkpoints', '$0 log verify --anchor checkpoints.ndjson'],
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
    const { createWalkThreads } = await import('../../control/log/walk-threads.ts');
    const walkThreads = createWalkThreads(url);
    const keys =
      encryptionKey === null ? null : encryptionKeys({ encryptionKey, encryptionKeyPrevious });
    try {
      const check = await verifyLog(db, { anchors, parallel: walkThreads, encryptionKeys: keys });
      await recordVerified(db, this.context, findingsOf(check));
      this.context.stdout.write(`${this.json ? JSON.stringify(check) : toText(check)}\n`);
      return check.problems.length === 0 ? exitCodes.ok : exitCodes.differences;
    } finally {
      await walkThreads.close();
    }
  }
}

function toText({ events, head, checkpoints, tables, vault, problems }: LogCheck): string {
  const log = `${events} events, head ${head.hash}`;
  const contents = vault === null || vault.opened ? [] : [contentsUnchecked];
  if (problems.length === 0) {
    const signed = checkpoints === 0 ? '' : `, with ${checkpoints} checkpoints`;
    const items = `the vault is complete (${vault?.items ?? 0} items)`;
    const holds = `the chain is intact${signed}, and ${tables} tables match a rebuild`;
    return [log, holds, items, ...contents].join('\n');
  }
  const lines = problems.map(({ position, problem }) =>
    position === null ? problem : `position ${position}: ${problem}`,
  );
  return [log, ...lines, ...contents].join('\n');
}

const contentsUnchecked =
  'the contents of the vault were not checked, because GW_ENCRYPTION_KEY is not set';
