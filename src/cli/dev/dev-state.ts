// Stores what `gw dev` needs at its next start: keys, passwords and the demo provider's port, in a
// file of mode 0600.

import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { z } from 'zod';

const devState = z.object({
  encryption_key: z.string().regex(/^[0-9a-f]{64}$/),
  proxy_token: z.string().min(16),
  admin_password: z.string(),
  demo_port: z.int().nonnegative(),
  /** Null until the first key exists. */
  api_key: z.object({ id: z.int(), key: z.string() }).nullable(),
});
export type DevState = z.output<typeof devState>;

export type DevStateFile = Readonly<{
  read: () => Promise<DevState>;
  write: (state: DevState) => Promise<void>;
}>;

export function devStateFile(directory: string): DevStateFile {
  const file = path.join(directory, 'dev.json');
  return {
    read: async () => {
      const text = await readFile(file, 'utf8').catch(absentAsNull);
      if (text === null) return newState();
      const parsed = devState.safeParse(JSON.parse(text));
      if (parsed.success) return parsed.data;
      throw new Error(`${file} was not written by gw dev; remove ${directory} to start again`);
    },
    write: async (state) => {
      // A temporary file is renamed, because a partial file would lose the encryption key.
      const partial = `${file}.partial`;
      await writeFile(partial, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
      await rename(partial, file);
    },
  };
}

/** Not accessible to others. For root it is passable, because the database inside runs under another account. */
export async function makeDataDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await chmod(directory, process.getuid?.() === 0 ? 0o711 : 0o700);
}

function absentAsNull(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}

const secret = (): string => randomBytes(24).toString('base64url');

const newState = (): DevState => ({
  encryption_key: randomBytes(32).toString('hex'),
  proxy_token: secret(),
  admin_password: secret(),
  demo_port: 0,
  api_key: null,
});
