// Tests rate limits and budgets over HTTP (specification, "Limits and budget").

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';
import { z } from 'zod';

import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';

type Administrator = Awaited<ReturnType<typeof testAdministrator>>;

async function createPrincipal({ send }: Administrator, body: Record<string, unknown>) {
  const created = await send('POST', '/admin/principals', body);
  assert.equal(created.status, 200);
  return Number(member(created.body, 'id'));
}

describe('limits', () => {
  it('are set, replaced, listed with names and cleared', async (t) => {
    const started = await testAdministrator(t);
    const { send } = started;
    const ci = await createPrincipal(started, { name: 'ci' });
    const ada = await createPrincipal(started, { name: 'Ada', kind: 'user' });
    const set = await send('PUT', `/admin/principals/${ci}/limits`, { requests_per_min: 60 });
    const record = { principal_id: ci, requests_per_min: 60, tokens_per_min: null };
    assert.deepEqual([set.status, set.body], [200, { ...record, principal: 'ci', version: 2 }]);
    assert.ok(Number(set.headers.get('x-gw-snapshot-version')) > 0);
    await send('PUT', `/admin/principals/${ada}/limits`, {
      requests_per_min: null,
      tokens_per_min: 5,
    });
    const replaced = { principal_id: ci, principal: 'ci', requests_per_min: null };
    await send('PUT', `/admin/principals/${ci}/limits`, { tokens_per_min: 9 });
    const listed = await send('GET', '/admin/limits');
    assert.deepEqual(listed.body, [
      { ...replaced, tokens_per_min: 9, version: 3 },
      {
        principal_id: ada,
        principal: 'Ada',
        requests_per_min: null,
        tokens_per_min: 5,
        version: 2,
      },
    ]);
    assert.equal(listed.headers.get('x-total-count'), '2');
    const page = await send('GET', '/admin/limits?limit=1');
    assert.match(page.headers.get('link') ?? '', /rel="next"/);
    const cleared = await send('DELETE', `/admin/principals/${ci}/limits`);
    assert.deepEqual([cleared.status, cleared.body], [200, { id: ci }]);
    const again = await send('DELETE', `/admin/principals/${ci}/limits`);
    assert.deepEqual(errorOf(again), [404, 'absent', null]);
    await send('DELETE', `/admin/principals/${ada}`);
    assert.deepEqual((await send('GET', '/admin/limits')).body, []);
  });

  it('reach the snapshot', async (t) => {
    const { send, plane } = await testAdministrator(t);
    await send('PUT', '/admin/principals/1/limits', { requests_per_min: 7 });
    const { snapshot } = plane.publisher.current() ?? {};
    const held = snapshot?.config.principals.find(({ id }) => id === 1)?.limits;
    assert.deepEqual(held, { requests_per_min: 7, tokens_per_min: null });
  });

  it('refuses malformed limits, limits without a value and limits of an unknown principal', async (t) => {
    const { send } = await testAdministrator(t);
    const put = async (body: unknown, id = 1) =>
      errorOf(await send('PUT', `/admin/principals/${id}/limits`, body));
    for (const [body, param] of [
      [{}, 'requests_per_min'],
      [{ requests_per_min: null, tokens_per_min: null }, 'requests_per_min'],
      [{ requests_per_min: 0 }, 'requests_per_min'],
      [{ tokens_per_min: -1 }, 'tokens_per_min'],
      [{ tokens_per_min: 1.5 }, 'tokens_per_min'],
      [{ tokens_per_min: '60' }, 'tokens_per_min'],
      [{ requests_per_min: 1, burst: 5 }, 'burst'],
    ] as const) {
      assert.deepEqual(await put(body), [400, 'invalid', param]);
    }
    assert.deepEqual(await put({ requests_per_min: 1 }, 999), [404, 'absent', null]);
  });
});

describe('a budget', () => {
  it('is set, and listed with its spend, window and end of window', async (t) => {
    const started = await testAdministrator(t);
    const { send, plane } = started;
    const ada = await createPrincipal(started, { name: 'Ada', kind: 'user' });
    const path = `/admin/principals/${ada}/budget`;
    const set = await send('PUT', path, { tokens_total: 1000, window: 'weekly' });
    const start = String(member(set.body, 'window_start'));
    const record = {
      principal_id: ada,
      principal: 'Ada',
      tokens_total: 1000,
      tokens_used: 0,
      cost_total_micros: null,
      cost_used_micros: 0,
      window: 'weekly',
      calendar: null,
      alert_at_percent: [],
      increases: [],
      tokens_total_now: 1000,
      cost_total_micros_now: null,
      window_start: start,
      window_end: new Date(Date.parse(start) + 7 * 24 * 3_600_000).toISOString(),
    };
    assert.deepEqual([set.status, set.body], [200, { ...record, version: 2 }]);
    assert.ok(Math.abs(Date.parse(start) - Date.now()) < 60_000);

    await plane.db.query(sql`
      update op.budget_usage set tokens_used = 7, cost_used_micros = 8, initial_tokens_used = 7`);
    const changed = await send('PUT', path, { cost_total_micros: 50 });
    const expected = {
      ...record,
      tokens_total: null,
      tokens_used: 7,
      tokens_total_now: null,
      cost_total_micros: 50,
      cost_total_micros_now: 50,
      cost_used_micros: 8,
      version: 3,
    };
    assert.deepEqual(changed.body, expected);
    assert.deepEqual((await send('GET', '/admin/budgets')).body, [expected]);

    assert.deepEqual((await send('DELETE', path)).body, { id: ada });
    assert.deepEqual(errorOf(await send('DELETE', path)), [404, 'absent', null]);
    assert.deepEqual((await send('GET', '/admin/budgets')).body, []);
    const anew = await send('PUT', path, { tokens_total: 1 });
    assert.deepEqual(
      [member(anew.body, 'tokens_used'), member(anew.body, 'window')],
      [0, 'monthly'],
    );
  });

  it('takes calendar windows and alerts, and names what is wrong with them', async (t) => {
    const started = await testAdministrator(t);
    const ada = await createPrincipal(started, { name: 'Ada', kind: 'user' });
    const path = `/admin/principals/${ada}/budget`;
    const put = (body: object) => started.send('PUT', path, { tokens_total: 1000, ...body });
    const calendar = { unit: 'month', time_zone: 'Europe/Zurich' };
    const { body } = await put({ calendar, alert_at_percent: [50, 80, 100] });
    assert.deepEqual(
      ['window', 'calendar', 'alert_at_percent'].map((name) => member(body, name)),
      ['monthly', calendar, [50, 80, 100]],
    );
    const end = String(member(body, 'window_end'));
    const local = new Date(end).toLocaleString('sv', { timeZone: 'Europe/Zurich' });
    assert.match(local, /-01 00:00:00$/);
    // A client that does not know calendars keeps them.
    const kept = await put({ tokens_total: 7, window: 'monthly' });
    assert.deepEqual(member(kept.body, 'calendar'), calendar);
    assert.equal(member(kept.body, 'window_end'), end);
    for (const [wrong, param, message] of [
      [{ calendar: { unit: 'year', time_zone: 'UTC' } }, 'calendar.unit', /day/],
      [{ calendar: { unit: 'day' } }, 'calendar.time_zone', /is required/],
      [{ calendar: { unit: 'day', time_zone: '+01:00' } }, 'calendar.time_zone', /IANA time zone/],
      [
        { calendar: { unit: 'day', time_zone: 'Mars/Olympus' } },
        'calendar.time_zone',
        /for example Europe\/Zurich/,
      ],
      [{ calendar, window: 'daily' }, 'window', /window is daily/],
      [{ alert_at_percent: [0] }, 'alert_at_percent.0', /at least 1/],
      [{ alert_at_percent: [101] }, 'alert_at_percent.0', /at most 100/],
      [{ alert_at_percent: [80, 50] }, 'alert_at_percent', /ascending/],
      [{ alert_at_percent: [50, 50] }, 'alert_at_percent', /ascending/],
      [{ alert_at_percent: [...Array(11).keys()].map((one) => one + 1) }, 'alert_at_percent', /10/],
    ] as const) {
      const answer = await put(wrong);
      assert.deepEqual(errorOf(answer), [400, 'invalid', param]);
      assert.match(JSON.stringify(answer.body), message);
    }
  });

  it('is increased for a time, with a reason that the vault holds', async (t) => {
    const started = await testAdministrator(t);
    const { send, plane } = started;
    const ada = await createPrincipal(started, { name: 'Ada', kind: 'user' });
    const path = `/admin/principals/${ada}/budget`;
    await send('PUT', path, { tokens_total: 1000 });
    const ends_at = new Date(Date.now() + 3_600_000).toISOString();
    const later = new Date(Date.now() + 1_800_000).toISOString();
    const grant = (body: object) => send('POST', `${path}/increases`, body);
    const made = await grant({ tokens: 500, reason: 'load test', ends_at });
    assert.equal(made.status, 200);
    assert.deepEqual(
      ['id', 'tokens', 'cost_micros', 'reason', 'ends_at'].map((name) => member(made.body, name)),
      [1, 500, null, 'load test', ends_at],
    );
    await grant({ tokens: 7, reason: 'later', starts_at: later, ends_at });
    const shown = (await send('GET', path)).body;
    assert.equal(member(shown, 'tokens_total'), 1000);
    assert.equal(member(shown, 'tokens_total_now'), 1500);
    assert.equal(z.array(z.unknown()).parse(member(shown, 'increases')).length, 2);
    const events = await plane.db.query(sql`
      select payload::text as text from es.events where type = 'PrincipalBudgetIncreased'`);
    assert.doesNotMatch(JSON.stringify(events), /load test/);
    assert.deepEqual((await send('DELETE', `${path}/increases/1`)).body, { id: 1 });
    assert.equal(member((await send('GET', path)).body, 'tokens_total_now'), 1000);
    assert.deepEqual(errorOf(await send('DELETE', `${path}/increases/1`)), [404, 'absent', null]);
    for (const [body, param] of [
      [{ tokens: 5, ends_at }, 'reason'],
      [{ tokens: 5, reason: 'x' }, 'ends_at'],
      [{ reason: 'x', ends_at }, 'tokens'],
      [{ cost_micros: 5, reason: 'x', ends_at }, 'cost_micros'],
      [{ tokens: 5, reason: 'x', ends_at: '2020-01-01T00:00:00Z' }, 'ends_at'],
    ] as const) {
      assert.deepEqual(errorOf(await grant(body)), [400, 'invalid', param]);
    }
  });

  it('is set by more concurrent requests than there are connections', async (t) => {
    const started = await testAdministrator(t);
    const { send } = started;
    const ada = await createPrincipal(started, { name: 'Ada', kind: 'user' });
    const path = `/admin/principals/${ada}/budget`;
    const caps = Array.from({ length: 8 }, (_, index) => index + 1);
    const answers = await Promise.all(caps.map((cap) => send('PUT', path, { tokens_total: cap })));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  });

  it('refuses a malformed budget, one without a cap and one of an unknown principal', async (t) => {
    const { send } = await testAdministrator(t);
    const put = async (body: unknown, id = 1) =>
      errorOf(await send('PUT', `/admin/principals/${id}/budget`, body));
    for (const [body, param] of [
      [{}, 'tokens_total'],
      [{ window: 'daily' }, 'tokens_total'],
      [{ tokens_total: null, cost_total_micros: null }, 'tokens_total'],
      [{ tokens_total: 0 }, 'tokens_total'],
      [{ cost_total_micros: -5 }, 'cost_total_micros'],
      [{ tokens_total: 1, window: 'yearly' }, 'window'],
      [{ tokens_total: 1, tokens_used: 5 }, 'tokens_used'],
    ] as const) {
      assert.deepEqual(await put(body), [400, 'invalid', param]);
    }
    assert.deepEqual(await put({ tokens_total: 1 }, 999), [404, 'absent', null]);
  });
});
