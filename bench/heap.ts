// What the scripts of a page keep, by a snapshot of its heap.

import type { CDPSession } from 'playwright-core';

type Snapshot = Readonly<{
  snapshot: {
    meta: { node_fields: readonly string[]; node_types: readonly (readonly string[])[] };
  };
  /** One after the other, each as many numbers as there are fields. */
  nodes: readonly number[];
}>;

/** Compiled code, and what Chromium keeps for whoever drives it: of each request that was made, some 300 bytes. */
const others: ReadonlySet<string | undefined> = new Set(['code', 'native']);

/** After a forced collection. */
export async function scriptBytes(session: CDPSession): Promise<number> {
  // What a finalizer lets go of is collected by the next one.
  for (let round = 0; round < 3; round += 1) await session.send('HeapProfiler.collectGarbage');
  const chunks: string[] = [];
  const take = ({ chunk }: Readonly<{ chunk: string }>): void => void chunks.push(chunk);
  session.on('HeapProfiler.addHeapSnapshotChunk', take);
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  session.off('HeapProfiler.addHeapSnapshotChunk', take);
  return bytesIn(JSON.parse(chunks.join('')));
}

function bytesIn({ snapshot: { meta }, nodes }: Snapshot): number {
  const [type, size] = [meta.node_fields.indexOf('type'), meta.node_fields.indexOf('self_size')];
  let bytes = 0;
  for (let node = 0; node < nodes.length; node += meta.node_fields.length) {
    const kind = meta.node_types[0]?.[nodes[node + type] ?? -1];
    if (!others.has(kind)) bytes += nodes[node + size] ?? 0;
  }
  return bytes;
}
