// Whether this process lives, and whether it can serve.

import { z } from 'zod';

import { databaseUnavailable } from '../../control/commands/unavailable.ts';
import { findWriteFailure } from '../../control/commands/write-failure.ts';
import { readHead } from '../../db/log/event-log.ts';
import { refuse } from '../../lib/refusal.ts';
import { none, route } from '../http/route.ts';

const status = z.object({ status: z.literal('ok') });
const stillReading = refuse('unavailable', 'still reading the event log', { retryAfterSeconds: 1 });
const ok = { body: { status: 'ok' } } as const;

export const healthRoutes = [
  route({
    method: 'GET',
    path: '/healthz',
    operation: 'getHealthz',
    permission: 'open',
    summary: 'Answers while the process lives, and touches nothing',
    refusals: [],
    params: none,
    query: none,
    body: none,
    response: status,
    handle: () => ok,
  }),
  route({
    method: 'GET',
    path: '/readyz',
    operation: 'getReadyz',
    permission: 'open',
    summary:
      'Answers when the database is there and takes changes, and this process has read the log to its head',
    refusals: ['unavailable'],
    params: none,
    query: none,
    body: none,
    response: status,
    handle: async (_input, { control }) => {
      if (control.program.isLeaving()) {
        return refuse('unavailable', 'this process is about to end', { retryAfterSeconds: 1 });
      }
      // The log is being read again, or cannot be: a balancer is not to wait for that.
      if (control.isForked()) return stillReading;
      const head = await readHead(control.db);
      const { position, hash } = control.state();
      if (position !== head.position || hash !== Buffer.from(head.hash).toString('hex')) {
        await control.refresh();
      }
      const failure = await findWriteFailure({
        ...control,
        monotonic: () => performance.now(),
      });
      // Reads and snapshots are still served.
      if (failure !== null) return databaseUnavailable(failure, 'no change can be made');
      const behind = control.state().position < head.position;
      return behind || control.publisher.current() === null ? stillReading : ok;
    },
  }),
] as const;
