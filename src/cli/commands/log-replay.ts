// Defines `gw vault export` and `gw log replay`, which restore a log and its vault into an empty database.

import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { Command, Option } from 'clipanion';

import type { Replayed } from '../../control/log/replay.ts';
import type { Database } from '../../db/pool.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../printing/failure.ts';
import { linesOf } from '../printing/lines.ts';
import { LogCommand } from '../control-plane/log-command.ts';
import { postgresUrl } from '../settings/setting.ts';

export class VaultExportCommand extends LogCommand {
  static override paths = [['vault', 'export']];
  static override usage = LogCommand.Usage({
    description: 'export the encrypted vault',
    details: `
      Secrets and personal data stay encrypted with GW_ENCRYPTION_KEY, which the export does not
      hold. \`gw log replay\` reads it together with an export of the log. Needs --database-url
      (GW_DATABASE_URL).
    `,
    examples: [['Export the vault', '$0 vault export -o vault.ndjson']],
  });

  output = Option.String('-o,--output', { required: true, description: 'file to create' });

  protected override async read(db: Database): Promise<ExitCode> {
    const { vaultLines } = await import('../../control/log/replay.ts');
    const file = createWriteStream(this.output, { flags: 'wx', mode: 0o600 });
    await pipeline(Readable.from(vaultLines(db)), file);
    return exitCodes.ok;
  }
}

export class LogReplayCommand extends Command {
  static override paths = [['log', 'replay']];
  static override usage = Command.Usage({
    description: 'restore an export of the event log into an empty database',
    details: `
      Verifies and writes each event, then builds the read models. An export holds no secrets or
      personal data: pass the output of \`gw vault export\` as --vault. Without it, the command counts
      what the configuration lacks. Usage, sessions and leases are not restored.
    `,
    examples: [
      [
        'Restore log and vault',
        '$0 log replay log.ndjson --vault vault.ndjson --into postgres://…/gw',
      ],
    ],
  });

  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });
  into = Option.String('--into', {
    required: true,
    description: 'postgres:// address of an empty database',
  });
  vault = Option.String('--vault', { description: 'output of gw vault export' });
  file = Option.String({ name: 'file' });

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { stdout, stderr } = this.context;
      const url = postgresUrl.safeParse(this.into);
      if (!url.success) {
        return reportRefusals(stderr, [refuse('invalid', '--into must be a postgres:// address')]);
      }
      const replayed = await this.replay(url.data);
      if (isRefusal(replayed)) return reportRefusals(stderr, [replayed]);
      stdout.write(`${this.json ? JSON.stringify(replayed) : toText(replayed)}\n`);
      return exitCodes.ok;
    });
  }

  private async replay(url: string) {
    const { replayLog } = await import('../../control/log/replay.ts');
    const { openDatabase } = await import('../../db/pool.ts');
    const applicationName = 'gw log replay';
    const db = openDatabase({ url, purpose: 'maintenance', applicationName, connectionsMax: 2 });
    const vault = this.vault === undefined ? null : linesOf(this.vault);
    try {
      return await replayLog(db, { log: linesOf(this.file), vault });
    } finally {
      await db.dispose();
    }
  }
}

function toText({ check, version, missing }: Replayed): string {
  const { events, checkpoints, hash } = check;
  const log = `${events} events and ${checkpoints} checkpoints, head ${hash}, snapshot ${version}`;
  if (missing === 0) return log;
  return `${log}\n${missing} secrets and names are missing from the vault: the resources that use them will not work`;
}
