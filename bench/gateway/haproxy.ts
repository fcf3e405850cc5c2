// Runs haproxy as a candidate: one process with one thread, which reuses connections to the upstream.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { findProgram } from './nginx.ts';

export const findHaproxy = (say: (line: string) => void): string | null =>
  findProgram('haproxy', 'GW_BENCH_HAPROXY', say);

/** Writes the configuration and returns the arguments for it. */
export function haproxyArguments(
  directory: string,
  { port, upstreamPort }: Readonly<{ port: number; upstreamPort: number }>,
): readonly string[] {
  const file = join(directory, 'haproxy.cfg');
  writeFileSync(file, configuration(port, upstreamPort));
  return ['-V', '-db', '-f', file];
}

/** haproxy says which poller it uses, and then serves. */
export const haproxyReady = /^Using \w+\(\) as the polling mechanism/;

const configuration = (port: number, upstreamPort: number): string => `
global
  nbthread 1
  maxconn 9000
defaults
  mode http
  timeout connect 5s
  timeout client 600s
  timeout server 600s
  option http-no-delay
listen models
  bind 127.0.0.1:${port}
  http-reuse always
  server upstream 127.0.0.1:${upstreamPort} pool-max-conn 8192
`;
