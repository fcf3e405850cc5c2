// The command that packs the evidence of a time for an auditor.

import { Option } from 'clipanion';

import { signingKey } from '../../../events/checkpoint.ts';
import type { Manifest } from '../../control/evidence/pack.ts';
import type { ControlPlane } from '../../control/plane.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { HistoryCommand, readMoment } from '../control-plane/history-command.ts';
import type { Printed } from '../control-plane/history-command.ts';
import { settingFacts } from '../settings/setting-facts.ts';
import type { Settings } from '../settings/settings.ts';
import { programVersion } from '../version.ts';

export class EvidenceCommand extends HistoryCommand {
  static override paths = [['evidence']];
  static override usage = HistoryCommand.Usage({
    description: 'pack the evidence of a time for an auditor',
    details: `
      A directory: the exact events with their signed checkpoints, each change with who, when and
      why, who could call what at both ends, which replica served which version, what was restored
      and what was erased, and a manifest with the hash of each file. Signed with
      GW_AUDIT_SIGNING_KEY, which must be the audit key of the log when it has one.
      deploy/verify.mjs checks it with Node alone. Needs --out, --database-url (GW_DATABASE_URL) and
      GW_ENCRYPTION_KEY.
    `,
    examples: [
      [
        'A quarter',
        '$0 evidence --from 2026-07-01T00:00:00Z --to 2026-09-30T23:59:59Z --out 2026-q3',
      ],
    ],
  });

  from = Option.String('--from', {
    description:
      'what happened behind this time, version or position; from the beginning on when absent',
  });
  to = Option.String('--to', {
    description:
      'up to this time, version or position, and with it; the head of the log when absent',
  });
  out = Option.String('-o,--output,--out', { description: 'a new directory' });
  withPersonalData = Option.Boolean('--with-personal-data', false, {
    description: 'names of people and reasons in clear; by their refs in the vault when absent',
  });

  protected override async read(
    { reports: db, past, vault }: ControlPlane,
    settings: Settings,
  ): Promise<Printed | Refusal> {
    const { out: directory } = this;
    if (directory === undefined || directory === '') return refuse('invalid', '--out is needed');
    const from = this.from === undefined ? null : readMoment(this.from, '--from');
    if (isRefusal(from)) return from;
    const to = this.to === undefined ? null : readMoment(this.to, '--to');
    if (isRefusal(to)) return to;
    const { makePack } = await import('../../control/evidence/pack.ts');
    const given = [settings.auditSigningKey, settings.auditSigningKeyPrevious];
    const keys = given.flatMap((key) =>
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
