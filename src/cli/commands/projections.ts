// Defines `gw projections …`, which check and rebuild the read models.

import { Option } from 'clipanion';

import type { Derived, Verified } from '../../control/log/verifications.ts';
import type { Database } from '../../db/pool.ts';
import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { LogCommand } from '../control-plane/log-command.ts';
import { recordVerified } from '../control-plane/verified.ts';

export class ProjectionsVerifyCommand extends LogCommand {
  static override paths = [['projections', 'verify']];
  static override usage = LogCommand.Usage({
    description: 'verify the read models against a rebuild',
    details: `
      Changes nothing except that it stores its result (gw projections status). Exits 10 if a table
      differs. Needs --database-url (GW_DATABASE_URL).
    `,
    examples: [['Verify the read models', '$0 projections verify']],
  });

  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

  protected override async read(db: Database): Promise<ExitCode> {
    const { verifyReadModel } = await import('../../../projections/read-model.ts');
    const { position, tables: checks } = await verifyReadModel(db);
    const wrong = checks.filter(({ equal }) => !equal);
    const lines = wrong.map(
      ({ table, live, rebuilt }) => `${table} has ${live}, but a rebuild has ${rebuilt}`,
    );
    await recordVerified(db, this.context, [{ subject: 'read_models', position, problems: lines }]);
    const text = wrong.length === 0 ? `${checks.length} tables match a rebuild` : lines.join('\n');
    this.context.stdout.write(`${this.json ? JSON.stringify(checks) : text}\n`);
    return wrong.length === 0 ? exitCodes.ok : exitCodes.differences;
  }
}

export class ProjectionsStatusCommand extends LogCommand {
  static override paths = [['projections', 'status']];
  static override usage = LogCommand.Usage({
    description: 'show the position of the read models and when they were built and verified',
    details: `
      Also shows when gw log verify last checked the chain of the log. Reads no events. Needs
      --database-url (GW_DATABASE_URL).
    `,
    examples: [['Show the status', '$0 projections status']],
  });

  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

  protected override async read(db: Database): Promise<ExitCode> {
    const { derivedStatus } = await import('../../control/log/verifications.ts');
    const { readHead } = await import('../../db/log/event-log.ts');
    const derived = await derivedStatus(db);
    const { position: head } = await readHead(db);
    const text = this.json ? JSON.stringify({ head, ...derived }) : statusText(head, derived);
    this.context.stdout.write(`${text}\n`);
    return exitCodes.ok;
  }
}

function statusText(head: number, { read_models: models, verified }: Derived): string {
  const place =
    models === null
      ? 'never built by this release'
      : `at position ${models.position} of ${head}, ${models.built_at === null ? 'not built yet' : `built ${models.built_at}`}`;
  return [
    `read models: ${place}`,
    `compared with a rebuild: ${verifiedText(verified.read_models)}`,
    `chain of the log: ${verifiedText(verified.chain)}`,
  ].join('\n');
}

function verifiedText(last: Verified | null): string {
  if (last === null) return 'not verified yet';
  const { at, by, position, problem_count: count, problem } = last;
  const found = problem === null ? 'correct' : `${count} wrong: ${problem}`;
  return `${found}, up to position ${position}, ${at} by ${by}`;
}

export class ProjectionsRebuildCommand extends LogCommand {
  static override paths = [['projections', 'rebuild']];
  static override usage = LogCommand.Usage({
    description: 'rebuild the read models from the event log',
    details: `
      Builds new tables while the current ones keep serving, then swaps them. Needs --database-url
      (GW_DATABASE_URL).
    `,
    examples: [['Rebuild the read models', '$0 projections rebuild']],
  });

  protected override async read(db: Database): Promise<ExitCode> {
    const { rebuildReadModel } = await import('../../../projections/read-model-rebuild.ts');
    const position = await rebuildReadModel(db);
    this.context.stdout.write(`the read models are rebuilt, up to position ${position}\n`);
    return exitCodes.ok;
  }
}
