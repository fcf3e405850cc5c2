// Handles SIGHUP, which reloads the configuration file. Without a listener, SIGHUP would end the process.

/** Returns a function that removes the listener. */
export type OnHangUp = (listener: () => void) => () => void;

export const onHangUp: OnHangUp = (listener) => {
  process.on('SIGHUP', listener);
  return () => void process.off('SIGHUP', listener);
};
