// What the server has, asked and made beside the page: a test looks there for what came of what was done.

import assert from 'node:assert/strict';

import type { House } from './house.ts';

type Sender = Pick<House, 'send'>;
type Row = Readonly<Record<string, unknown>>;

export async function rows({ send }: Sender, path: string): Promise<readonly Row[]> {
  const { body } = await send('GET', path);
  assert.ok(Array.isArray(body), path);
  return body;
}

/** Undefined when there is none. */
export const rowNamed = async (house: Sender, path: string, name: string) =>
  (await rows(house, path)).find((row) => row['name'] === name);

export async function read({ send }: Sender, path: string): Promise<Row> {
  const { status, body } = await send('GET', path);
  assert.equal(status, 200, path);
  return { ...Object(body) };
}

/** Answers the record that was made. */
export async function make({ send }: Sender, path: string, body: unknown): Promise<Row> {
  const answer = await send('POST', path, body);
  assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
  return { ...Object(answer.body) };
}
