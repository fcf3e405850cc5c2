// Starts a proxy in its own process that polls a control plane for the configuration every second.

import type { TestContext } from 'node:test';

import { z } from 'zod';

import { proxyToken } from './control-program.ts';
import { startProgram } from './program.ts';
import type { Program } from './program.ts';

type Given = Readonly<{
  controlUrl: string;
  /** The path of its snapshot cache; no cache by default. */
  cache?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** The program file; this release by default. */
  file?: string;
}>;

const started = z.object({ url: z.string() });

/** Returns once the proxy listens. */
export async function startProxyProgram(
  test: Pick<TestContext, 'after'>,
  { controlUrl, cache = '/dev/null/none', args = [], env, file }: Given,
): Promise<Program & Readonly<{ url: string }>> {
  const follow = ['--control-url', controlUrl, '--config-poll', '1', '--snapshot-cache', cache];
  const program = startProgram(test, {
    file,
    args: ['--role', 'proxy', '--port', '0', ...follow, ...args],
    env: { GW_PROXY_TOKEN: proxyToken, ...env },
  });
  return { ...program, ...started.parse(await program.logged('gateway started')) };
}
