// The command that erases from the vault before a retention is over.

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
    description: 'erase personal data, or what was superseded',
    details: `
      --principal erases what a principal, also a deleted one, was called, reached by and gave as
      reasons; the name that one who stands goes by stays. --superseded erases the secrets and
      personal data that nothing refers to any more. The log says what kinds and how many, and its
      chain stays as it is. Needs --database-url (GW_DATABASE_URL) and GW_ENCRYPTION_KEY.
    `,
    examples: [
      ['Someone who has left', '$0 vault erase --principal 7 --reason "request of 3 May"'],
      [
        'A leaked credential, right after its rotation',
        '$0 vault erase --superseded --reason leak',
      ],
    ],
  });

  principal = Option.String('--principal', { description: 'the id of a principal' });
  superseded = Option.Boolean('--superseded', false, {
    description: 'what nothing refers to any more',
  });
  reason = Option.String('--reason', { required: true, description: 'kept with the event' });

  protected override async read(plane: ControlPlane): Promise<Printed | Refusal> {
    const id = this.principal === undefined ? null : principalId.safeParse(Number(this.principal));
    if ((id !== null) === this.superseded) {
      return refuse('invalid', 'either --principal or --superseded is needed');
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
  const text = counted.length === 0 ? 'there was nothing to erase' : `erased ${counted.join(', ')}`;
  return { json: { erased }, text };
}
