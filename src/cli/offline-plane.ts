// Opens the control plane for one piece of work from the command line and closes it again.

import { openControlPlane } from '../control/plane.ts';
import type { ControlPlane } from '../control/plane.ts';
import { programVersion } from './version.ts';

export type Opening = Readonly<{
  databaseUrl: string;
  /** 64 hex digits. */
  encryptionKey: string;
  warn: (message: string) => void;
}>;

export async function withControlPlane<Value>(
  { databaseUrl, encryptionKey, warn }: Opening,
  work: (plane: ControlPlane) => Promise<Value>,
): Promise<Value> {
  const plane = await openControlPlane({
    databaseUrl,
    encryptionKey: Buffer.from(encryptionKey, 'hex'),
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
