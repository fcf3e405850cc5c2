// After a save: that it is published, and how many replicas have it already.

import { getConfig } from '../api/config.ts';
import { getFleet } from '../api/fleet.ts';
import { notify } from './toasts.ts';
import type { Toast } from './toasts.ts';

const askMs = 1_000;
const asksMax = 30;

type Published = Readonly<{
  text: string;
  version: number | null;
  action?: Toast['action'];
}>;

/** Follows the version until every replica has it, or a while has gone by; the notice says how far it has got. */
export async function announce({ text, version, action = null }: Published): Promise<void> {
  const notice = notify({
    tone: 'good',
    text: version === null ? text : `${text} · version ${version}`,
    detail: version === null ? '' : 'published',
    action,
  });
  if (version === null) return;
  for (let asked = 0; asked < asksMax; asked += 1) {
    const reach = await reachOf(version).catch(() => null);
    if (reach === null) return;
    notice.update({ detail: reach.text });
    if (reach.isWhole) return;
    await new Promise((resolve) => setTimeout(resolve, askMs));
  }
}

type Reach = Readonly<{ text: string; isWhole: boolean }>;

async function reachOf(version: number): Promise<Reach> {
  const [{ body: replicas }, { body: config }] = await Promise.all([getFleet(), getConfig()]);
  const reached = replicas.filter((one) => (one.snapshot_version ?? 0) >= version).length;
  if (replicas.length > 0) {
    const text = `on ${reached} of ${replicas.length} replicas`;
    return { text, isWhole: reached === replicas.length };
  }
  const isHere = (config.snapshot_version ?? 0) >= version;
  const text = isHere ? 'published; no replica reports to this process' : 'published';
  return { text, isWhole: isHere };
}
