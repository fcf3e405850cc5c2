// Tests a chat through the admin listener: with the given key, streamed, bounded, and reported when
// the gateway refuses it or is unavailable.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { playgroundChatsMax } from '../routes.ts';
import { startDemoProvider } from '../../../src/cli/dev/demo-provider.ts';
import { member, testAdministrator } from '../../../test/harness/admin/admin.ts';
import {
  startFollowingGateway,
  programWith,
} from '../../../test/harness/gateway/following-gateway.ts';
import type { Place } from '../../../test/harness/gateway/following-gateway.ts';
import { startUpstream, unusedApiBase } from '../../../test/harness/upstream/upstream.ts';
import { until } from '../../../test/harness/wait.ts';

type Administrator = Awaited<ReturnType<typeof testAdministrator>>;

const chat = { model: 'chat', messages: [{ role: 'user', content: 'Hello' }] };

/** Creates model `chat` at the address, and a key that may invoke it. */
async function served(t: TestContext, apiBase: string) {
  const place: Place = { url: null };
  const administrator = await testAdministrator(t, { program: programWith(place) });
  const { send } = administrator;
  await send('POST', '/admin/provider-models', { name: 'chat' });
  const backend = { api_base: apiBase, upstream_model: 'demo' };
  const attached = await send('POST', '/admin/provider-models/1/backends', backend);
  assert.equal(attached.status, 200, JSON.stringify(attached.body));
  const made = await send('POST', '/admin/keys', { name: 'try', principal_id: 1 });
  const gateway = await startFollowingGateway(t, administrator, place);
  const key = String(member(made.body, 'key'));
  const { version } = administrator.plane.store.state();
  await until(() => gateway.live.current()?.version === version, { what: 'the version is served' });
  return { ...administrator, key, gateway };
}

const asked = ({ url, cookie }: Administrator, body: unknown, signal?: AbortSignal) =>
  fetch(`${url}/admin/playground`, {
    method: 'POST',
    headers: { cookie: `gw_session=${cookie}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });

type Frame = Readonly<{ event: string; data: unknown }>;

const framesIn = (text: string): readonly Frame[] =>
  text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
      return { event, data: JSON.parse(data) };
    });

const headOf = (frames: readonly Frame[]) => frames[0]?.data;
const textOf = (frames: readonly Frame[]): string =>
  frames.flatMap(({ event, data }) => (event === 'text' ? [String(data)] : [])).join('');

describe('the playground', () => {
  it('asks with the key that is given, and its answer and its usage row are those of any client', async (t) => {
    const demo = await startDemoProvider({ port: 0 });
    t.after(demo.close);
    const house = await served(t, demo.apiBase);
    const answer = await asked(house, { ...chat, key: house.key });
    assert.equal(answer.headers.get('content-type'), 'text/event-stream');
    const frames = framesIn(await answer.text());
    assert.deepEqual([frames[0]?.event, frames.at(-1)?.event], ['head', 'end']);
    assert.equal(member(headOf(frames), 'status'), 200);
    assert.match(textOf(frames), /"usage":\{/);
    assert.match(textOf(frames), /data: \[DONE\]/);
    const id = String(member(member(headOf(frames), 'headers'), 'x-request-id'));
    const row = await until(
      async () => {
        const { body } = await house.send('GET', `/admin/usage/events?limit=5`);
        return (Array.isArray(body) ? body : []).find((one) => one.id === id);
      },
      { what: 'the usage row' },
    );
    assert.deepEqual([row.model, row.stream, row.principal_id], ['chat', true, 1]);
  });

  it('tells a refusal of the gateway as it is, which is none of its own', async (t) => {
    const demo = await startDemoProvider({ port: 0 });
    t.after(demo.close);
    const house = await served(t, demo.apiBase);
    const answer = await asked(house, { ...chat, key: 'gw-of-somebody' });
    assert.equal(answer.status, 200);
    const frames = framesIn(await answer.text());
    assert.equal(member(headOf(frames), 'status'), 401);
    assert.match(textOf(frames), /"error"/);
    assert.ok(!JSON.stringify(house.warnings).includes('gw-of-somebody'));
  });

  it('is limited to a number of concurrent chats, and frees a slot when a reader disconnects', async (t) => {
    await using upstream = await startUpstream((request, response) => {
      if (request.path === '/v1/models') response.end('{"data":[]}');
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n');
    });
    const house = await served(t, upstream.apiBase);
    const leaving = new AbortController();
    const body = { ...chat, key: house.key };
    const open = await Promise.all(
      Array.from({ length: playgroundChatsMax }, () => asked(house, body, leaving.signal)),
    );
    assert.ok(open.every(({ status }) => status === 200));
    const refused = await asked(house, body);
    assert.equal(refused.status, 429);
    await refused.body?.cancel();
    leaving.abort();
    await until(
      async () => {
        const again = await asked(house, body);
        await again.body?.cancel();
        return again.status === 200;
      },
      { what: 'a place is free' },
    );
  });

  it('says that the gateway is not known, or does not answer, and never what the key is', async (t) => {
    const place: Place = { url: null };
    const house = await testAdministrator(t, { program: programWith(place) });
    const body = { ...chat, key: 'gw-secret-of-mine' };
    assert.equal((await house.send('POST', '/admin/playground', body)).status, 404);
    place.url = (await unusedApiBase()).replace('/v1', '');
    const answer = await house.send('POST', '/admin/playground', body);
    assert.equal(answer.status, 502);
    const wrong = await house.send('POST', '/admin/playground', { ...body, key: 'gw a\nb' });
    assert.equal(member(member(wrong.body, 'error'), 'param'), 'key');
    const said = JSON.stringify([answer.body, wrong.body, house.warnings]);
    assert.ok(!said.includes('gw-secret-of-mine') && !said.includes('gw a'));
  });
});
