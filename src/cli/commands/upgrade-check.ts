// Defines `gw upgrade check`, which says what the start of this release would do to a database.

import { Option } from 'clipanion';

import type { Proxies, UpgradeCheck } from '../../control/upgrade/check-upgrade.ts';
import type { StrongLock } from '../../db/operations/migration-locks.ts';
import type { Database } from '../../db/pool.ts';
import { LogCommand } from '../control-plane/log-command.ts';
import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { programVersion } from '../version.ts';

export class UpgradeCheckCommand extends LogCommand {
  static override paths = [['upgrade', 'check']];
  static override usage = LogCommand.Usage({
    description: 'show what an upgrade to this release would do',
    details: `
      Run it with the new release before you start that. Lists the migrations that are not applied
      yet with the locks that make other sessions wait, and how long the tables of the new release
      take to build. Also says which running proxies can follow it, and which releases could start
      on the database afterwards. Changes nothing. Exits 10 if a running proxy cannot follow. Needs
      --database-url (GW_DATABASE_URL).
    `,
    examples: [['Check before an upgrade', '$0 upgrade check']],
  });

  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

  protected override async read(db: Database): Promise<ExitCode> {
    const { checkUpgrade } = await import('../../control/upgrade/check-upgrade.ts');
    const check = await checkUpgrade(db);
    const version = programVersion();
    const text = this.json ? JSON.stringify({ version, ...check }) : toText(version, check);
    this.context.stdout.write(`${text}\n`);
    const cannot = check.proxies?.some(({ follows }) => follows === false) ?? false;
    return cannot ? exitCodes.differences : exitCodes.ok;
  }
}

function toText(version: string, check: UpgradeCheck): string {
  const { migration, pending, read_models: models, proxies, oldest_release: oldest } = check;
  const lines = [
    `the database is at migration ${migration ?? 0}; this program is gw ${version}`,
    pending.length === 0 ? 'migrations: none is pending' : `migrations: ${pending.length} pending`,
    ...pending.map(
      ({ name, is_long, locks }) =>
        `  ${name}: ${is_long ? 'may take minutes, ' : ''}${locksText(locks)}`,
    ),
    models.events === 0
      ? 'tables: up to date'
      : `tables: built from ${models.events} events, about ${models.seconds} s; running processes keep theirs`,
    ...(proxies === null
      ? ['proxies: unknown, because the database is from a release that does not store them']
      : proxyLines(proxies)),
  ];
  const back =
    oldest === null
      ? 'no earlier release starts on the database afterwards; restore a backup to go back'
      : `${oldest} and later releases start on the database afterwards`;
  return [...lines, `going back: ${back}`].join('\n');
}

const locksText = (locks: readonly StrongLock[]): string =>
  locks.length === 0
    ? 'locks none'
    : `locks ${locks.map(({ table, blocks }) => `${table} (${blocks} wait)`).join(', ')}`;

const proxyLines = (proxies: readonly Proxies[]): readonly string[] =>
  proxies.length === 0
    ? ['proxies: none reported in the last 30 s']
    : proxies.map(({ version, replicas, follows }) => {
        const release = version === null ? 'of an earlier release' : `of gw ${version}`;
        return `proxies: ${replicas} ${release}; ${followsText(follows)}`;
      });

function followsText(follows: boolean | null): string {
  if (follows === null) return 'this release does not know whether they can follow it';
  return follows
    ? 'they can follow this release'
    : 'they cannot follow this release: replace them first';
}
