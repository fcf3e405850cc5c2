// Sends mutations and reads at a fixed rate and measures each from the time when it was due, so a slow server does
// not reduce the load.

import { Agent, request } from 'node:http';

export type Answered = Readonly<{
  status: number;
  body: string;
  headers: Readonly<Record<string, unknown>>;
}>;

export type Connection = Readonly<{
  send: (method: string, path: string, body?: unknown) => Promise<Answered>;
  close: () => void;
}>;

type Credential = Readonly<{ cookie: string }> | Readonly<{ authorization: string }>;

/** A client with this credential and persistent connections. */
export function connect(adminUrl: string, credential: Credential): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const send = (method: string, path: string, body?: unknown): Promise<Answered> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    const headers: Record<string, string> = { ...credential };
    if (text !== undefined) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = String(Buffer.byteLength(text));
    }
    const outgoing = request(new URL(path, adminUrl), { method, agent, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => void chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          body: Buffer.concat(chunks).toString('utf8'),
          headers: incoming.headers,
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(text);
    return promise;
  };
  return { send, close: () => agent.destroy() };
}

export type Measured = Readonly<{
  /** Milliseconds from the due time of each request to its answer, ascending. */
  durations: readonly number[];
  /** The number of answers by status other than 2xx; 0 is a broken connection. */
  failures: ReadonlyMap<number, number>;
  /** The time from the first due request to the last answer. */
  seconds: number;
}>;

type Load = Readonly<{
  perSecond: number;
  seconds: number;
  send: (index: number) => Promise<Answered>;
}>;

/** An open loop: request `index` is due `index / perSecond` seconds after the start, independently of the others. */
export async function sendAtRate({ perSecond, seconds, send }: Load): Promise<Measured> {
  const durations: number[] = [];
  const failures = new Map<number, number>();
  const running: Promise<void>[] = [];
  const startedAt = performance.now();
  const count = Math.floor(perSecond * seconds);
  const one = async (index: number): Promise<void> => {
    const dueAt = startedAt + (index * 1000) / perSecond;
    const status = await send(index).then(
      (answered) => answered.status,
      () => 0,
    );
    durations.push(performance.now() - dueAt);
    if (status < 200 || status > 299) failures.set(status, (failures.get(status) ?? 0) + 1);
  };
  for (let sent = 0; sent < count;) {
    const due = Math.min(
      count,
      Math.floor(((performance.now() - startedAt) * perSecond) / 1000) + 1,
    );
    for (; sent < due; sent++) running.push(one(sent));
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
  await Promise.all(running);
  return {
    durations: durations.toSorted((a, b) => a - b),
    failures,
    seconds: (performance.now() - startedAt) / 1000,
  };
}

/** The duration that this share of requests did not exceed. */
export const quantile = ({ durations }: Measured, share: number): number =>
  durations[Math.min(durations.length - 1, Math.floor(durations.length * share))] ?? 0;
