// Asks a candidate for its model list. A model server is there when it answers with one; everything else is no answer.

import { Agent, request } from 'undici';

import { readServed } from './model-list.ts';
import type { Served } from './model-list.ts';

/** Null when no model server answers there. Never rejects. */
export type Probe = (apiBase: string, signal: AbortSignal) => Promise<Served | null>;

const probeMs = 5_000;
/** The longest public model list is under 1 MiB. */
const listBytesMax = 4 * 1024 * 1024;

export function openProbe(): Readonly<{ probe: Probe; close: () => Promise<void> }> {
  const dispatcher = new Agent({ connect: { timeout: probeMs }, maxResponseSize: listBytesMax });
  return {
    probe: async (apiBase, signal) => {
      try {
        return await ask(apiBase, { dispatcher, signal });
      } catch {
        // Whoever listens there, or nobody: the candidate is none.
        return null;
      }
    },
    close: () => dispatcher.destroy(),
  };
}

type Asking = Readonly<{ dispatcher: Agent; signal: AbortSignal }>;

async function ask(apiBase: string, { dispatcher, signal }: Asking): Promise<Served | null> {
  const { statusCode, body } = await request(`${apiBase}/models`, {
    dispatcher,
    headers: { accept: 'application/json' },
    headersTimeout: probeMs,
    bodyTimeout: probeMs,
    signal: AbortSignal.any([signal, AbortSignal.timeout(probeMs)]),
  });
  if (statusCode !== 200) {
    // A body that is cut short reports it; without a listener that would end the process.
    body.on('error', () => undefined).destroy();
    return null;
  }
  return readServed(await body.text());
}
