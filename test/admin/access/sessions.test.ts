// Tests that changes to a principal by another replica or the command line apply to the next
// request here, without a notification.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { Client } from 'pg';

import { setLogin } from '../../../src/cli/control-plane/login-principal.ts';
import { createPasswords } from '../../../src/control/access/passwords.ts';
import { openControlPlane } from '../../../src/control/plane.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import { adminTokenId } from '../../../src/lib/ids.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { adminPassword, errorOf, member, testAdmin } from '../../harness/admin/admin.ts';
import { person, testKey } from '../../harness/control/plane.ts';

const login = (name: string, password: string) => ({
  method: 'POST',
  path: '/login',
  body: { name, password },
});

/** An admin listener, and another control plane on its database that sends it no notifications. */
async function withSilentOther(t: TestContext) {
  const started = await testAdmin(t);
  const cookie = await started.login('ada', ['admin']);
  const client = new Client({ connectionString: started.databaseUrl });
  await client.connect();
  await client.query(`
    do $$ begin execute replace(pg_get_functiondef('es.events_guard'::regproc),
      'perform pg_notify', '-- perform pg_notify'); end $$`);
  await client.end();
  const other = await openControlPlane({
    databaseUrl: started.databaseUrl,
    encryptionKey: testKey,
    connectionsMax: 2,
    appVersion: 'test',
    clock: Date.now,
    onFailure: () => undefined,
  });
  t.after(() => other.close());
  return { ...started, cookie, other };
}

async function resetPassword(other: ControlPlane, password: string): Promise<void> {
  const set = await setLogin(
    { plane: other, passwords: createPasswords() },
    { name: 'ada', password },
  );
  assert.ok(!isRefusal(set));
}

describe('what was changed elsewhere', () => {
  it('a password that set-password resets ends the sessions of the old one', async (t) => {
    const { ask, cookie, other } = await withSilentOther(t);
    await resetPassword(other, 'the new password');
    assert.equal((await ask({ path: '/admin/roles', cookie })).status, 401);
  });

  it('a revoked role removes its permissions', async (t) => {
    const { ask, cookie, other } = await withSilentOther(t);
    const [, principal] = [...other.store.state().principal.byId.values()];
    assert.ok(principal !== undefined);
    const command = { type: 'RevokeRole', id: principal.id, role: 'admin' } as const;
    assert.ok(!isRefusal(await other.execute({ command }, forced)));
    assert.equal((await ask({ path: '/admin/roles', cookie })).status, 403);
  });

  it('a revoked permission or token applies to admin tokens', async (t) => {
    const { ask, cookie, other } = await withSilentOther(t);
    const [, principal] = [...other.store.state().principal.byId.values()];
    assert.ok(principal !== undefined);
    const { id } = principal;
    const create = async (): Promise<string> => {
      const body = { name: 'ci', principal_id: id, permissions: ['usage:read'] };
      const made = await ask({ method: 'POST', path: '/admin/tokens', cookie, body });
      return String(member(made.body, 'token'));
    };
    const [first, second] = [await create(), await create()];
    const status = async (token: string) => (await ask({ path: '/admin/roles', token })).status;
    assert.deepEqual([await status(first), await status(second)], [200, 200]);

    const revoked = { type: 'RevokeAdminToken', id: adminTokenId.parse(1) } as const;
    assert.ok(!isRefusal(await other.execute({ command: revoked }, forced)));
    assert.deepEqual([await status(first), await status(second)], [401, 200]);
    const narrowed = { type: 'RevokeRole', id, role: 'admin' } as const;
    assert.ok(!isRefusal(await other.execute({ command: narrowed }, forced)));
    assert.equal(await status(second), 403);
    const deleted = { type: 'DeletePrincipal', id } as const;
    assert.ok(!isRefusal(await other.execute({ command: deleted }, forced)));
    assert.equal(await status(second), 401);
  });

  it('a deleted principal has no sessions', async (t) => {
    const { ask, cookie, other } = await withSilentOther(t);
    const [, principal] = [...other.store.state().principal.byId.values()];
    assert.ok(principal !== undefined);
    const command = { type: 'DeletePrincipal', id: principal.id } as const;
    assert.ok(!isRefusal(await other.execute({ command }, forced)));
    assert.equal((await ask({ path: '/admin/roles', cookie })).status, 401);
  });
});

/** Forced, because it removes the only administrator; the test is about the sessions. */
const forced = { ...person, isForced: true } as const;

type WithOther = Awaited<ReturnType<typeof withSilentOther>>;

/** Requests a new provider, and runs `act` before its address answers. */
async function duringCreation(
  t: TestContext,
  { ask, cookie, other }: WithOther,
  act: () => Promise<unknown>,
) {
  const upstream = createServer((_request, response) => {
    void act().then(() => response.end('{"data":[]}'));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  t.after(() => void upstream.close());
  const address = upstream.address();
  assert.ok(typeof address === 'object' && address !== null);
  const body = { api_base: `http://127.0.0.1:${address.port}/v1` };
  const answer = await ask({ method: 'POST', path: '/admin/providers', cookie, body });
  assert.equal(other.store.state().provider.byId.size, 0);
  return errorOf(answer);
}

describe('a mutation is refused if this was revoked while it was prepared:', () => {
  it('a permission', async (t) => {
    const started = await withSilentOther(t);
    const { other } = started;
    const [, principal] = [...other.store.state().principal.byId.values()];
    assert.ok(principal !== undefined);
    const command = { type: 'RevokeRole', id: principal.id, role: 'admin' } as const;
    const refused = await duringCreation(t, started, () => other.execute({ command }, forced));
    assert.deepEqual(refused, [403, 'forbidden', null]);
  });

  it('a session that was ended with all others', async (t) => {
    const started = await withSilentOther(t);
    const { ask, cookie } = started;
    const path = '/admin/sessions/revoke-all';
    const revoke = () => ask({ method: 'POST', path, cookie });
    assert.deepEqual(await duringCreation(t, started, revoke), [401, 'unauthenticated', null]);
  });

  it('a session whose password was reset', async (t) => {
    const started = await withSilentOther(t);
    const reset = () => resetPassword(started.other, 'the new password');
    assert.deepEqual(await duringCreation(t, started, reset), [401, 'unauthenticated', null]);
  });
});

describe('a login', () => {
  it('takes a password that was set elsewhere a moment ago, and not the one before it', async (t) => {
    const { ask, other } = await withSilentOther(t);
    await resetPassword(other, 'the new password');
    assert.equal((await ask(login('ada', adminPassword))).status, 401);
    assert.equal((await ask(login('ada', 'the new password'))).status, 200);
  });

  it('starts no session if the password changed while it was checked', async (t) => {
    const { ask, other, plane, admin, cookie } = await withSilentOther(t);
    const { sessions } = admin.needs.access;
    const { state } = plane.store;
    const [, ada] = [...state().principal.byId.values()];
    assert.ok(ada !== undefined && ada.passwordRef !== null);
    await resetPassword(other, 'the new password');
    const late = await sessions.start({ principalId: ada.id, credentialRef: ada.passwordRef });
    assert.equal((await ask({ path: '/admin/roles', cookie: late })).status, 401);
    assert.equal((await ask({ path: '/admin/roles', cookie })).status, 401);
  });
});
