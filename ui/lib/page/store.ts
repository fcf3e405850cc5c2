// A value with listeners, for state of the whole page such as location, session and preferences.

export type Store<Value> = Readonly<{
  get: () => Value;
  set: (value: Value) => void;
  /** Returns a function that removes the listener, which is not called for the current value. */
  subscribe: (listener: (value: Value) => void) => () => void;
}>;

export function createStore<Value>(initial: Value): Store<Value> {
  const listeners = new Set<(value: Value) => void>();
  let value = initial;
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener(value);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Resolves with the first matching value, now or later. Rejects when the signal is aborted. */
export function settled<Value, Fit extends Value>(
  store: Store<Value>,
  fits: (value: Value) => value is Fit,
  signal?: AbortSignal,
): Promise<Fit> {
  return new Promise((resolve, reject) => {
    const stop = store.subscribe((value) => look(value));
    const look = (value: Value): void => {
      if (!fits(value)) return;
      stop();
      resolve(value);
    };
    signal?.addEventListener('abort', () => {
      stop();
      reject(signal.reason);
    });
    look(store.get());
  });
}
