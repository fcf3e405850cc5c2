// Reads and creates records through the API, so that tests check results on the server.

import assert from 'node:assert/strict';

import type { Server } from './server.ts';

type Sender = Pick<Server, 'send'>;
type Row = Readonly<Record<string, unknown>>;

export async function rows({ send }: Sender, path: string): Promise<readonly Row[]> {
  const { body } = await send('GET', path);
  assert.ok(Array.isArray(body), path);
  return body;
}

/** Undefined if there is none. */
export const rowNamed = async (server: Sender, path: string, name: string) =>
  (await rows(server, path)).find((row) => row['name'] === name);

export async function read({ send }: Sender, path: string): Promise<Row> {
  const { status, body } = await send('GET', path);
  assert.equal(status, 200, path);
  return { ...Object(body) };
}

/** Returns the created record. */
export async function make({ send }: Sender, path: string, body: unknown): Promise<Row> {
  const answer = await send('POST', path, body);
  assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
  return { ...Object(answer.body) };
}
