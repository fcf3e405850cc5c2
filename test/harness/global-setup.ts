// Starts one Postgres server for the whole test run, when the first test requests it. Test files
// find the socket that returns its address in an environment variable.

import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';

import { setupVariable, startTestServer } from './postgres/postgres.ts';
import type { TestServer } from './postgres/postgres.ts';

let server: Promise<TestServer> | null = null;

const askedAt = path.join(os.tmpdir(), `gw-tests-${process.pid}.sock`);
const setup = createServer((socket) => void answer(socket)).unref();

export async function globalSetup(): Promise<void> {
  await rm(askedAt, { force: true });
  await once(setup.listen(askedAt), 'listening');
  process.env[setupVariable] = askedAt;
}

export async function globalTeardown(): Promise<void> {
  setup.close();
  await (await server?.catch(() => null))?.stop();
}

/** Sends the address as JSON, or the reason for the failure. */
async function answer(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  try {
    socket.end(JSON.stringify(await (server ??= startTestServer())));
  } catch (error) {
    socket.end(JSON.stringify({ error: String(error) }));
  }
}
