// Starts a gateway with a backend of another protocol, and sends it the requests of tests.

import assert from 'node:assert/strict';

import { startTestGateway } from './gateway.ts';
import type { TestGateway } from './gateway.ts';
import type { GivenSnapshot } from './snapshot.ts';
import { answerJson, startUpstream } from '../upstream/upstream.ts';
import type { Script, ScriptedUpstream } from '../upstream/upstream.ts';
import type { Vendor } from '../upstream/vendors.ts';
import { until } from '../wait.ts';

export const capped = { max_tokens: 64 };
export const streamed = { ...capped, stream: true };

/** Model `m` uses the vendor's protocol; model `other` uses the chat protocol. */
export async function startTranslated(
  { protocol, upstreamModel }: Vendor,
  script: Script,
  more: Partial<GivenSnapshot> & Readonly<{ cacheTtlSeconds?: number }> = {},
) {
  const upstream = await startUpstream(script);
  const { apiBase } = upstream;
  const other = await startUpstream(answerJson());
  const { cacheTtlSeconds, ...given } = more;
  const native = { apiBase, protocol, upstreamModel, credential: 'secret' };
  const gateway = await startTestGateway({
    models: {
      m: { backends: [native], ...(cacheTtlSeconds !== undefined && { cacheTtlSeconds }) },
      other: { backends: [{ apiBase: other.apiBase }] },
    },
    frontendModels: { both: { defaults: ['m', 'other'] } },
    keys: { key: {} },
    ...given,
  });
  return {
    upstream,
    other,
    gateway,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    },
  };
}

export const rowOf = ({ events }: TestGateway) => until(() => events[0], { what: 'a usage row' });

export const sentRequest = ({ seen }: ScriptedUpstream) =>
  seen[0] ?? assert.fail('nothing was sent');

export async function errorOf(response: Response) {
  type Told = Readonly<{ message: string; code: string | null; request_id: string }>;
  const body: { error: Told } = JSON.parse(await response.text());
  return body.error;
}
