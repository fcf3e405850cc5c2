// Names the responsible flags if a listener cannot bind its address.

type Place = Readonly<{ flag: '--port' | '--admin-port'; port: number; host: string }>;

/** Other failures of `listening` pass through unchanged. */
export async function namingListener<Value>(
  { flag, port, host }: Place,
  listening: Promise<Value>,
): Promise<Value> {
  try {
    return await listening;
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    // In a worker, the parent binds the listener.
    if (cause.syscall !== 'listen' && cause.syscall !== 'bind') throw cause;
    throw new Error(`${flag} ${port} on --host ${host} cannot be bound`, { cause });
  }
}
