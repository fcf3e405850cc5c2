// Defines `gw backup` and `gw restore`.

import { readFileSync } from 'node:fs';

import { Command, Option } from 'clipanion';

import type { BackupFacts } from '../../db/operations/backup-facts.ts';
import type { Database } from '../../db/pool.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Manifest, Opened } from '../backup/backup.ts';
import { LogCommand } from '../control-plane/log-command.ts';
import { encryptionKeys } from '../encryption-keys.ts';
import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../printing/failure.ts';
import { readSettings } from '../settings/settings.ts';

type Keys = Parameters<LogCommand['read']>[2];

export class BackupCommand extends LogCommand {
  static override paths = [['backup']];
  static override usage = LogCommand.Usage({
    description: 'export the whole database as an encrypted backup',
    details: `
      Runs pg_dump, which must be on the PATH, while gw serves. The backup has the log, the vault,
      usage, budgets and sessions, all of one moment. It is encrypted with GW_ENCRYPTION_KEY, which
      it does not hold: keep that key elsewhere. It also records the head of the log and the sums of
      usage, which gw restore compares. Needs --database-url (GW_DATABASE_URL).
    `,
    examples: [['Write a backup', '$0 backup -o gw.backup']],
  });

  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });
  output = Option.String('-o,--output', { required: true, description: 'file to create' });

  protected override async read(
    db: Database,
    url: string,
    keys: Keys,
  ): Promise<ExitCode | Refusal> {
    const [encryptionKey] = keysOf(keys);
    if (encryptionKey === undefined) return needsKey('backup');
    const { writeBackup } = await import('../backup/backup.ts');
    const { env, stdout } = this.context;
    const file = this.output;
    const written = await writeBackup(db, { url, file, encryptionKey, env });
    if (isRefusal(written)) return written;
    const text = this.json ? JSON.stringify(written) : `${file}: ${factsText(written.facts)}`;
    stdout.write(`${text}\n`);
    return exitCodes.ok;
  }
}

export class BackupCheckCommand extends Command {
  static override paths = [['backup', 'check']];
  static override usage = Command.Usage({
    description: 'check that a backup is complete and unchanged',
    details: `
      Reads and decrypts the whole file, without a database. Needs GW_ENCRYPTION_KEY.
    `,
    examples: [['Check a backup', '$0 backup check gw.backup']],
  });

  json = Option.Boolean('--json', false, { description: 'print the content as JSON' });
  file = Option.String({ name: 'file' });

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { env, stdout, stderr } = this.context;
      const read = readSettings({ flags: {}, env, readFile });
      if ('refusals' in read) return reportRefusals(stderr, read.refusals);
      const own = keysOf(read.settings);
      if (own.length === 0) return reportRefusals(stderr, [needsKey('backup check')]);
      const { checkBackup, openBackup } = await import('../backup/backup.ts');
      const opened = await openBackup(this.file, own);
      if (isRefusal(opened)) return reportRefusals(stderr, [opened]);
      await checkBackup(opened);
      const { manifest } = opened;
      stdout.write(`${this.json ? JSON.stringify(manifest) : madeText(manifest)}\n`);
      return exitCodes.ok;
    });
  }
}

export class RestoreCommand extends LogCommand {
  static override paths = [['restore']];
  static override usage = LogCommand.Usage({
    description: 'restore and verify a backup of gw backup',
    details: `
      Runs pg_restore, which must be on the PATH, on an empty database: --database-url
      (GW_DATABASE_URL). Stop all control processes first. Compares the head of the log, the vault
      and the sums of usage with those of the backup. Then verifies the log and everything derived
      from it. Exits 10 if something differs. At the end it starts an epoch, so that proxies accept
      the restored log. Needs GW_ENCRYPTION_KEY.
    `,
    examples: [
      ['Restore into a new database', '$0 restore gw.backup --database-url postgres://…/gw'],
    ],
  });

  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });
  file = Option.String({ name: 'file' });

  protected override async read(
    db: Database,
    url: string,
    keys: Keys,
  ): Promise<ExitCode | Refusal> {
    const own = keysOf(keys);
    if (own.length === 0) return needsKey('restore');
    const { openBackup, restoreBackup } = await import('../backup/backup.ts');
    const opened = await openBackup(this.file, own);
    if (isRefusal(opened)) return opened;
    const differing = await restoreBackup(db, opened, { url, env: this.context.env });
    if (isRefusal(differing)) return differing;
    const problems = [...differing, ...(await this.#verify(db, url, keys))];
    const epoch = problems.length === 0 ? await this.#startEpoch(url, keys, opened) : null;
    return isRefusal(epoch) ? epoch : this.#print(opened, { problems, epoch });
  }

  /** Migrates a backup of an earlier release first. */
  async #verify(db: Database, url: string, keys: Keys): Promise<readonly string[]> {
    const { prepareDatabase } = await import('../../control/plane.ts');
    const { verifyLog } = await import('../../control/log/verify-log.ts');
    await prepareDatabase(url);
    const { encryptionKey, encryptionKeyPrevious } = keys;
    const opening =
      encryptionKey === null ? null : encryptionKeys({ encryptionKey, encryptionKeyPrevious });
    const { problems } = await verifyLog(db, { encryptionKeys: opening });
    return problems.map(({ problem }) => problem);
  }

  async #startEpoch(
    databaseUrl: string,
    { encryptionKey, encryptionKeyPrevious }: Keys,
    { manifest }: Opened,
  ): Promise<number | Refusal> {
    if (encryptionKey === null) return needsKey('restore');
    const { withControlPlane } = await import('../control-plane/offline-plane.ts');
    const { startEpoch } = await import('../control-plane/start-epoch.ts');
    const warn = (message: string): void =>
      void this.context.stderr.write(`gw: warning: ${message}\n`);
    const opening = { databaseUrl, encryptionKey, encryptionKeyPrevious, warn };
    const reason = `restored from the backup of ${manifest.created_at}`;
    const outcome = await withControlPlane(opening, (plane) =>
      startEpoch(plane, { action: 'CLI restore', reason }),
    );
    return isRefusal(outcome) ? outcome : outcome.version;
  }

  #print(
    { manifest }: Opened,
    { problems, epoch }: Readonly<{ problems: readonly string[]; epoch: number | null }>,
  ): ExitCode {
    const verified =
      epoch === null
        ? []
        : [
            'the restored log, vault and sums of usage equal those of the backup',
            `a new epoch starts; the snapshot version is ${epoch}`,
          ];
    const text = [madeText(manifest), ...problems, ...verified].join('\n');
    const json = JSON.stringify({ ...manifest, problems, snapshot_version: epoch });
    this.context.stdout.write(`${this.json ? json : text}\n`);
    return problems.length === 0 ? exitCodes.ok : exitCodes.differences;
  }
}

const keysOf = ({ encryptionKey, encryptionKeyPrevious }: Keys): readonly Buffer[] =>
  [encryptionKey, encryptionKeyPrevious].flatMap((key) =>
    key === null ? [] : [Buffer.from(key, 'hex')],
  );

const needsKey = (command: string): Refusal =>
  refuse('invalid', `${command} needs GW_ENCRYPTION_KEY`);

const madeText = ({ created_at, version, facts }: Manifest): string =>
  `backup of ${created_at} by gw ${version}: ${factsText(facts)}`;

const readFile = (path: string): string => readFileSync(path, 'utf8');

function factsText({ events, hash, vault_items: items, usage, archive_files: files }: BackupFacts) {
  const requests = usage.reduce((sum, one) => sum + BigInt(one.requests), 0n);
  const archive = files === 0 ? '' : `, ${files} files of the usage archive named`;
  return `${events} events, head ${hash}, ${items} vault items, ${requests} usage rows${archive}`;
}
