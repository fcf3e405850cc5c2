// Starts an epoch of snapshot versions, after a loss of events.

import { randomUUID } from 'node:crypto';

import type { ControlPlane } from '../../control/plane.ts';

export const startEpoch = (
  { execute }: Pick<ControlPlane, 'execute'>,
  { action, reason }: Readonly<{ action: string; reason: string }>,
) =>
  execute(
    { command: { type: 'StartEpoch' } },
    {
      actor: { kind: 'cli', principal_id: null },
      action,
      target: 'log',
      requestId: randomUUID(),
      reason,
    },
  );
