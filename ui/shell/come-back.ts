// A session that has ended may be begun anew in another tab: this page asks when it is looked at again, and when another says so.

import { call } from '../api/http/call.ts';
import { session, sessionOpened } from '../state/session.ts';

const channelName = 'gw-session';

/** Tells the other tabs of this browser that somebody is in. */
export function tellSignedIn(): void {
  const channel = new BroadcastChannel(channelName);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin, and takes none.
  channel.postMessage('open');
  channel.close();
}

/** Answers how to stop. */
export function waitForSession(): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', ask);
  addEventListener('focus', ask);
  document.addEventListener('visibilitychange', ask);
  return () => {
    channel.close();
    removeEventListener('focus', ask);
    document.removeEventListener('visibilitychange', ask);
  };
}

const ask = (): void => void askAgain();

async function askAgain(): Promise<void> {
  if (session.get().status !== 'ended' || document.hidden) return;
  // Whoever cannot be asked now is asked at the next occasion.
  const answer = await call('GET', '/session').catch(() => null);
  const you = answer?.body.you ?? null;
  if (you !== null && session.get().status === 'ended') sessionOpened(you);
}
