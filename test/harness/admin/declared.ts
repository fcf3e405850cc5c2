// Plans, applies and exports declarative files over the admin API of a test.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { testAdministrator } from './admin.ts';
import type { TestAnswer } from './admin.ts';

const planned = z.object({
  plan: z.string(),
  changes: z.array(
    z.object({
      action: z.string(),
      list: z.string(),
      name: z.string(),
      id: z.int().nullable(),
      fields: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
      drift: z.object({ type: z.string(), actor: z.string().nullable() }).nullable(),
    }),
  ),
  adopted: z.int(),
  unmanaged: z.array(z.object({ list: z.string(), name: z.string() })),
  warnings: z.array(z.string()),
});
export type Planned = z.output<typeof planned>;

export const readPlan = (answer: TestAnswer): Planned => {
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return planned.parse(answer.body);
};

export async function declaring(t: TestContext) {
  const admin = await testAdministrator(t);
  const { send, plane } = admin;
  const plan = (resources: object, more: object = {}) =>
    send('POST', '/admin/configuration/plan', { resources, ...more });
  const apply = (resources: object, more: object = {}) =>
    send('POST', '/admin/configuration/apply', { resources, reason: 'commit 1', ...more });
  const exported = async () =>
    z
      .object({ resources: z.record(z.string(), z.unknown()) })
      .parse((await send('POST', '/admin/configuration/export', {})).body).resources;
  const position = (): number => plane.store.state().position;
  return { ...admin, plan, apply, exported, position };
}

/** The address of a webhook, and signing secrets. */
export const hook = 'https://hooks.example/a-secret-of-alerts';
export const signingSecret = (text: string): string =>
  `whsec_${Buffer.from(text.padEnd(32)).toString('base64')}`;
export const signing = signingSecret('first');
