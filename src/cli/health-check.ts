// Checks whether the listeners of a process on this machine are ready, for containers without another HTTP client.

import { Agent, request } from 'undici';

import type { SettingValues } from './settings/settings-table.ts';

export type CheckedSettings = Pick<
  SettingValues,
  'role' | 'host' | 'port' | 'adminPort' | 'tlsCert'
>;

export type Checked = Readonly<{ url: string; isReady: boolean; result: string }>;

const answerMs = 3_000;

export function readinessUrls({
  role,
  host,
  port,
  adminPort,
  tlsCert,
}: CheckedSettings): readonly string[] {
  const own = ownAddress(host);
  const gateway = `http://${own}:${port}/readyz`;
  const admin = `${tlsCert === null ? 'http' : 'https'}://${own}:${adminPort}/readyz`;
  switch (role) {
    case 'proxy':
      return [gateway];
    case 'control':
      return [admin];
    case 'all':
      return [gateway, admin];
  }
}

/** A listener on all addresses also listens on loopback. */
function ownAddress(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

export async function checkReadiness(urls: readonly string[]): Promise<readonly Checked[]> {
  // No secret is sent, and no certificate names a loopback address.
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false, timeout: answerMs } });
  try {
    return await Promise.all(urls.map((url) => check(url, dispatcher)));
  } finally {
    await dispatcher.destroy();
  }
}

async function check(url: string, dispatcher: Agent): Promise<Checked> {
  try {
    const signal = AbortSignal.timeout(answerMs);
    const { statusCode, body } = await request(url, { dispatcher, signal });
    await body.dump();
    return { url, isReady: statusCode === 200, result: String(statusCode) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer';
    return { url, isReady: false, result: code };
  }
}
