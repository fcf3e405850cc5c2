// Defines `gw vault erase`, which erases from the vault before the retention ends.

import { randomUUID } from 'node:crypto';

import { Option } from 'clipanion';

import type { Erased } from '../../control/vault/erase.ts';
import type { ControlPlane } from '../../control/plane.ts';
import { principalId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { HistoryCommand } from '../control-plane/history-command.ts';
import type { Printed } from '../control-plane/history-command.ts';

export class VaultEraseCommand extends HistoryCommand {
  static override paths = [['vault', 'erase']];
  static override usage = HistoryCommand.Usage({
    description: 'erase personal data or superseded secrets',
    details: `
      --principal erases the names, addresses and reasons of a principal, even of a deleted one; an
      existing principal keeps its current name. --superseded erases the secrets and personal data
      that nothing refers to any more. The log records how many items of each kind were erased; its
      hash chain stays valid. Needs --database-url (GW_DATABASE_URL) and GW_ENCRYPTION_KEY.
    `,
    examples: [
      [
        'Erase the data of a former employee',
        '$0 vault erase --principal 7 --reason "request of 3 May"',
      ],
      ['Erase a leaked credential after its rotation', '$0 vault erase --superseded --reason leak'],
    ],
  });

  principal = Option.String('--principal', { description: 'id of a principal' });
  superseded = Option.Boolean('--superseded', false, {
    description: 'erase what nothing refers to any more',
  });
  reason = Option.String('--reason', {
    required: true,
    description: 'reason, kept in the history',
  });

  protected override async read(plane: ControlPlane): Promise<Printed | Refusal> {
    const id = this.principal === undefined ? null : principalId.safeParse(Number(this.principal));
    if ((id !== null) === this.superseded) {
      return refuse('invalid', 'either --principal or --superseded is required');
    }
    if (id?.success === false) {
      return refuse('invalid', `--principal must be an id, was ${JSON.stringify(this.principal)}`);
    }
    const { concludeErasure, erasing, personalData, superseded } =
      await import('../../control/vault/erase.ts');
    const { reports, execute } = plane;
    const clock = Date.now;
    const all: Erased['erased'][] = [];
    for (;;) {
      const erasure = await (id === null
        ? superseded(reports, clock)
        : personalData(reports, id.data));
      const { precondition, ...mutation } = erasing(erasure);
      const done: { erased: Erased | null } = { erased: null };
      const outcome = await execute(mutation, {
        actor: { kind: 'cli', principal_id: null },
        action: 'CLI',
        target: 'vault erase',
        requestId: randomUUID(),
        reason: this.reason,
        precondition,
        conclude: async (outcome, tx) => {
          done.erased = await concludeErasure(tx, { outcome, erasure });
        },
      });
      if (isRefusal(outcome)) return outcome;
      all.push(done.erased?.erased ?? {});
      if (done.erased?.left !== true || Object.keys(done.erased.erased).length === 0) break;
    }
    if (id !== null && !plane.store.state().principal.byId.has(id.data)) {
      const { eraseUsageNames } = await import('../../db/usage/usage-names.ts');
      while (await eraseUsageNames(reports, id.data));
    }
    return toPrinted(all);
  }
}

function toPrinted(all: readonly Erased['erased'][]): Printed {
  const erased: Record<string, number> = {};
  for (const [kind, items] of all.flatMap((one) => Object.entries(one))) {
    erased[kind] = (erased[kind] ?? 0) + items;
  }
  const counted = Object.entries(erased).map(([kind, items]) => `${kind}: ${items}`);
  const text = counted.length === 0 ? 'nothing to erase' : `erased ${counted.join(', ')}`;
  return { json: { erased }, text };
}
