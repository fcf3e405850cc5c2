// Serves the documentation site at /help: the pages of `docs`, built by scripts/build-help.ts.
// Reads files from disk for each request, because the site is rarely read and its pictures are
// large.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

import type { FastifyInstance, FastifyReply } from 'fastify';

/** Not in the OpenAPI document, because they are not part of the API. */
export const helpPaths: readonly string[] = ['/help', '/help/*'];

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.webp': 'image/webp',
};

/** `help` in a checkout, or in `dist` of the npm package. */
export const helpFolder = path.join(import.meta.dirname, '../../help');

const notBuilt = 'The documentation is not built. Run `npm run docs:build`, then restart gw.\n';

export function addHelp(server: FastifyInstance, folder: string | null): void {
  const files = filesOf(folder);
  // The relative addresses of the pages require the trailing slash.
  server.get('/help', (_request, reply) => reply.redirect('help/', 308));
  server.get<{ Params: { '*': string } }>('/help/*', async ({ params }, reply) => {
    const name =
      params['*'] === '' || params['*'].endsWith('/') ? `${params['*']}index.html` : params['*'];
    const known = files.has(name) ? name : `${name}.html`;
    if (folder === null || files.size === 0) return sendPlain(reply, notBuilt);
    if (!files.has(known)) return sendPlain(reply, 'Page not found. Start at /help/.\n');
    return sendFile(reply, known, await readFile(path.join(folder, known)));
  });
}

/** Prevents path traversal. */
function filesOf(folder: string | null): ReadonlySet<string> {
  if (folder === null || !existsSync(path.join(folder, 'index.html'))) return new Set();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Set(
    names
      .filter((name) => path.extname(name) in types)
      .map((name) => name.replaceAll(path.sep, '/')),
  );
}

function sendFile(reply: FastifyReply, name: string, bytes: Buffer): FastifyReply {
  reply.header('content-type', types[path.extname(name)] ?? '');
  if (!name.endsWith('.html')) {
    // Asset names contain a content hash.
    return reply.header('cache-control', 'public, max-age=31536000, immutable').send(bytes);
  }
  return reply
    .headers({ 'content-security-policy': policyOf(bytes.toString()), 'cache-control': 'no-cache' })
    .send(bytes);
}

/**
 * Allows the site's own files and, by hash, its inline scripts, which set the theme before first
 * paint.
 */
function policyOf(page: string): string {
  const inline = [...page.matchAll(/<script(?: id="[\w-]+")?>(.*?)<\/script>/gs)];
  const hashes = inline.map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const sendPlain = (reply: FastifyReply, text: string): FastifyReply =>
  reply.code(404).type('text/plain; charset=utf-8').send(text);
