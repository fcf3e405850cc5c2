// Starts the control planes of a benchmark on one database, with a balancer in front, and kills one of them regularly.

import { connect as dial, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { connect } from '../control/load.ts';
import type { Connection } from '../control/load.ts';
import { loggedIn, prepareDatabase, startServer } from '../control/server.ts';
import type { Server } from '../control/server.ts';

const killMs = 10_000;

export type Controls = Readonly<{
  /** The address of the balancer. */
  url: string;
  /** An administrator at the first control plane. */
  admin: Connection;
  pids: () => readonly number[];
  /** Kills one control plane after another until then, and starts it again. Returns how many. */
  killUntil: (untilMs: number) => Promise<number>;
  end: () => Promise<void>;
}>;

export async function startControls(databaseUrl: string, count: number): Promise<Controls> {
  await prepareDatabase(databaseUrl, async () => {});
  const start = () => startServer(databaseUrl);
  const controls = await Promise.all(Array.from({ length: count }, start));
  const [first] = controls;
  if (first === undefined) throw new Error('no control plane');
  const admin = connect(first.adminUrl, { cookie: await loggedIn(first.adminUrl) });
  const balancer = await startBalancer(controls);
  return {
    url: balancer.url,
    admin,
    pids: () => controls.map(({ pid }) => pid),
    killUntil: async (untilMs) => {
      let killed = 0;
      while (Date.now() < untilMs - killMs) {
        await sleep(killMs);
        const at = killed % controls.length;
        process.kill(controls[at]?.pid ?? 0, 'SIGKILL');
        killed += 1;
        controls[at] = await start();
      }
      return killed;
    },
    end: async () => {
      admin.close();
      balancer.close();
      await Promise.all(controls.map(({ end }) => end()));
    },
  };
}

/** A balancer: each connection goes to the next control plane, and ends with it. */
async function startBalancer(controls: readonly Server[]) {
  let next = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const to = new URL(controls[next++ % controls.length]?.adminUrl ?? '');
    const upstream = dial(Number(to.port), to.hostname);
    for (const [from, into] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      open.add(from);
      from.on('error', () => into.destroy());
      from.on('close', () => {
        open.delete(from);
        into.destroy();
      });
      from.pipe(into);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: (): void => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
