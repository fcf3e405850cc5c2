// Measures the memory that the scripts of a page retain, from a heap snapshot.

import type { CDPSession } from 'playwright-core';

type Snapshot = Readonly<{
  snapshot: {
    meta: { node_fields: readonly string[]; node_types: readonly (readonly string[])[] };
  };
  /** A flat list; each node has one number for each field. */
  nodes: readonly number[];
}>;

/** Compiled code, and about 300 bytes that Chromium stores for its driver for each request. */
const others: ReadonlySet<string | undefined> = new Set(['code', 'native']);

/** Measured after a forced garbage collection. */
export async function scriptBytes(session: CDPSession): Promise<number> {
  // Objects that finalizers release are collected by the next garbage collection.
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
