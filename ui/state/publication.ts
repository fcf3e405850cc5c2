// Notifies about a save: its version, how many replicas serve it, and Undo.

import { call } from '../api/http/call.ts';
import { tellChanged } from './changed.ts';
import { formatCount } from '../lib/text/format.ts';
import { notify, tellOf } from './toasts.ts';
import { undo } from './undo.ts';

const askMs = 1_000;
const asksMax = 30;

type Published = Readonly<{
  text: string;
  version: number | null;
  /** Finds the change in the history; without it there is no Undo. */
  requestId?: string | null;
}>;

/** Follows the version until all replicas serve it or a time limit passes. */
export async function announce({ text, version, requestId = null }: Published): Promise<void> {
  const change = version === null ? null : requestId;
  const tell = notify({
    tone: 'good',
    text: version === null ? text : `${text} · version ${version}`,
    detail: version === null ? '' : 'published',
    change,
    action: change === null ? null : undoOf(change),
  });
  if (version === null) return;
  for (let asked = 0; asked < asksMax; asked += 1) {
    const reach = await reachOf(version).catch(() => null);
    if (reach === null) return;
    tell({ detail: reach.text });
    if (reach.isWhole) return;
    await new Promise((resolve) => setTimeout(resolve, askMs));
  }
}

const undoOf = (requestId: string) => ({ label: 'Undo', run: () => void takeBack(requestId) });

/** Opens the preview if the undo needs one. All notifications of the change stop offering Undo. */
export async function takeBack(requestId: string): Promise<void> {
  tellOf(requestId, { action: null, outcome: 'Being undone…' });
  const undone = await undo(requestId);
  if (undone === null) {
    tellOf(requestId, { action: undoOf(requestId), outcome: '' });
    return;
  }
  tellOf(requestId, { action: null, outcome: 'Undone' });
  tellChanged();
  await announce(undone);
}

type Reach = Readonly<{ text: string; isWhole: boolean }>;

async function reachOf(version: number): Promise<Reach> {
  const [{ body: replicas }, { body: config }] = await Promise.all([
    call('GET', '/admin/fleet'),
    call('GET', '/admin/config'),
  ]);
  const reached = replicas.filter((one) => (one.snapshot_version ?? 0) >= version).length;
  if (replicas.length > 0) {
    const text = `on ${reached} of ${formatCount(replicas.length, 'replica')}`;
    return { text, isWhole: reached === replicas.length };
  }
  const isHere = (config.snapshot_version ?? 0) >= version;
  const text = isHere ? 'Published. No replica is reporting to this process' : 'published';
  return { text, isWhole: isHere };
}
