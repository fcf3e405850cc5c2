// Opens the control plane for the work of one command and closes it again.

import { openControlPlane } from '../../control/plane.ts';
import type { ControlPlane } from '../../control/plane.ts';
import { encryptionKeys } from '../encryption-keys.ts';
import { programVersion } from '../version.ts';

export type Opening = Readonly<{
  databaseUrl: string;
  /** 64 hex digits. */
  encryptionKey: string;
  encryptionKeyPrevious?: string | null;
  warn: (message: string) => void;
}>;

export async function withControlPlane<Value>(
  { databaseUrl, encryptionKey, encryptionKeyPrevious = null, warn }: Opening,
  work: (plane: ControlPlane) => Promise<Value>,
): Promise<Value> {
  const plane = await openControlPlane({
    databaseUrl,
    ...encryptionKeys({ encryptionKey, encryptionKeyPrevious }),
    connectionsMax: 2,
    appVersion: programVersion(),
    clock: Date.now,
    onFailure: (what, error) => warn(`${what}: ${error instanceof Error ? error.message : ''}`),
  }).catch((cause: unknown) => {
    throw new Error('opening the control plane', { cause });
  });
  try {
    return await work(plane);
  } finally {
    await plane.close();
  }
}
