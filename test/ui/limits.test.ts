// Tests a limit from the form that sets it to the refused request and its display. Results are
// checked at the client and on the server.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { startDemoProvider } from '../../src/cli/dev/demo-provider.ts';
import { chatBody } from '../harness/gateway/gateway.ts';
import { startFollowingGateway, programWith } from '../harness/gateway/following-gateway.ts';
import type { Place } from '../harness/gateway/following-gateway.ts';
import { reportUsage, reported } from '../harness/admin/usage.ts';
import { until } from '../harness/wait.ts';
import { press } from './harness/actions.ts';
import { emptyServer, open } from './harness/server.ts';
import { make } from './harness/records.ts';
import { toast } from './harness/toast.ts';
import { expectCleanScreen } from './harness/watch.ts';

/** A server with its gateway, and a client whose principal is called nightly. */
async function clientOf(t: TestContext) {
  const demo = await startDemoProvider({ port: 0 });
  t.after(demo.close);
  const place: Place = { url: null };
  const server = await emptyServer(t, { program: programWith(place) });
  const gateway = await startFollowingGateway(t, server, place);
  await make(server, '/admin/providers', { name: 'demo', api_base: demo.apiBase });
  const { id: model } = await make(server, '/admin/provider-models', { name: 'demo' });
  await make(server, `/admin/provider-models/${Number(model)}/backends`, { provider_id: 1 });
  const id = Number((await make(server, '/admin/principals', { name: 'nightly' }))['id']);
  await make(server, `/admin/principals/${id}/roles`, { role: 'inference' });
  const { key } = await make(server, '/admin/keys', { name: 'ci', principal_id: id });
  const authorization = `Bearer ${String(key)}`;
  return {
    server,
    id,
    chat: async (): Promise<number> => {
      const answer = await gateway.chat(chatBody('demo'), { authorization });
      await answer.arrayBuffer();
      return answer.status;
    },
    /** Waits until the gateway has the last change. */
    served: () => {
      const { version } = server.plane.store.state();
      const isServed = (): boolean => (gateway.live.current()?.version ?? 0) >= version;
      return until(isServed, { what: `version ${version} at the gateway` });
    },
    refusedRows: async (refusal: string): Promise<number> => {
      const asked = `/admin/usage/events?principal_id=${id}&refusal=${refusal}`;
      const { headers } = await server.send('GET', asked);
      return Number(headers.get('x-total-count'));
    },
  };
}

it('a client reaches its limits, and the refusals are shown', async (t) => {
  const { server, id, chat, served, refusedRows } = await clientOf(t);
  const { page, watched } = await open(t, server, `limits/${id}/limits`);
  await page.getByLabel('Requests per minute').fill('3');
  await press(page, 'Review change');
  await press(page, 'Save limits');
  await toast(page, /Rate limits of nightly updated/);
  await served();
  const answered: number[] = [];
  await until(
    async () => {
      answered.push(await chat());
      return answered.at(-1) === 429;
    },
    { what: 'a refusal' },
  );
  assert.deepEqual(answered.slice(0, 3), [200, 200, 200]);
  await until(async () => (await refusedRows('rate_limit')) === 1, { what: 'the row of it' });

  await page.goto(`/ui/limits/${id}`);
  await page.getByText('3 per minute').waitFor();
  await page.locator('gw-caps-refused').getByText('1 request', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'View requests' }).click();
  await page.getByText('refused: rate_limit').waitFor();
  await page.getByRole('columnheader', { name: 'Refused' }).waitFor();
  await expectCleanScreen(page, watched);

  await server.send('DELETE', `/admin/principals/${id}/limits`);
  await page.goto(`/ui/limits/${id}/budget`);
  await page.getByLabel('Token limit').fill('1');
  await press(page, 'Review change');
  await press(page, 'Save budget');
  await toast(page, /Budget of nightly updated/);
  await served();
  const isSpent = async (): Promise<boolean> => {
    await server.plane.rebuild();
    return (await chat()) === 402;
  };
  await until(isSpent, { what: 'a refusal by the budget' });
  await until(async () => (await refusedRows('budget')) === 1, { what: 'the row of it' });
  await page.goto('/ui/limits?state=reached');
  await page.getByRole('row', { name: /nightly .*tokens, reached/ }).click();
  await page.locator('gw-caps-refused').getByText('1 request').nth(1).waitFor();
  await page.goto('/ui/');
  await page.getByText('tokens, 2 refused').waitFor();
});

it('a budget gets a calendar window, alerts and a temporary increase', async (t) => {
  const server = await emptyServer(t);
  const id = Number((await make(server, '/admin/principals', { name: 'nightly' }))['id']);
  const { page, watched } = await open(t, server, `limits/${id}/budget`);
  await page.getByLabel('Window').selectOption({ label: 'Calendar month' });
  await page.getByLabel('Time zone').fill('Europe/Zurich');
  await page.getByLabel('Token limit').fill('1000');
  await page.getByLabel('Alerts at percent').fill('80, 50');
  await press(page, 'Review change');
  await press(page, 'Save budget');
  await toast(page, /Budget of nightly updated/);
  await page.goto(`/ui/limits/${id}`);
  await page.getByText(/^1 \w+ \d{4}, 00:00 Europe\/Zurich$/).waitFor();
  await page.getByText('50, 80, 100 %').waitFor();

  await page.getByRole('link', { name: 'Increase' }).click();
  await page.getByLabel('More tokens').fill('500');
  await page.getByLabel('Reason').fill('load test');
  await page.getByLabel('Until').fill(`${new Date().getFullYear() + 1}-01-01T00:00`);
  await press(page, 'Review change');
  await press(page, 'Increase budget');
  await toast(page, /Budget of nightly increased/);
  await page.goto(`/ui/limits/${id}`);
  await page.getByText('+ 500 tokens').waitFor();
  await page.getByText('load test').waitFor();
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    assert.equal(overflow, 0, `${width} px`);
  }
  await page.getByRole('button', { name: 'Remove the increase + 500 tokens' }).click();
  await press(page, 'Remove increase');
  await toast(page, /Increase of nightly removed/);
  await page.getByText('No increases.').waitFor();
  await expectCleanScreen(page, watched);
});

it('a forecast says when a budget is used up, and what it is based on', async (t) => {
  const server = await emptyServer(t);
  await server.send('POST', '/admin/models', { name: 'small' });
  const budget = { window: 'monthly', tokens_total: 3_000 };
  await server.send('PUT', '/admin/principals/1/budget', budget);
  assert.equal((await reportUsage(server, [reported(1)])).status, 200);
  for (const look of [
    { theme: 'light', width: 1440 },
    { theme: 'dark', width: 360 },
  ] as const) {
    const { page, watched } = await open(t, server, 'limits/1', look);
    // Half of the budget is used, and a third of the window is over.
    await page.clock.setFixedTime(Date.now() + 10 * 86_400_000);
    await page.reload();
    await page.getByText('Tokens used up in 10 d').waitFor();
    await page.getByText('At the average rate of the last 10 d').waitFor();
    await expectCleanScreen(page, watched);
  }
});
