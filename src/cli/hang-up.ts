// What SIGHUP means to a serving process: read the configuration file again; where there is none, nothing. Without a listener it
// would end the process.

/** Calls back on SIGHUP; answers how to stop that. */
export type OnHangUp = (listener: () => void) => () => void;

export const onHangUp: OnHangUp = (listener) => {
  process.on('SIGHUP', listener);
  return () => void process.off('SIGHUP', listener);
};
