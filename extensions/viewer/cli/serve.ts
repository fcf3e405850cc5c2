// Serves the viewer and the opened files to browsers on this machine only.

import { createReadStream, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream';

import { refuse } from '../../../src/lib/refusal.ts';
import type { Refusal } from '../../../src/lib/refusal.ts';

/** By the name under which the page requests them. */
export type Viewed = Readonly<{
  files: ReadonlyMap<string, string>;
  /** Stored checkpoints (notes). */
  anchors: readonly string[];
  /** A trusted audit key, 64 hex digits. */
  key: string | null;
  /** 0 selects a free port. */
  port: number;
}>;

export type ViewServer = Readonly<{ url: string; close: () => Promise<void> }>;

const page = path.join(import.meta.dirname, '../../../ui/dist/viewer.html');

/** Refuses if the UI is not built. */
export function readViewer(): string | Refusal {
  try {
    return readFileSync(page, 'utf8');
  } catch {
    return refuse('absent', `the viewer is not built: ${page} does not exist (npm run build:ui)`);
  }
}

const headers = {
  'cache-control': 'no-store',
  // Additional headers, stricter than the page's own policy.
  'content-security-policy': "frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** `html` is the viewer. */
export async function serveViewer(html: string, viewed: Viewed): Promise<ViewServer> {
  const server = createServer((request, response) => {
    void answer({ html, viewed, hosts: hostsOf(server.address()) }, request, response);
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(viewed.port, loopback, resolve);
  await promise;
  const [host = ''] = hostsOf(server.address());
  return {
    url: `http://${host}/${queryOf(viewed)}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

const loopback = '127.0.0.1';

/** The host names of this machine. Other names are refused, which prevents DNS rebinding. */
function hostsOf(address: ReturnType<ReturnType<typeof createServer>['address']>): string[] {
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return [`${loopback}:${port}`, `localhost:${port}`];
}

function queryOf({ files, key, anchors }: Viewed): string {
  const query = new URLSearchParams(
    [...files.keys()].map((name): [string, string] => ['file', name]),
  );
  if (key !== null) query.set('key', key);
  if (anchors.length > 0) query.set('kept', '1');
  return `?${query.toString()}`;
}

type Serving = Readonly<{ html: string; viewed: Viewed; hosts: readonly string[] }>;

async function answer(
  { html, viewed, hosts }: Serving,
  { method, headers: { host = '' }, url = '' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [pathname = ''] = url.split('?');
  const send = (type: string, text: string): unknown =>
    response.writeHead(200, { ...headers, 'content-type': type }).end(text);
  if (method !== 'GET' || !hosts.includes(host)) return sendPlain(response, 403, 'refused\n');
  if (pathname === '/') return void send('text/html; charset=utf-8', html);
  if (pathname === '/kept') {
    const lines = viewed.anchors.map((checkpoint) => `${JSON.stringify({ checkpoint })}\n`);
    return void send('application/x-ndjson', lines.join(''));
  }
  const [, name = ''] = /^\/files\/([^/]+)$/.exec(pathname) ?? [];
  // Exactly as requested, without decoding.
  const [, file] = [...viewed.files].find(([known]) => encodeURIComponent(known) === name) ?? [];
  const found = file === undefined ? null : await stat(file).catch(() => null);
  if (file === undefined || found === null) return sendPlain(response, 404, 'file not found\n');
  const type = { 'content-type': 'application/octet-stream', 'content-length': found.size };
  response.writeHead(200, { ...headers, ...type });
  // Ends the response if the browser disconnects.
  pipeline(createReadStream(file, { end: Math.max(0, found.size - 1) }), response, () => {});
}

const sendPlain = (response: ServerResponse, status: number, text: string): void =>
  void response.writeHead(status, { ...headers, 'content-type': 'text/plain' }).end(text);
