// Starts a control plane in its own process on a test database, with an administrator signed in.

import type { TestContext } from 'node:test';

import { z } from 'zod';

import { loginToAdmin } from '../../../src/cli/control-plane/admin-client.ts';
import type { AdminClient } from '../../../src/cli/control-plane/admin-client.ts';
import { setLogin } from '../../../src/cli/control-plane/login-principal.ts';
import { withControlPlane } from '../../../src/cli/control-plane/offline-plane.ts';
import { createPasswords } from '../../../src/control/access/passwords.ts';
import { startProgram } from './program.ts';
import type { Program } from './program.ts';

export const encryptionKey = '42'.repeat(32);
export const proxyToken = 'a-proxy-token-for-tests';
export const login = { name: 'admin', password: 'correct horse battery' };

/** Migrates the database and creates the administrator. */
export const prepareControl = (databaseUrl: string): Promise<unknown> =>
  withControlPlane({ databaseUrl, encryptionKey, warn: () => {} }, (plane) =>
    setLogin({ plane, passwords: createPasswords() }, login),
  );

export type ControlProgram = Program &
  Readonly<{ adminUrl: string; admin: AdminClient; cookie: string }>;

const started = z.object({ admin: z.string() });

/** Starts `--role control` on a prepared database. */
export async function startControlProgram(
  test: Pick<TestContext, 'after'>,
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
  file?: string,
): Promise<ControlProgram> {
  const program = startProgram(test, {
    file,
    args: ['--role', 'control'],
    env: {
      GW_ADMIN_PORT: '0',
      GW_DATABASE_URL: databaseUrl,
      GW_ENCRYPTION_KEY: encryptionKey,
      GW_PROXY_TOKEN: proxyToken,
      ...env,
    },
  });
  const { admin: adminUrl } = started.parse(await program.logged('control plane started'));
  const session = await fetch(`${adminUrl}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(login),
  });
  const cookie = session.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { ...program, adminUrl, cookie, admin: await loginToAdmin(adminUrl, login) };
}
