// Who is using the UI. A session that ends in the middle of something is begun anew over the page, which keeps all it held.

import { createStore } from '../lib/page/store.ts';
import type { Store } from '../lib/page/store.ts';

export type Person = Readonly<{ id: number; name: string; permissions: readonly string[] }>;

export type Session =
  | Readonly<{ status: 'unknown' }>
  /** Nobody has logged in. */
  | Readonly<{ status: 'none' }>
  | Readonly<{ status: 'open'; you: Person }>
  /** It was open and has ended; the page waits for the same person to log in again. */
  | Readonly<{ status: 'ended'; you: Person }>;

export const session: Store<Session> = createStore<Session>({ status: 'unknown' });

/** Somebody else gets a page of their own. */
export function sessionOpened(you: Person): void {
  const before = session.get();
  if (before.status === 'ended' && before.you.id !== you.id) globalThis.location.reload();
  else session.set({ status: 'open', you });
}

export function sessionEnded(): void {
  const now = session.get();
  if (now.status === 'open') session.set({ status: 'ended', you: now.you });
  else if (now.status === 'unknown') sessionAbsent();
}

export const sessionAbsent = (): void => session.set({ status: 'none' });

export const isOpen = (one: Session): one is Extract<Session, { status: 'open' }> =>
  one.status === 'open';

/** Whether the person may do what needs this permission; the server has the last word. */
export function may(permission: string): boolean {
  const now = session.get();
  return 'you' in now && now.you.permissions.includes(permission);
}
