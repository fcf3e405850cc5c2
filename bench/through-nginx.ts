// Sends damaged requests, and requests that hide another, through nginx to the gateway's listener. nginx marks
// each request that it forwards, so a request without exactly one mark was hidden in another.
// `node bench/through-nginx.ts [--requests 12000] [--seed 1]`

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import * as fc from 'fast-check';

import type { Exchange } from '../src/gateway/transport/boundary.ts';
import { cut } from '../test/harness/bytes/answer-bytes.ts';
import { requestBytes } from '../test/harness/bytes/request-bytes.ts';
import { smuggled } from '../test/harness/bytes/smuggling.ts';
import { sendPieces, startListener } from '../test/harness/gateway/listener.ts';
import { findNginx } from './gateway/nginx.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '12000' },
    seed: { type: 'string', default: '1' },
  },
});

const startMsMax = 10_000;
/** Connections at the same time. */
const senders = 16;

const seen = { forwarded: 0, unmarked: 0, doubled: 0 };
const take = async (exchange: Exchange): Promise<void> => {
  seen.forwarded++;
  const mark = exchange.anyHeader('x-front');
  if (mark === undefined) seen.unmarked++;
  else if (mark !== 'nginx') seen.doubled++;
  const body = await exchange.readBody();
  if (body.kind !== 'gone') exchange.answer(200, [], exchange.method === 'HEAD' ? '' : 'ok');
};

const program = findNginx((line) => console.error(line));
if (program === null) throw new Error('nginx is not installed');
await using listener = await startListener((exchange) => void take(exchange));
const home = mkdtempSync(join(tmpdir(), 'gw-nginx-'));
mkdirSync(join(home, 'logs'));
const ports = [await freePort(), await freePort()];
writeFileSync(join(home, 'nginx.conf'), configuration());
const child = spawn(program, ['-e', 'stderr', '-p', home, '-c', 'nginx.conf'], { stdio: 'ignore' });
const ended = once(child, 'exit');
try {
  for (const port of ports) await listening(port);
  const count = Number(values.requests);
  const inputs = fc.sample(fc.tuple(requestBytes, fc.array(fc.nat(300), { maxLength: 4 })), {
    numRuns: count,
    seed: Number(values.seed),
  });
  const all = [
    ...smuggled.map((text) => [Buffer.from(text, 'latin1')] as const),
    ...inputs.map(([bytes, cuts]) => cut(bytes, cuts)),
  ];
  let next = 0;
  const send = async (): Promise<void> => {
    for (let index = next++; index < all.length; index = next++) {
      await sendPieces(ports[index % ports.length] ?? 0, all[index] ?? []);
    }
  };
  await Promise.all(Array.from({ length: senders }, send));
  console.log(`${all.length} connections: ${JSON.stringify(seen)}`);
  if (seen.forwarded === 0 || seen.unmarked + seen.doubled > 0) process.exitCode = 1;
} finally {
  child.kill();
  await ended;
  rmSync(home, { recursive: true, force: true });
}

/** One server passes bodies on as they arrive, the other reads them first. */
function configuration(): string {
  const servers = ports.map(
    (port, index) => `server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://listener;
      proxy_http_version 1.1;
      proxy_set_header connection "";
      proxy_set_header x-front nginx;
      proxy_ignore_client_abort on;
      proxy_request_buffering ${index === 0 ? 'off' : 'on'};
    }
  }`,
  );
  return `daemon off;
master_process off;
pid nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  upstream listener { server 127.0.0.1:${listener.port}; keepalive 4; }
  ${servers.join('\n  ')}
}
`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function listening(port: number): Promise<void> {
  const deadline = performance.now() + startMsMax;
  for (;;) {
    const socket = connect({ port, host: '127.0.0.1' });
    try {
      await once(socket, 'connect');
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await wait(50);
    } finally {
      socket.destroy();
    }
  }
}
