// Tests how the agent interprets each response of the control plane.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { openRegistrar } from '../../src/agent/register.ts';
import type { Outcome } from '../../src/agent/register.ts';
import { startRegistrationServer } from '../harness/upstream/engine.ts';
import type { RegistrationAnswer } from '../harness/upstream/engine.ts';

const error = (message: string): string => JSON.stringify({ error: { message } });
const record = { id: 7, api_base: 'http://a/v1', name: 'n', kind: 'dynamic', leased: true };

const cases: readonly (readonly [string, RegistrationAnswer, Outcome])[] = [
  [
    'registers a lease on 200 with a record',
    { status: 200, text: JSON.stringify(record) },
    { kind: 'registered', id: 7, name: 'n', leased: true },
  ],
  ...[400, 401, 403, 404, 409].map(
    (status) =>
      [
        `${status} refuses`,
        { status, text: error('no') },
        { kind: 'refused', status, why: 'no' },
      ] as const,
  ),
  [
    'treats a 502 with an error body as a refusal of the endpoint',
    { status: 502, text: error('the endpoint did not answer') },
    { kind: 'refused', status: 502, why: 'the endpoint did not answer' },
  ],
  [
    'treats a 502 of a load balancer as an unreachable control plane',
    { status: 502, text: '<html>' },
    { kind: 'away', why: 'status 502', retryAfterMs: null },
  ],
  [
    'treats a 503 as unreachable, with its Retry-After',
    { status: 503, text: error('busy'), headers: { 'retry-after': '7' } },
    { kind: 'away', why: 'busy', retryAfterMs: 7000 },
  ],
  [
    '429 is an absence',
    { status: 429, text: error('slow down'), headers: { 'retry-after': 'tomorrow' } },
    { kind: 'away', why: 'slow down', retryAfterMs: null },
  ],
  [
    'a redirect is not followed, so that the key goes nowhere else',
    { status: 307, text: '', headers: { location: 'http://127.0.0.1:1/' } },
    { kind: 'refused', status: 307, why: 'the address is not that of a control plane' },
  ],
  [
    'refuses a page of another server',
    { status: 200, text: '<html>' },
    { kind: 'refused', status: 200, why: 'the address is not that of a control plane' },
  ],
];

for (const [what, answer, outcome] of cases) {
  it(what, async (t) => {
    const control = await startRegistrationServer(t);
    control.answerWith(answer);
    const registrar = openRegistrar({ controlUrl: control.url, token: 'gw-key', ca: null });
    t.after(registrar.close);
    const registration = { api_base: 'http://a/v1', node: 'h', name: 'n', ttl_seconds: 90 };
    const found = await registrar.register(registration, new AbortController().signal);
    assert.deepEqual(found, outcome);
  });
}
