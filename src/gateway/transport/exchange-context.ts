// What every exchange is given by the listener, whoever reads its bytes.

import type { Clock } from '../../lib/clock.ts';
import type { BodyBudget } from './body.ts';
import type { Watch } from './watch.ts';

export type ExchangeContext = Readonly<{
  watch: Watch;
  bodyBudget: BodyBudget;
  bodyBytesMax: number;
  now: Clock;
  monotonic: Clock;
  newId: () => string;
  /** A client that reads nothing for so long of an answer that is complete is given up. */
  slowReaderMs: number;
  /** Connections are not to be used again. */
  isClosing: () => boolean;
  /** Told of the end of each exchange. */
  onClosed: () => void;
}>;

/**
 * After an early answer the rest of a body is read and thrown away for so long, then cut; who was refused has so long to read
 * why, and to close.
 */
export const lingeringCloseMs = 2000;

const requestIdPattern = /^[\w.:-]{1,128}$/;

/** Whether a client's own id of its request can be passed on. */
export const isUsableId = (given: string | undefined): given is string =>
  given !== undefined && requestIdPattern.test(given);
