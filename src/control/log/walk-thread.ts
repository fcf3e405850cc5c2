// The thread that walks one range of the log.

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
  // What fails here ends the thread with an error, which the other side hears of.
  parentPort?.postMessage(await walkRange(db, range), []);
} finally {
  await db.dispose();
}
