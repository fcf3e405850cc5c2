// Creates a checkpoint signer with a controllable clock, and records its output and alarms.

import type { SigningKey } from '../../../events/checkpoint.ts';
import { createAlarms } from '../../../src/control/log/alarms.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import type { SignedCheckpoint } from '../../../src/db/log/signed-checkpoints.ts';
import { auditKey } from '../../../test/harness/control/signed-log.ts';
import { createCheckpointSigner } from '../sign.ts';
import type { KeptCheckpoint } from '../sign.ts';

type Keys = Readonly<{
  key?: SigningKey;
  previousKey?: SigningKey | null;
  kept?: KeptCheckpoint | null;
}>;

export function testSigner(
  plane: ControlPlane,
  { key = auditKey, previousKey = null, kept = null }: Keys = {},
) {
  let now = Date.now();
  const emitted: SignedCheckpoint[] = [];
  const alarms = createAlarms({
    db: plane.db,
    epoch: () => plane.store.state().settings.byId.get(1)?.epoch ?? 0,
    log: { error: () => {} },
    notify: () => {},
    clock: () => now,
  });
  const signer = createCheckpointSigner({
    plane,
    key,
    previousKey,
    clock: () => now,
    alarms,
    kept: async () => kept,
    emit: async (checkpoint) => void emitted.push(checkpoint),
  });
  const pass = (ms: number): void => void (now += ms);
  return { ...signer, alarms, emitted, pass };
}
