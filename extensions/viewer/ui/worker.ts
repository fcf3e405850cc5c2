// The worker that reads, verifies and folds a log, so that the page stays responsive.

// Must run before any schema is created.
import './jitless.ts';
import { answer } from './log/answer.ts';
import type { Answer } from './log/answer.ts';
import { openExport } from './log/open-export.ts';
import type { OpenExport, Progress, Summary } from './log/open-export.ts';
import type { Trust } from '../../../events/export-check.ts';

export type Asked =
  | Readonly<{ kind: 'open'; files: readonly File[]; trust: Trust }>
  | Readonly<{ kind: 'ask'; id: number; address: string }>;

export type Said =
  | (Readonly<{ kind: 'progress' }> & Progress)
  | Readonly<{ kind: 'opened'; summary: Summary }>
  | Readonly<{ kind: 'failed'; message: string }>
  | (Readonly<{ kind: 'answer'; id: number }> & Omit<Answer, 'body'> & Readonly<{ text: string }>);

const say = (said: Said): void => postMessage(said);

let opened: OpenExport | null = null;

async function open({ files, trust }: Extract<Asked, { kind: 'open' }>): Promise<void> {
  opened = null;
  try {
    opened = await openExport(files, trust, (progress) => say({ kind: 'progress', ...progress }));
    say({ kind: 'opened', summary: opened.summary });
  } catch (error) {
    say({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
}

async function ask({ id, address }: Extract<Asked, { kind: 'ask' }>): Promise<void> {
  if (opened === null) return;
  const { body, ...head } = await answer(opened, address);
  say({ kind: 'answer', id, ...head, text: JSON.stringify(body) });
}

addEventListener('message', ({ data }: MessageEvent<Asked>) => {
  void (data.kind === 'open' ? open(data) : ask(data));
});
