// Runs in the folder of an earlier release, and fills a log with its program: models, then changes of their prices.
// Arguments: the number of events. Environment: GW_DATABASE_URL, GW_ENCRYPTION_KEY.

import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const { openControlPlane } = await import(pathToFileURL(path.resolve('src/control/plane.ts')).href);

const events = Number(process.argv[2]);
const models = 1000;
const atOnce = 100;

const plane = await openControlPlane({
  databaseUrl: process.env.GW_DATABASE_URL,
  encryptionKey: Buffer.from(process.env.GW_ENCRYPTION_KEY, 'hex'),
  connectionsMax: 4,
  appVersion: 'bench',
  clock: Date.now,
  onFailure: (what, error) => console.error(what, error),
});

async function execute(command) {
  const outcome = await plane.execute(
    { command },
    {
      actor: { kind: 'cli', principal_id: null },
      action: 'CLI',
      target: 'bench',
      requestId: randomUUID(),
      reason: null,
    },
  );
  if ('refused' in outcome) throw new Error(outcome.message);
  return outcome.state;
}

let state = plane.store.state();
const commandAt = (number) => {
  if (number < models) return { type: 'CreateModel', name: `filler-${number}`, fields: {} };
  const id = first + (number % models);
  return {
    type: 'UpdateModel',
    id,
    fields: { inputPricePerMtok: number, outputPricePerMtok: number },
  };
};
const first = state.model.lastId + 1;
for (let number = 0; state.position < events;) {
  // Prices refer to models of the round before.
  const size = Math.min(
    number < models ? models - number : atOnce,
    events - state.position,
    atOnce,
  );
  const round = Array.from({ length: size }, (_, at) => execute(commandAt(number + at)));
  number += size;
  for (const after of await Promise.all(round)) if (after.position > state.position) state = after;
}
await plane.close();
