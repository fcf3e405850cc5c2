// Defines `gw evidence`, which packs the evidence of a period for an auditor.

import { Option } from 'clipanion';

import { signingKey } from '../../../events/checkpoint.ts';
import { HistoryCommand, readMoment } from '../../../src/cli/control-plane/history-command.ts';
import type { Printed } from '../../../src/cli/control-plane/history-command.ts';
import { settingFacts } from '../../../src/cli/settings/setting-facts.ts';
import type { Settings } from '../../../src/cli/settings/settings.ts';
import { programVersion } from '../../../src/cli/version.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import { isRefusal, refuse } from '../../../src/lib/refusal.ts';
import type { Refusal } from '../../../src/lib/refusal.ts';
import type { Manifest } from '../pack.ts';
import { evidenceValues } from '../settings.ts';

export class EvidenceCommand extends HistoryCommand {
  static override paths = [['evidence']];
  static override usage = HistoryCommand.Usage({
    description: 'export the evidence of a period for an auditor',
    details: `
      Writes a directory with the exact events and their signed checkpoints, and each change with
      its author, time and reason. It also holds the access rights at the start and the end, the
      version that each replica served, restores and erasures. A manifest has the hash of each
      file. Signed with GW_AUDIT_SIGNING_KEY, which must be the audit key of the log if it has
      one. deploy/verify.mjs
      checks the directory with Node alone. Needs --output, --database-url (GW_DATABASE_URL) and
      GW_ENCRYPTION_KEY.
    `,
    examples: [
      [
        'Export a quarter',
        '$0 evidence --from 2026-07-01T00:00:00Z --to 2026-09-30T23:59:59Z --out 2026-q3',
      ],
    ],
  });

  from = Option.String('--from', {
    description: 'after this time, version or position (default the start of the log)',
  });
  to = Option.String('--to', {
    description: 'up to and including this time, version or position (default the head of the log)',
  });
  out = Option.String('-o,--output,--out', { description: 'directory to create; required' });
  withPersonalData = Option.Boolean('--with-personal-data', false, {
    description: 'include names of people and reasons instead of their refs in the vault',
  });

  protected override async read(
    { reports: db, past, vault }: ControlPlane,
    settings: Settings,
  ): Promise<Printed | Refusal> {
    const { out: directory } = this;
    if (directory === undefined || directory === '')
      return refuse('invalid', '--output is required');
    const from = this.from === undefined ? null : readMoment(this.from, '--from');
    if (isRefusal(from)) return from;
    const to = this.to === undefined ? null : readMoment(this.to, '--to');
    if (isRefusal(to)) return to;
    const { makePack } = await import('../pack.ts');
    const { auditSigningKey, auditSigningKeyPrevious } = evidenceValues(settings);
    const keys = [auditSigningKey, auditSigningKeyPrevious].flatMap((key) =>
      key === null ? [] : [signingKey(Buffer.from(key, 'hex'))],
    );
    const { withPersonalData } = this;
    const json = await makePack(
      { db, past, vault, appVersion: programVersion(), clock: Date.now },
      { from, to, directory, keys, withPersonalData, settings: settingFacts(settings) },
    );
    return isRefusal(json) ? json : { json, text: toText(json, directory) };
  }
}

const toText = ({ files, from, to, audit_key: key }: Manifest, directory: string): string =>
  [
    ...files.map(({ name, bytes, sha256 }) => `${sha256}  ${name}  ${bytes}`),
    `positions ${from.position + 1} to ${to.position} in ${directory}`,
    key === null ? 'not signed: the log has no audit key' : `signed by audit key ${key}`,
  ].join('\n');
