// The session. If it ends, the user signs in again in a dialog, and the page keeps its state.

import { createStore } from '../lib/page/store.ts';
import type { Store } from '../lib/page/store.ts';

export type Person = Readonly<{ id: number; name: string; permissions: readonly string[] }>;

export type Session =
  | Readonly<{ status: 'unknown' }>
  | Readonly<{ status: 'none' }>
  | Readonly<{ status: 'open'; you: Person }>
  /** The session ended; the page waits for the same user. */
  | Readonly<{ status: 'ended'; you: Person }>;

export const session: Store<Session> = createStore<Session>({ status: 'unknown' });

/** Another user gets a new page. */
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

/** The server decides; this only shows or hides. */
export function may(permission: string): boolean {
  const now = session.get();
  return 'you' in now && now.you.permissions.includes(permission);
}
