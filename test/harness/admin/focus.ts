// Exports usage as FOCUS CSV through the admin API.

import assert from 'node:assert/strict';

import type { testAdministrator } from './admin.ts';

type Administrator = Pick<Awaited<ReturnType<typeof testAdministrator>>, 'send'>;

export async function exportText({ send }: Administrator, query: string): Promise<string> {
  const { status, body, headers } = await send('GET', `/admin/usage/export?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.equal(typeof body, 'string');
  return String(body);
}
