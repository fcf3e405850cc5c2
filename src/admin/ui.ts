// The management UI ("What the service does" rule 8): files built from ui/, served from memory. Without a build its paths answer
// that there is none, in plain text.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** No part of the API: they are not in its document. */
export const uiPaths: readonly string[] = ['/', '/ui', '/ui/*'];

type Asset = Readonly<{ bytes: Buffer; brotli: Buffer | null; type: string; etag: string }>;

export type Ui = Readonly<{
  /** Its addresses begin with `./`, as seen from /ui/. */
  index: string;
  /** By the path below /ui/. Each name holds a hash of its content. */
  assets: ReadonlyMap<string, Asset>;
  /** The page that shows an export without a server, to be kept; null where it is not built. */
  viewer: Buffer | null;
}>;

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

const viewerName = 'viewer.html';

const built = path.join(import.meta.dirname, '../../ui/dist');

/** Reads a build whole, so that a later one in its place cannot mix with it; null when there is none. */
export function readUi(folder: string = built): Ui | null {
  const index = path.join(folder, 'index.html');
  if (!existsSync(index)) return null;
  const assets = readdirSync(path.join(folder, 'assets'))
    .filter((name) => path.extname(name) in types)
    .map((name) => [`assets/${name}`, readAsset(path.join(folder, 'assets', name))] as const);
  const viewer = path.join(folder, viewerName);
  return {
    index: readFileSync(index, 'utf8'),
    assets: new Map(assets),
    viewer: existsSync(viewer) ? readFileSync(viewer) : null,
  };
}

function readAsset(file: string): Asset {
  const bytes = readFileSync(file);
  const compressed = `${file}.br`;
  return {
    bytes,
    brotli: existsSync(compressed) ? readFileSync(compressed) : null,
    type: types[path.extname(file)] ?? '',
    etag: etagOf(bytes),
  };
}

const etagOf = (bytes: string | Uint8Array): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;

/** Only its own files, and no text that becomes code but the templates of lit-html. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
].join('; ');

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy,
  // Held, but asked for again each time: it names the files of one build.
  'cache-control': 'no-cache',
};

/** It is for the disk of whoever has an export, and is not shown here. */
const keptHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-disposition': 'attachment; filename="gw-viewer.html"',
};

const immutable = { 'cache-control': 'public, max-age=31536000, immutable' };

export function addUi(server: FastifyInstance, ui: Ui | null): void {
  for (const url of uiPaths) {
    server.get<{ Params: { '*'?: string } }>(url, (request, reply) =>
      ui === null ? sendPlain(reply, 'UI not available\n') : sendUi(ui, request, reply),
    );
  }
}

function sendUi(
  ui: Ui,
  request: FastifyRequest<{ Params: { '*'?: string } }>,
  reply: FastifyReply,
): FastifyReply {
  const below = request.params['*'];
  const asset = ui.assets.get(below ?? '');
  if (asset !== undefined) return sendAsset(asset, request, reply);
  if (below === viewerName && ui.viewer !== null) {
    return reply.headers(keptHeaders).send(ui.viewer);
  }
  if (isFile(below ?? '', request)) return sendPlain(reply, 'file not found\n');
  const page = ui.index.replaceAll('"./', `"${prefixOf(below)}`);
  reply.headers({ ...pageHeaders, etag: etagOf(page) });
  return isHeld(request, etagOf(page)) ? reply.code(304).send() : reply.send(page);
}

/** Not a place of the UI: a file by its name, unless a browser navigates to it, as to the model `gpt.js`. */
const isFile = (below: string, { headers }: FastifyRequest): boolean =>
  below.startsWith('assets/') ||
  (/\.(?:js|mjs|css|map|json|svg|png|ico|webp|woff2?|txt|webmanifest)$/.test(below) &&
    !/\btext\/html\b/.test(headers.accept ?? ''));

function sendAsset(asset: Asset, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ ...immutable, etag: asset.etag, vary: 'accept-encoding' });
  if (isHeld(request, asset.etag)) return reply.code(304).send();
  reply.header('content-type', asset.type);
  const takesBrotli = /\bbr\b/.test(request.headers['accept-encoding'] ?? '');
  if (!takesBrotli || asset.brotli === null) return reply.send(asset.bytes);
  return reply.header('content-encoding', 'br').send(asset.brotli);
}

const sendPlain = (reply: FastifyReply, text: string): FastifyReply =>
  reply.code(404).type('text/plain; charset=utf-8').send(text);

const isHeld = ({ headers }: FastifyRequest, etag: string): boolean =>
  (headers['if-none-match'] ?? '').split(/, */).includes(etag);

/** From the page's address to /ui/, so that no path before it has to be known. `below` is what stands behind /ui/. */
const prefixOf = (below: string | undefined): string =>
  below === undefined ? './ui/' : './' + '../'.repeat(below.split('/').length - 1);
