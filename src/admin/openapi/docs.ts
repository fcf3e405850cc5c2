// Serves Swagger UI for /openapi.json at /docs, from its npm package, so that nothing is loaded
// from other hosts
// (https://github.com/swagger-api/swagger-ui/blob/master/docs/usage/configuration.md).

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { z } from 'zod';

import { none, route } from '../http/route.ts';
import type { Route } from '../http/route.ts';

/** `img-src data:` allows the arrows in Swagger UI's style sheet. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

// Addresses are relative, for reverse proxies with a path prefix.
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>gw admin API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="docs/swagger-ui.css" />
  </head>
  <body>
    <div id="reference"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/** It would send the document to the validator of swagger.io. */
const start = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
});
`;

const packaged = (file: string) => (): Promise<Buffer> =>
  readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`)));

const written = (text: string) => async (): Promise<Buffer> => Buffer.from(text);

type Asset = Readonly<{
  path: string;
  operation: string;
  summary: string;
  mediaType: NonNullable<Route['mediaType']>;
  /** The start of the file. */
  example: string;
  read: () => Promise<Buffer>;
}>;

const assets: readonly Asset[] = [
  {
    path: '/docs',
    operation: 'getDocs',
    summary: 'Show this document as a page with a form for each operation',
    mediaType: 'text/html',
    example: '<!doctype html>',
    read: written(page),
  },
  {
    path: '/docs/start.js',
    operation: 'getDocsStart',
    summary: 'Get the start script of /docs',
    mediaType: 'text/javascript',
    example: 'SwaggerUIBundle({})',
    read: written(start),
  },
  {
    path: '/docs/swagger-ui-bundle.js',
    operation: 'getDocsScript',
    summary: 'Get the script of /docs',
    mediaType: 'text/javascript',
    example: '/*! For license information please see swagger-ui-bundle.js.LICENSE.txt */',
    read: packaged('swagger-ui-bundle.js'),
  },
  {
    path: '/docs/swagger-ui.css',
    operation: 'getDocsStyle',
    summary: 'Get the style sheet of /docs',
    mediaType: 'text/css',
    example: '.swagger-ui{}',
    read: packaged('swagger-ui.css'),
  },
];

export const docsRoutes: readonly Route<unknown>[] = assets.map(({ example, read, ...described }) =>
  route({
    ...described,
    method: 'GET',
    permission: 'open',
    refusals: [],
    params: none,
    query: none,
    body: none,
    response: z.string().meta({ examples: [example] }),
    handle: async () => ({
      headers: {
        'content-type': `${described.mediaType}; charset=utf-8`,
        'content-security-policy': contentSecurityPolicy,
      },
      bytes: await read(),
    }),
  }),
);
