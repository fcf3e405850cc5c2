// Defines `gw change policy`, which shows or sets the kinds of change that need an approved change request.

import { Option } from 'clipanion';
import { z } from 'zod';

import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { changeKind } from '../../lib/vocabulary.ts';
import type { AdminClient } from '../control-plane/admin-client.ts';
import { inHeader } from '../control-plane/header-text.ts';
import { ChangeCommand } from '../control-plane/change-command.ts';
import type { CommandOutput } from '../control-plane/change-command.ts';

const path = '/admin/change-policy';
const policy = z.looseObject({ kinds: z.array(z.string()), protected: z.array(z.string()) });

export class ChangePolicyCommand extends ChangeCommand {
  static override paths = [['change', 'policy']];
  static override usage = ChangeCommand.Usage({
    description: 'show or set the kinds of change that need an approval',
    details: `
      The kinds are ${changeKind.options.join(', ')}. While a policy is in force, changing
      it needs an approval too. Needs --control-url (GW_CONTROL_URL) and a login or an admin token,
      as change list does.
    `,
    examples: [
      ['Show the policy', '$0 change policy --login ada'],
      [
        'Require approval for keys and prices',
        '$0 change policy --login ada --set keys,prices --reason CHG-9',
      ],
      ['Require no approvals', '$0 change policy --login ada --set none --reason CHG-10'],
    ],
  });

  kinds = Option.String('--set', { description: 'kinds of change, comma-separated, or none' });
  reason = Option.String('--reason', { description: 'reason, kept in the history' });
  breakGlass = Option.String('--break-glass', {
    description: 'reason for skipping the approval that the change policy requires',
  });

  protected override async ask(admin: AdminClient): Promise<CommandOutput | Refusal> {
    const answer = await this.#answer(admin);
    if (isRefusal(answer)) return answer;
    const { kinds, protected: all } = answer;
    const also = all.filter((kind) => !kinds.includes(kind));
    const text = [
      `an approval is needed for: ${kinds.join(', ') || 'nothing'}`,
      ...(also.length === 0 ? [] : [`and therefore for: ${also.join(', ')}`]),
    ].join('\n');
    return { json: answer, text };
  }

  async #answer(admin: AdminClient) {
    const { reason, breakGlass } = this;
    if (this.kinds === undefined) {
      const alone = [reason, breakGlass].some((one) => one !== undefined);
      if (alone) return refuse('invalid', '--reason and --break-glass need --set');
      return admin.ask({ method: 'GET', path, answer: policy });
    }
    const kinds = this.kinds === 'none' ? [] : this.kinds.split(',').map((kind) => kind.trim());
    const headers = {
      ...(reason === undefined ? {} : { 'x-gw-reason': inHeader(reason) }),
      ...(breakGlass === undefined ? {} : { 'x-gw-break-glass': inHeader(breakGlass) }),
    };
    return admin.ask({ method: 'PUT', path, body: { kinds }, headers, answer: policy });
  }
}
