// The management UI ("What the service does" rule 8). None is built into the program: its paths answer that, in plain text.

import type { FastifyInstance } from 'fastify';

/** No part of the API: they are not in its document. */
export const uiPaths: readonly string[] = ['/', '/ui', '/ui/*'];

const plain = 'text/plain; charset=utf-8';
const notAvailable = 'UI not available\n';

export function addUi(server: FastifyInstance): void {
  for (const url of uiPaths) {
    server.get(url, (_request, reply) => reply.code(404).type(plain).send(notAvailable));
  }
}
