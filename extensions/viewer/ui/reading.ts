// Holds the open file and its worker. API calls of the screens go to the worker instead of a server.

import workerText from '#worker?text';

import { transport } from '../../../ui/api/http/transport.ts';
import { createStore } from '../../../ui/lib/page/store.ts';
import type { Store } from '../../../ui/lib/page/store.ts';
import { apiBase } from '../../../ui/state/base.ts';
import { sessionOpened } from '../../../ui/state/session.ts';
import type { Progress, Summary } from './log/open-export.ts';
import type { Trust } from '../../../events/export-check.ts';
import type { Asked, Said } from './worker.ts';

export type Reading =
  | Readonly<{ status: 'none'; failure: string | null }>
  | Readonly<{ status: 'reading'; progress: Progress }>
  | Readonly<{ status: 'open'; summary: Summary; files: readonly File[] }>;

export const reading: Store<Reading> = createStore<Reading>({ status: 'none', failure: null });

const begun: Progress = { what: '', position: 0, done: 0 };

/** Another file replaces the open one. */
export function openFiles(files: readonly File[], trust: Trust): void {
  const worker = startWorker();
  const waiting = new Map<number, (response: Response) => void>();
  let asked = 0;
  const tell = (message: Asked): void => worker.postMessage(message, { transfer: [] });
  reading.set({ status: 'reading', progress: begun });
  transport.set(async (url, { signal }) => {
    signal?.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<Response>();
    asked += 1;
    waiting.set(asked, resolve);
    tell({ kind: 'ask', id: asked, address: `/${url.slice(apiBase.length)}` });
    return promise;
  });
  worker.addEventListener('error', ({ message }) => fail(message));
  worker.addEventListener('message', ({ data }: MessageEvent<Said>) => {
    switch (data.kind) {
      case 'progress':
        reading.set({ status: 'reading', progress: data });
        return;
      case 'opened':
        // The holder of the file has all read permissions, and no write permissions.
        sessionOpened({ id: 0, name: '', permissions: ['usage:read'] });
        reading.set({ status: 'open', summary: data.summary, files });
        return;
      case 'failed':
        fail(data.message);
        return;
      case 'answer':
        waiting.get(data.id)?.(new Response(data.text, data));
        waiting.delete(data.id);
    }
  });
  tell({ kind: 'open', files, trust });
}

export const closeFiles = (): void => end(null);

const fail = (failure: string): void => end(failure);

function end(failure: string | null): void {
  running.get()?.terminate();
  running.set(null);
  reading.set({ status: 'none', failure });
}

const running: Store<Worker | null> = createStore<Worker | null>(null);

type Policy = Readonly<{ createScriptURL: (url: string) => string }>;
type Policies = Readonly<{ createPolicy: (name: string, rules: Policy) => Policy }>;

/** Created once, because the content security policy allows only the worker in this page. */
const addressOfWorker = once(() => {
  const own = URL.createObjectURL(new Blob([workerText], { type: 'text/javascript' }));
  const policies: Policies | undefined = Reflect.get(globalThis, 'trustedTypes');
  const policy = policies?.createPolicy('gw-viewer', { createScriptURL: () => own });
  return policy?.createScriptURL(own) ?? own;
});

function startWorker(): Worker {
  running.get()?.terminate();
  const worker = new Worker(addressOfWorker());
  running.set(worker);
  return worker;
}

function once<Value>(make: () => Value): () => Value {
  let made: Readonly<{ value: Value }> | null = null;
  return () => (made ??= { value: make() }).value;
}
