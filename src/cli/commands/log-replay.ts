// The commands of the disaster drill: the vault written out as it is sealed, and a log brought into an empty database.

import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { Command, Option } from 'clipanion';

import type { Replayed } from '../../control/evidence/replay.ts';
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
    description: 'write the vault out, sealed as it is',
    details: `
      Secrets and personal data stay sealed with GW_ENCRYPTION_KEY, which is not in it. With
      an export of the log, this is what \`gw log replay\` needs. Needs --database-url
      (GW_DATABASE_URL).
    `,
    examples: [['All of it', '$0 vault export -o vault.ndjson']],
  });

  output = Option.String('-o,--output', { required: true, description: 'a new file' });

  protected override async read(db: Database): Promise<ExitCode> {
    const { vaultLines } = await import('../../control/evidence/replay.ts');
    const file = createWriteStream(this.output, { flags: 'wx', mode: 0o600 });
    await pipeline(Readable.from(vaultLines(db)), file);
    return exitCodes.ok;
  }
}

export class LogReplayCommand extends Command {
  static override paths = [['log', 'replay']];
  static override usage = Command.Usage({
    description: 'make a database of an export of the event log',
    details: `
      Into an empty database: each event is verified, then written, and the read models are
      built. Secrets and personal data are not in an export: give --vault what \`gw vault
      export\` wrote, or what the configuration then lacks is counted. Usage, sessions and
      leases do not come back.
    `,
    examples: [
      ['With the vault', '$0 log replay log.ndjson --vault vault.ndjson --into postgres://…/gw'],
    ],
  });

  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });
  into = Option.String('--into', { required: true, description: 'postgres:// address, empty' });
  vault = Option.String('--vault', { description: 'what gw vault export wrote' });
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
    const { replayLog } = await import('../../control/evidence/replay.ts');
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
  return `${log}\n${missing} secrets and names are not in the vault: what holds them does not work`;
}
