// Writes a log export of any length with valid hashes: models that are created and then repriced
// again and again.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

import type { GwEvent } from '../../../events/catalogue.ts';
import { genesisHash, seal } from '../../../events/seal.ts';
import { eventLine } from '../../../src/control/log/export.ts';
import { modelId } from '../../../src/lib/ids.ts';

const logId = '11111111-2222-4333-8444-555555555555';
const modelsMax = 5_000;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const line = (record: object): string => `${JSON.stringify(record)}\n`;

/** Writes `events` events, one per command. */
export async function writeExport(path: string, events: number): Promise<void> {
  const file = createWriteStream(path);
  const begin = { gw_log_export: 1, log_id: logId, from: 1, to: events };
  let head = { logId, position: 0, hash: genesisHash(logId), recordedAt: 0 };
  file.write(line({ ...begin, previous_hash: hex(head.hash), audit_key: null }));
  for (let position = 1; position <= events; position += 1) {
    const sealed = sealedEvent(position, head);
    const { recordedAt, hash } = sealed;
    head = { logId, position, hash, recordedAt };
    if (!file.write(eventLine(sealed))) await once(file, 'drain');
  }
  file.end(line({ end: events, hash: hex(head.hash), events, checkpoints: 0 }));
  await once(file, 'close');
}

type Sealed = ReturnType<typeof seal>[number];

function sealedEvent(position: number, head: Parameters<typeof seal>[1]): Sealed {
  const event = eventAt(position);
  const id = `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`;
  const [sealed] = seal([event], head, {
    txId: id,
    at: 1_700_000_000_000 + position * 1_000,
    metadata: {
      actor: { kind: 'cli', principal_id: null },
      command: position <= modelsMax ? 'CreateModel' : 'UpdateModel',
      action: position <= modelsMax ? 'POST' : 'PATCH',
      target: `/admin/provider-models/${modelAt(position)}`,
      request_id: id,
      app_version: 'test',
      reason_ref: null,
    },
    newId: () => id,
    streamVersion: () => Math.floor((position - 1) / modelsMax),
  });
  if (sealed === undefined) throw new Error('an event is sealed as one');
  return sealed;
}

const modelAt = (position: number): number => ((position - 1) % modelsMax) + 1;

function eventAt(position: number): GwEvent {
  const id = modelId.parse(modelAt(position));
  const stream = `model-${id}`;
  if (position <= modelsMax) {
    return { stream, type: 'ModelCreated', data: { id, name: stream, description: null } };
  }
  const prices = { input_price_per_mtok: position, output_price_per_mtok: position };
  return { stream, type: 'ModelPriced', data: { id, ...prices } };
}
