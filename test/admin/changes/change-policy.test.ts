// Tests that the change policy cannot be bypassed over the admin API or the command path, and that
// exceptions are recorded.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';

import { z } from 'zod';

import { setLogin } from '../../../src/cli/control-plane/login-principal.ts';
import { importConfig } from '../../../src/control/files/import.ts';
import { createPasswords } from '../../../src/control/access/passwords.ts';
import { principalId } from '../../../src/lib/ids.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { readSource } from '../../../src/snapshot/file/source.ts';
import { errorOf, member } from '../../harness/admin/admin.ts';
import type { TestAnswer } from '../../harness/admin/admin.ts';
import { fourEyes, path, renameModel } from '../../harness/admin/four-eyes.ts';
import { person } from '../../harness/control/plane.ts';

const ok = (answer: TestAnswer): TestAnswer => {
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer;
};
const required = [403, 'approval_required', null];

async function underPolicy(t: Parameters<typeof fourEyes>[0], kinds: readonly string[]) {
  const started = await fourEyes(t);
  ok(await started.boss('PUT', '/admin/change-policy', { kinds }));
  const { ask, cookies, plane } = started;
  const breaking = (headers: Record<string, string>, body: object = { name: 'c' }) =>
    ask({ method: 'PATCH', path: renameModel('').path, cookie: cookies.ada, headers, body });
  const nameOfModel = () => plane.store.state().model.byId.get(1)?.name;
  return { ...started, breaking, nameOfModel };
}

describe('under a change policy', () => {
  it('no route makes a change that needs an approval, and its request does', async (t) => {
    const { ada, boss, ask, cookies, draft, approve, nameOfModel } = await underPolicy(t, [
      'models',
    ]);
    const { method, path: at, body } = renameModel('b');
    const refused = await ada(method, at, body);
    assert.deepEqual(errorOf(refused), required);
    assert.match(
      JSON.stringify(refused.body),
      /changes of models need .* \/admin\/change-requests/,
    );
    const set = { calls: [renameModel('b')], reason: 'r' };
    assert.deepEqual(errorOf(await ada('POST', '/admin/change-sets/apply', set)), required);
    ok(await ada('POST', '/admin/change-sets/preview', { calls: set.calls }));
    const restored = await boss('POST', '/admin/snapshots/3/restore', { reason: 'back' });
    assert.deepEqual(errorOf(restored), required);
    const headers = { 'idempotency-key': 'again' };
    const keyed = { method, path: at, body, headers, cookie: cookies.ada };
    assert.deepEqual(errorOf(await ask(keyed)), required);
    assert.equal(nameOfModel(), 'a');
    const id = await draft(ada, [renameModel('b')]);
    ok(await approve(boss, id));
    ok(await ada('POST', `${path}/${id}/apply`, {}));
    assert.equal(nameOfModel(), 'b');
    ok(await ada('POST', '/admin/principals', { name: 'of another kind' }));
    await draft(ada, [{ method: 'POST', path: '/admin/prices/sync', body: {} }]);
  });

  it('a version is restored by an approved request, which is that restore alone', async (t) => {
    const { ada, boss, draft, approve, nameOfModel, plane, breaking } = await underPolicy(t, [
      'models',
    ]);
    const { version } = plane.store.state();
    ok(await breaking({ 'x-gw-break-glass': 'in a hurry' }));
    assert.equal(nameOfModel(), 'c');
    const restore = (body: object) => ({
      method: 'POST',
      path: `/admin/snapshots/${version}/restore`,
      body: { reason: 'back', ...body },
    });
    const drafting = (calls: readonly unknown[]) =>
      ada('POST', path, { title: 'back', calls, reason: 'CHG-2' });
    const several = await drafting([restore({}), renameModel('d')]);
    assert.deepEqual(errorOf(several), [400, 'invalid', 'calls']);
    const dry = await drafting([restore({ dry_run: true })]);
    assert.match(JSON.stringify(errorOf(dry)), /400,"invalid","calls.0"/);
    const id = await draft(ada, [restore({})]);
    ok(await approve(boss, id));
    ok(await ada('POST', `${path}/${id}/apply`, {}));
    assert.equal(nameOfModel(), 'a');
    const events = await boss('GET', '/admin/history/events?limit=1');
    assert.match(JSON.stringify(events.body), new RegExp(`"causation":{"position":${version}}`));
  });

  it('a budget is increased by an approved request only', async (t) => {
    const { ada, boss, draft, approve, plane } = await underPolicy(t, ['limits']);
    const principal = '/admin/principals/1';
    const budget = { method: 'PUT', path: `${principal}/budget`, body: { tokens_total: 100 } };
    const increase = {
      method: 'POST',
      path: `${principal}/budget/increases`,
      body: {
        tokens: 50,
        reason: 'load test',
        ends_at: new Date(Date.now() + 86_400_000).toISOString(),
      },
    };
    const made = async (call: typeof increase | typeof budget): Promise<void> => {
      const id = await draft(ada, [call]);
      assert.notEqual((await ada('POST', `${path}/${id}/apply`, {})).status, 200);
      assert.notEqual((await approve(ada, id)).status, 200);
      ok(await approve(boss, id));
      ok(await ada('POST', `${path}/${id}/apply`, {}));
    };
    await made(budget);
    const increases = () =>
      plane.store
        .state()
        .principal.byId.get(principalId.parse(1))
        ?.budget?.increases?.map(({ tokens }) => tokens) ?? [];
    for (const by of [ada, boss]) {
      const refused = await by(increase.method, increase.path, increase.body);
      assert.deepEqual(errorOf(refused), required);
    }
    assert.deepEqual(increases(), []);
    await made(increase);
    assert.deepEqual(increases(), [50]);
    const removed = await boss('DELETE', `${increase.path}/1`);
    assert.deepEqual(errorOf(removed), required);
    assert.deepEqual(increases(), [50]);
  });

  it('the policy is changed by an approved request', async (t) => {
    const { ada, boss, draft, approve } = await underPolicy(t, ['models']);
    const policy = '/admin/change-policy';
    assert.deepEqual(errorOf(await boss('PUT', policy, { kinds: [] })), required);
    assert.deepEqual(ok(await boss('GET', policy)).body, {
      kinds: ['models'],
      protected: ['models', 'policy'],
    });
    const id = await draft(ada, [{ method: 'PUT', path: policy, body: { kinds: ['keys'] } }]);
    ok(await approve(boss, id));
    ok(await boss('POST', `${path}/${id}/apply`, {}));
    assert.deepEqual(member(ok(await boss('GET', policy)).body, 'kinds'), ['keys']);
    const before = await boss('GET', `${policy}?as_of=3`);
    assert.deepEqual(member(ok(before).body, 'kinds'), []);
  });

  it('the command line is held up as a person is, and says how it goes past', async (t) => {
    const { plane, boss } = await underPolicy(t, ['models', 'access']);
    const source = readSource('gw: { models: [{ name: imported }] }', {});
    const given = { source, environment: {}, dryRun: false };
    const refused = await importConfig({ plane, newId: randomUUID }, given);
    assert.ok(!('changes' in refused));
    assert.match(refused[0]?.message ?? '', /^changes of models need .* give --break-glass/);
    const breakGlass = 'the only reviewer is on leave';
    const made = await importConfig({ plane, newId: randomUUID }, { ...given, breakGlass });
    assert.ok('changes' in made, JSON.stringify(made));
    const login = { name: 'boss', password: 'a password that is new' };
    const passwords = createPasswords();
    const held = await setLogin({ plane, passwords }, login);
    assert.ok(isRefusal(held) && held.refused === 'approval_required');
    const set = await setLogin({ plane, passwords }, { ...login, breakGlass });
    assert.ok(!isRefusal(set), JSON.stringify(set));
    const due = [...plane.store.state().change_request.byId.values()];
    assert.deepEqual(
      due.map(({ state, authorId, kinds }) => [state, authorId, kinds]),
      [
        ['review_due', null, ['models']],
        ['review_due', null, ['access']],
      ],
    );
    assert.equal((await boss('GET', path)).status, 401, 'a new password ends the sessions');
  });
});

describe('a change policy that no one can meet', () => {
  it('is refused: where of all who could approve each could have come by the password of the other', async (t) => {
    const { boss, ada, ids, plane } = await fourEyes(t);
    const given = { password: 'a password that boss gave' };
    ok(await boss('PUT', `/admin/principals/${ids.ada}/password`, given));
    const policy = { method: 'PUT', path: '/admin/change-policy', body: { kinds: ['prices'] } };
    const refused = await boss(policy.method, policy.path, policy.body);
    assert.deepEqual(errorOf(refused), [409, 'conflict', 'kinds']);
    assert.match(JSON.stringify(refused.body), /none of the 2 principals .* with gw set-password/);
    const drafted = await boss('POST', path, { title: 'four', calls: [policy], reason: 'r' });
    assert.deepEqual(errorOf(drafted), [409, 'conflict', 'calls.0.kinds']);
    assert.equal((await ada('GET', '/admin/change-policy')).status, 401, 'the password is new');
    ok(await boss('PUT', policy.path, { kinds: [] }));
    const login = { name: 'ada', password: 'a password of the command line' };
    const set = await setLogin({ plane, passwords: createPasswords() }, login);
    assert.ok(!isRefusal(set), JSON.stringify(set));
    ok(await boss(policy.method, policy.path, policy.body));
  });
});

describe('breaking the glass', () => {
  it('makes a change at once, and leaves a review for another', async (t) => {
    const { breaking, ada, boss, url, nameOfModel, plane } = await underPolicy(t, ['models']);
    const before = plane.store.state().position;
    const made = ok(await breaking({ 'x-gw-break-glass': 'the vendor renamed it tonight' }));
    assert.equal(nameOfModel(), 'c');
    assert.equal(plane.store.state().position, before + 2);
    const id = made.headers.get('x-gw-review-due') ?? '';
    const due = z
      .array(z.object({ id: z.int(), title: z.string(), kinds: z.array(z.string()) }))
      .parse(ok(await boss('GET', `${path}?state=review_due`)).body);
    assert.deepEqual(due, [
      { id: Number(id), title: 'the vendor renamed it tonight', kinds: ['models'] },
    ]);
    const metric = async (): Promise<string | undefined> => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return /^gw_change_reviews_due (\d+)$/m.exec(text)?.[1];
    };
    assert.equal(await metric(), '1');
    assert.deepEqual(errorOf(await ada('POST', `${path}/${id}/review`, {})), [
      403,
      'forbidden',
      null,
    ]);
    const reviewed = ok(await boss('POST', `${path}/${id}/review`, { reason: 'it was right' }));
    assert.equal(member(reviewed.body, 'state'), 'reviewed');
    assert.equal(await metric(), '0');
    assert.deepEqual(ok(await boss('GET', `${path}?state=review_due`)).body, []);
  });

  it('needs a reason and the right to approve, and where nothing is protected nothing is broken', async (t) => {
    const { breaking, nameOfModel, login, ask, boss, plane } = await underPolicy(t, [
      'prices',
      'keys',
    ]);
    const made = ok(await breaking({ 'x-gw-break-glass': 'to be sure' }));
    assert.equal(made.headers.get('x-gw-review-due'), null);
    assert.equal(nameOfModel(), 'c');
    assert.equal(plane.store.state().change_request.byId.size, 0);
    const price = { input_price_per_mtok: 1 };
    assert.deepEqual(errorOf(await breaking({ 'x-gw-break-glass': '' }, price)), required);
    const long = await breaking({ 'x-gw-break-glass': 'x'.repeat(1_001) }, price);
    assert.deepEqual(errorOf(long), [400, 'invalid', 'x-gw-break-glass']);
    ok(await boss('POST', '/admin/roles', { name: 'minter' }));
    const minting = { verb: 'key:create', resource: '*' };
    ok(await boss('POST', '/admin/roles/minter/permissions', minting));
    const cookie = await login('clerk', ['minter']);
    const headers = { 'x-gw-break-glass': 'please' };
    const body = { name: 'k', principal_id: 1 };
    const key = await ask({ method: 'POST', path: '/admin/keys', cookie, headers, body });
    assert.deepEqual(errorOf(key), [403, 'forbidden', 'x-gw-break-glass']);
  });

  it('is refused where that password is given in the same moment, or in the same change', async (t) => {
    const { boss, ids, plane } = await fourEyes(t);
    const policy = { method: 'PUT', path: '/admin/change-policy', body: { kinds: ['prices'] } };
    const principal = principalId.parse(ids.ada);
    const secret = { ref: randomUUID(), class: 'password', plaintext: 'a hash' } as const;
    const setPassword = { type: 'SetPassword', id: principal, passwordRef: secret.ref } as const;
    const setPolicy = { type: 'SetChangePolicy', kinds: ['prices'] } as const;
    const actor = { kind: 'session', principal_id: ids.boss } as const;
    const [given, refused] = await Promise.all([
      plane.execute({ command: setPassword, secrets: [secret] }, { ...person, actor }),
      plane.execute({ command: setPolicy }, { ...person, actor }),
    ]);
    assert.ok(!isRefusal(given), JSON.stringify(given));
    assert.ok(isRefusal(refused) && refused.refused === 'conflict', 'made in one transaction');
    const login = { name: 'ada', password: 'a password of the command line' };
    const set = await setLogin({ plane, passwords: createPasswords() }, login);
    assert.ok(!isRefusal(set), JSON.stringify(set));
    const password = {
      method: 'PUT',
      path: `/admin/principals/${ids.ada}/password`,
      body: { password: 'a password that boss gave' },
    };
    const both = { calls: [password, policy], reason: 'r' };
    const together = await boss('POST', '/admin/change-sets/apply', both);
    assert.deepEqual(errorOf(together), [409, 'conflict', 'kinds']);
    ok(await boss(policy.method, policy.path, policy.body));
  });
});
