// Sends one request to a candidate before the measurement. Its answer must be equal to the upstream's, and every
// measured answer is then compared with it.

import { deepStrictEqual } from 'node:assert';

import { request } from 'undici';
import { z } from 'zod';

import type { Candidate } from './candidates.ts';
import { keys } from './config.ts';
import { answerBody, isStreamed, requestBody, streamEvents } from './workload.ts';
import type { Workload } from './workload.ts';

/** Complete requests as sent over the wire, one for each key. */
export function requestsOnWire(candidate: Candidate, workload: Workload): readonly Buffer[] {
  const { path, model, headers } = candidate.ask(workload.kind);
  const body = requestBody(workload, model);
  return keys.map((key) => {
    const all = { host: `127.0.0.1:${candidate.port}`, ...headers, ...headersOf(key, body) };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
  });
}

const headersOf = (key: string, body: Buffer) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  accept: '*/*',
  'user-agent': 'gw-bench',
  'content-length': String(body.length),
});

/** Sends one request and returns the bytes that every answer must have. */
export async function probe(candidate: Candidate, workload: Workload): Promise<Buffer> {
  const { path, model, headers } = candidate.ask(workload.kind);
  const body = requestBody(workload, model);
  const { statusCode, body: answer } = await request(`http://127.0.0.1:${candidate.port}${path}`, {
    method: 'POST',
    headers: { ...headers, ...headersOf(keys[0] ?? '', body) },
    body,
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const where = `${candidate.name} at ${workload.name}`;
  if (statusCode !== 200) throw new Error(`${where} answers ${statusCode}: ${bytes.toString()}`);
  const original = answerBody(workload.kind);
  if (candidate.isVerbatim) deepStrictEqual(bytes, original, `${where} changes the answer`);
  else deepStrictEqual(meaning(bytes, workload), meaning(original, workload), where);
  return bytes;
}

const said = z.object({ choices: z.array(z.unknown()), usage: z.unknown().optional() });

/** The choices and usage of each message, as a client reads them. */
function meaning(body: Buffer, { kind }: Workload): readonly unknown[] {
  const text = body.toString();
  if (!isStreamed(kind)) return [said.parse(JSON.parse(text))];
  const events = text.split('\n\n').filter((event) => event !== '');
  const data = events.map((event) => event.replace(/^data: /, ''));
  deepStrictEqual([data.length, data.at(-1)], [streamEvents + 1, '[DONE]']);
  return data.slice(0, -1).map((event) => said.parse(JSON.parse(event)));
}
