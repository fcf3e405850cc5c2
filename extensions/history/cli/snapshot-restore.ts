// Defines the command that restores the configuration of a snapshot version.

import { randomUUID } from 'node:crypto';

import { Option } from 'clipanion';

import type { RestorePreview } from '../../../src/control/history/restore.ts';
import type { Moment } from '../../../src/control/history/moment.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import { isRefusal, refuse } from '../../../src/lib/refusal.ts';
import type { Refusal } from '../../../src/lib/refusal.ts';
import { HistoryCommand, readMoment } from '../../../src/cli/control-plane/history-command.ts';
import type { Printed } from '../../../src/cli/control-plane/history-command.ts';

export class SnapshotRestoreCommand extends HistoryCommand {
  static override paths = [['snapshot', 'restore']];
  static override usage = HistoryCommand.Usage({
    description: 'restore the configuration of a snapshot version',
    details: `
      Creates a new version in one transaction. To undo a restore, restore the version before it. A
      version is a position of the log; an RFC 3339 time selects the version of that time. Erased
      secrets, revoked keys and replaced passwords are not restored; the command lists them. Needs
      --reason, --database-url (GW_DATABASE_URL) and GW_ENCRYPTION_KEY.
    `,
    examples: [
      ['Show what would change', '$0 snapshot restore 1482 --dry-run'],
      ['Restore one provider', '$0 snapshot restore 1482 --only provider-7 --reason CHG-7'],
      [
        'Restore all except one principal',
        '$0 snapshot restore 1482 --except principal-3 --reason CHG-7',
      ],
    ],
  });

  version = Option.String({ name: 'version' });
  only = Option.Array('--only', [], {
    description: 'only this entity, for example provider-7; repeatable',
  });
  except = Option.Array('--except', [], {
    description: 'all except this entity; repeatable, not with --only',
  });
  dryRun = Option.Boolean('--dry-run', false, {
    description: 'print what would change and change nothing',
  });
  reason = Option.String('--reason', { description: 'reason, kept in the history' });
  breakGlass = Option.String('--break-glass', {
    description: 'reason for skipping the approval that the change policy requires',
  });

  protected override async read(plane: ControlPlane): Promise<Printed | Refusal> {
    const version = readMoment(this.version, 'version');
    if (isRefusal(version)) return version;
    const { reason = null } = this;
    if (!this.dryRun && (reason === null || reason === '')) {
      return refuse('invalid', '--reason is required');
    }
    const { entityField } = await import('../../../src/control/history/entity-field.ts');
    if (this.only.length > 0 && this.except.length > 0) {
      return refuse('invalid', '--only and --except cannot be combined');
    }
    const named = this.only.length > 0 ? '--only' : '--except';
    const unfit = [...this.only, ...this.except].find((one) => !entityField.safeParse(one).success);
    if (unfit !== undefined) {
      return refuse(
        'invalid',
        `${named} must be a kind and an id, for example provider-7, was ${unfit}`,
      );
    }
    return this.#restore(plane, { version, reason });
  }

  async #restore(
    plane: ControlPlane,
    { version, reason }: Readonly<{ version: Moment; reason: string | null }>,
  ): Promise<Printed | Refusal> {
    const { previewRestore, readyRestore } =
      await import('../../../src/control/history/restore.ts');
    const only = this.only.length === 0 ? null : [...new Set(this.only)];
    const { reports: db, store, past, catchUp: refresh, vault } = plane;
    const asked = { version, only, except: [...new Set(this.except)] };
    const ready = await readyRestore({ db, state: store.state, past, refresh }, asked);
    if (isRefusal(ready)) return ready;
    const { command, causation, precondition } = ready;
    const { shown: preview } = await previewRestore(
      { db, vault },
      { state: store.state(), command },
    );
    if (this.dryRun) return { json: preview, text: toText(preview, 'would be made') };
    const outcome = await plane.execute(
      { command },
      {
        actor: { kind: 'cli', principal_id: null },
        action: 'CLI',
        target: 'snapshot restore',
        requestId: randomUUID(),
        reason,
        breakGlass: this.breakGlass ?? null,
        causation,
        precondition,
      },
    );
    if (isRefusal(outcome)) return outcome;
    const text = toText(preview, `made, snapshot version ${outcome.version}`);
    return { json: { ...preview, version: outcome.version }, text };
  }
}

const toText = ({ event_count, events, conflicts, missing }: RestorePreview, what: string) =>
  [
    ...events.map(({ stream, type }) => `${stream}  ${type}`),
    ...conflicts.map(({ entity, message }) => `conflict: ${entity}: ${message}`),
    ...missing.map(({ entity, field, reason }) => `not restored: ${entity} ${field} (${reason})`),
    `${event_count} ${event_count === 1 ? 'change' : 'changes'} ${what}`,
  ].join('\n');
