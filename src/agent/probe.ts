// Requests the model list of a candidate. Only a model list counts as an answer.

import { Agent, request } from 'undici';

import { readServed } from './model-list.ts';
import type { Served } from './model-list.ts';

/** Null if no model server answers. Never rejects. */
export type Probe = (apiBase: string, signal: AbortSignal) => Promise<Served | null>;

const probeMs = 5_000;
/** The longest known model list is under 1 MiB. */
const listBytesMax = 4 * 1024 * 1024;

export function openProbe(): Readonly<{ probe: Probe; close: () => Promise<void> }> {
  const dispatcher = new Agent({ connect: { timeout: probeMs }, maxResponseSize: listBytesMax });
  return {
    probe: async (apiBase, signal) => {
      try {
        return await ask(apiBase, { dispatcher, signal });
      } catch {
        // No model server answers.
        return null;
      }
    },
    close: () => dispatcher.destroy(),
  };
}

type Connection = Readonly<{ dispatcher: Agent; signal: AbortSignal }>;

async function ask(apiBase: string, { dispatcher, signal }: Connection): Promise<Served | null> {
  const { statusCode, body } = await request(`${apiBase}/models`, {
    dispatcher,
    headers: { accept: 'application/json' },
    headersTimeout: probeMs,
    bodyTimeout: probeMs,
    signal: AbortSignal.any([signal, AbortSignal.timeout(probeMs)]),
  });
  if (statusCode !== 200) {
    // A truncated body emits an error, which would end the process without a listener.
    body.on('error', () => undefined).destroy();
    return null;
  }
  return readServed(await body.text());
}
