// Notices a sign-in in another tab: checks the session when this page becomes visible or another tab reports a sign-in.

import { call } from '../api/http/call.ts';
import { session, sessionOpened } from '../state/session.ts';

const channelName = 'gw-session';

export function tellSignedIn(): void {
  const channel = new BroadcastChannel(channelName);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin, and takes none.
  channel.postMessage('open');
  channel.close();
}

/** Returns a function that stops the checks. */
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
  // If the check fails, it runs again when the page is shown next.
  const answer = await call('GET', '/session').catch(() => null);
  const you = answer?.body.you ?? null;
  if (you !== null && session.get().status === 'ended') sessionOpened(you);
}
