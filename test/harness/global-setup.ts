// Starts one Postgres for a whole run of the tests and tells each test file where it is, by environment variable.

import { serverVariable, startTestServer, templateVariable } from './postgres.ts';
import type { TestServer } from './postgres.ts';

let server: TestServer | null = null;

export async function globalSetup(): Promise<void> {
  server = await startTestServer();
  process.env[serverVariable] = server.url;
  process.env[templateVariable] = server.template;
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
  server = null;
}
