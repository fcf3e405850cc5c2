// Serves the management UI ("What the service does" rule 8), built from ui/, from memory. Without a
// build, its paths return a plain text error.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Not in the OpenAPI document, because they are not part of the API. */
export const uiPaths: readonly string[] = ['/', '/ui', '/ui/*'];

type Asset = Readonly<{ bytes: Buffer; brotli: Buffer | null; type: string; etag: string }>;

export type Ui = Readonly<{
  /** Its relative addresses are as seen from /ui/. */
  index: string;
  /** By path below /ui/. Each name contains a content hash. */
  assets: ReadonlyMap<string, Asset>;
  /** A downloadable page that shows an export without a server. Null if it was not built. */
  viewer: Buffer | null;
}>;

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

const viewerName = 'viewer.html';

const built = path.join(import.meta.dirname, '../../ui/dist');

/**
 * Reads a complete build into memory, so that a later build in the same folder cannot mix with it.
 * Null if there is none.
 */
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

/** Allows only its own files. Only lit-html may have strings parsed as HTML. */
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
  // Revalidated on each request, because the page names the files of one build.
  'cache-control': 'no-cache',
};

/** Only for download. */
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

/**
 * A file is looked up by name, unless a browser navigates to the path: a record may have a name
 * such as `gpt.js`.
 */
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

/**
 * The relative path from the page to /ui/, so that any path prefix works. `below` is the path after
 * /ui/.
 */
const prefixOf = (below: string | undefined): string =>
  below === undefined ? './ui/' : './' + '../'.repeat(below.split('/').length - 1);
