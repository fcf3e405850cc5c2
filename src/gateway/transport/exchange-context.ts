// The dependencies that the listener passes to every exchange.

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
  /** A client that reads nothing for this long is disconnected. */
  slowReaderMs: number;
  /** True when connections must not be reused. */
  isClosing: () => boolean;
  /** Called at the end of each exchange. */
  onClosed: () => void;
}>;

/**
 * After an early answer, the rest of the body is discarded for this long so that the client can read the answer. Then
 * the connection is closed.
 */
export const lingeringCloseMs = 2000;

const requestIdPattern = /^[\w.:-]{1,128}$/;

export const isUsableId = (given: string | undefined): given is string =>
  given !== undefined && requestIdPattern.test(given);
