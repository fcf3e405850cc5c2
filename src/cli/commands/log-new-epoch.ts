// Defines `gw log new-epoch`, for a database that was restored from a backup older than what proxies serve.

import { Option } from 'clipanion';

import type { ControlPlane } from '../../control/plane.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { HistoryCommand } from '../control-plane/history-command.ts';
import type { Printed } from '../control-plane/history-command.ts';

export class LogNewEpochCommand extends HistoryCommand {
  static override paths = [['log', 'new-epoch']];
  static override usage = HistoryCommand.Usage({
    description: 'start a new epoch of snapshot versions after a loss of events',
    details: `
      Run it after you restored the database from a backup that is older than what proxies serve.
      The next snapshot versions are higher than all that were published before the loss. Appends an
      event to the log. Needs --database-url (GW_DATABASE_URL) and GW_ENCRYPTION_KEY.
    `,
    examples: [
      ['Continue after a restore', '$0 log new-epoch --reason "restored from the copy of 3 am"'],
    ],
  });

  reason = Option.String('--reason', {
    required: true,
    description: 'reason, kept in the history',
  });

  protected override async read(plane: ControlPlane): Promise<Printed | Refusal> {
    const { startEpoch } = await import('../control-plane/start-epoch.ts');
    const given = { action: 'CLI log new-epoch', reason: this.reason };
    const outcome = await startEpoch(plane, given);
    if (isRefusal(outcome)) return outcome;
    const { version, position } = outcome;
    const text = `a new epoch starts at position ${position}; the snapshot version is ${version}`;
    return { json: { version, position }, text };
  }
}
