// A proxy as a process of its own, which follows a control plane and asks it for the configuration each second.

import type { TestContext } from 'node:test';

import { z } from 'zod';

import { proxyToken } from './control-program.ts';
import { startProgram } from './program.ts';
import type { Program } from './program.ts';

type Given = Readonly<{
  controlUrl: string;
  /** Its copy of the snapshot on disk; none when absent. */
  cache?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
}>;

const started = z.object({ url: z.string() });

/** It listens when this returns. */
export async function startProxyProgram(
  test: Pick<TestContext, 'after'>,
  { controlUrl, cache = '/dev/null/none', args = [], env }: Given,
): Promise<Program & Readonly<{ url: string }>> {
  const follow = ['--control-url', controlUrl, '--config-poll', '1', '--snapshot-cache', cache];
  const program = startProgram(test, {
    args: ['--role', 'proxy', '--port', '0', ...follow, ...args],
    env: { GW_PROXY_TOKEN: proxyToken, ...env },
  });
  return { ...program, ...started.parse(await program.logged('gateway started')) };
}
