// Reads the body of a request that Node's parser received.

import type { IncomingMessage } from 'node:http';

import { BodyCollector, refuseBody } from './body.ts';
import type { BodyBounds } from './body.ts';
import type { BodyResult } from './boundary.ts';

const none: BodyResult = { kind: 'bytes', bytes: Buffer.alloc(0) };
const gone: BodyResult = { kind: 'gone' };

/** `ask` is called when the body is needed, because some clients wait for that. */
export function readIncomingBody(
  request: IncomingMessage,
  fields: ReadonlyMap<string, string>,
  bounds: BodyBounds & Readonly<{ ask: () => void }>,
): Promise<BodyResult> {
  const header = fields.get('content-length');
  const declared = header === undefined ? null : Number(header);
  if (declared === null && !fields.has('transfer-encoding')) return Promise.resolve(none);
  const refusal = refuseBody(declared, bounds);
  if (refusal !== null) return Promise.resolve(refusal);
  return new Promise((resolve) => {
    const collector = new BodyCollector(bounds, declared);
    const onData = (chunk: Buffer): void => {
      const refused = collector.add(chunk);
      if (refused === null) return;
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      resolve(refused);
    };
    const onEnd = (): void => resolve(collector.complete());
    /** Also called after the end, without effect. */
    const onClose = (): void => resolve(gone);
    bounds.ask();
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}
