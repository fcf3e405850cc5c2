// The commands that check and rebuild what is derived from the event log.

import { Option } from 'clipanion';

import type { Database } from '../../db/pool.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { LogCommand } from '../log-command.ts';

export class ProjectionsVerifyCommand extends LogCommand {
  static override paths = [['projections', 'verify']];
  static override usage = LogCommand.Usage({
    description: 'compare the read models with a rebuild',
    details: `
      Changes nothing. Exits 10 when a table differs. Needs --database-url (GW_DATABASE_URL).
    `,
    examples: [['Compare', '$0 projections verify']],
  });

  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

  protected override async read(db: Database): Promise<ExitCode> {
    const { verifyReadModel } = await import('../../../projections/read-model.ts');
    const checks = await verifyReadModel(db);
    const wrong = checks.filter(({ equal }) => !equal);
    const lines = wrong.map(
      ({ table, live, rebuilt }) => `${table} holds ${live}, a rebuild ${rebuilt}`,
    );
    const text = wrong.length === 0 ? `${checks.length} tables equal a rebuild` : lines.join('\n');
    this.context.stdout.write(`${this.json ? JSON.stringify(checks) : text}\n`);
    return wrong.length === 0 ? exitCodes.ok : exitCodes.differences;
  }
}

export class ProjectionsRebuildCommand extends LogCommand {
  static override paths = [['projections', 'rebuild']];
  static override usage = LogCommand.Usage({
    description: 'build the read models anew from the event log',
    details: `
      Beside the live ones, which serve meanwhile, and then in their place. Needs --database-url
      (GW_DATABASE_URL).
    `,
    examples: [['Build', '$0 projections rebuild']],
  });

  protected override async read(db: Database): Promise<ExitCode> {
    const { rebuildReadModel } = await import('../../../projections/read-model-rebuild.ts');
    const position = await rebuildReadModel(db);
    this.context.stdout.write(`the read models are built anew, up to position ${position}\n`);
    return exitCodes.ok;
  }
}
