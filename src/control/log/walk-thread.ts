// Runs as the thread that walks one range of the log.

import { parentPort, workerData } from 'node:worker_threads';

import { openDatabase } from '../../db/pool.ts';
import { task } from './walk-message.ts';
import { walkRange } from './walk.ts';

const { url, range } = task.parse(workerData);
const db = openDatabase({
  url,
  purpose: 'maintenance',
  applicationName: 'gw log walk',
  connectionsMax: 1,
});
try {
  // An error ends the thread and is reported to its parent.
  parentPort?.postMessage(await walkRange(db, range), []);
} finally {
  await db.dispose();
}
