// Defines the commands that list, show and compare snapshot versions.

import { Option } from 'clipanion';

import { diffStates } from '../../../projections/diff.ts';
import type { HistoryVersion } from '../../../src/control/history/snapshots.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import type { Refusal } from '../../../src/lib/refusal.ts';
import { exitCodes } from '../../../src/cli/printing/exit-codes.ts';
import {
  HistoryCommand,
  readLimit,
  readMoment,
  readNumber,
} from '../../../src/cli/control-plane/history-command.ts';
import type { Printed } from '../../../src/cli/control-plane/history-command.ts';
import { differenceLines } from '../../../src/cli/printing/history-lines.ts';
import { commandWords, pageOf } from '../../../src/cli/printing/next-page.ts';

const needs = 'Needs --database-url (GW_DATABASE_URL) and GW_ENCRYPTION_KEY.';
const moments =
  'A version is a position of the log; an RFC 3339 time selects the version of that time.';

export class SnapshotListCommand extends HistoryCommand {
  static override paths = [['snapshot', 'list']];
  static override usage = HistoryCommand.Usage({
    description: 'list the snapshot versions',
    details: `Newest first, each with its author, change and reason. ${needs}`,
    examples: [['List the last five', '$0 snapshot list --limit 5']],
  });

  before = Option.String('--before', { description: 'only versions before this one' });
  limit = Option.String('--limit', '20', {
    description: 'maximum number of versions (default 20)',
  });

  protected override async read(plane: ControlPlane): Promise<Printed | Refusal> {
    const limit = readLimit(this.limit);
    if (isRefusal(limit)) return limit;
    const before = readNumber(this.before, '--before must be a snapshot version');
    if (isRefusal(before)) return before;
    const { historyVersions } = await import('../../../src/control/history/snapshots.ts');
    const found = await historyVersions(
      { db: plane.reports, vault: plane.vault },
      { from: null, to: null, before, limit: limit + 1 },
    );
    const { rows, next } = pageOf(found, limit, ({ version }) =>
      commandWords(this.path, [
        ['--limit', this.limit],
        ['--before', String(version)],
      ]),
    );
    return { json: rows, text: rows.map(versionLine).join('\n') || 'none', next };
  }
}

function versionLine({ version, created_at, changed, made_by }: HistoryVersion): string {
  const actor = made_by?.actor_name ?? 'someone erased';
  const given = made_by?.reason ?? null;
  const reason = given === null ? '' : `  (${given})`;
  return `${version}  ${created_at}  ${actor}  ${made_by?.summary ?? 'rebuilt'}  ${changed.join(' ')}${reason}`;
}

export class SnapshotShowCommand extends HistoryCommand {
  static override paths = [['snapshot', 'show']];
  static override usage = HistoryCommand.Usage({
    description: 'show the configuration of a snapshot version',
    details: `Prints JSON without credentials and verifiers. ${moments} ${needs}`,
    examples: [['Show version 1482', '$0 snapshot show 1482']],
  });

  version = Option.String({ name: 'version' });

  protected override async read({ past }: ControlPlane): Promise<Printed | Refusal> {
    const moment = readMoment(this.version, 'version');
    if (isRefusal(moment)) return moment;
    const state = await past.at(moment, 'version');
    if (isRefusal(state)) return state;
    const { redactedConfig } = await import('../../../src/control/history/snapshots.ts');
    const { position, version } = state;
    const json = { position, version, config: redactedConfig(state) };
    return { json, text: JSON.stringify(json, null, 2) };
  }
}

export class SnapshotDiffCommand extends HistoryCommand {
  static override paths = [['snapshot', 'diff']];
  static override usage = HistoryCommand.Usage({
    description: 'compare two snapshot versions',
    details: `
      Lists the differences by kind, id and field. Of a secret it only shows that it changed.
      ${moments} Exits 10 if something differs. ${needs}
    `,
    examples: [['Show the changes since version 1482', '$0 snapshot diff 1482 1490']],
  });

  from = Option.String({ name: 'from' });
  to = Option.String({ name: 'to' });

  protected override async read({
    past,
    reports,
    vault,
  }: ControlPlane): Promise<Printed | Refusal> {
    const from = readMoment(this.from, 'from');
    if (isRefusal(from)) return from;
    const to = readMoment(this.to, 'to');
    if (isRefusal(to)) return to;
    const before = await past.at(from, 'from');
    if (isRefusal(before)) return before;
    const after = await past.at(to, 'to');
    if (isRefusal(after)) return after;
    const { shownDifferences } = await import('../../../src/control/history/snapshots.ts');
    const sources = { db: reports, vault };
    const differences = await shownDifferences(sources, diffStates(before, after));
    return {
      json: differences,
      text: differences.flatMap(differenceLines).join('\n') || 'nothing differs',
      code: differences.length === 0 ? exitCodes.ok : exitCodes.differences,
    };
  }
}
