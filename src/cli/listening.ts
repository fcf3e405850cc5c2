// Says which flags to look at when an address cannot be listened on.

type Place = Readonly<{ flag: '--port' | '--admin-port'; port: number; host: string }>;

/** `listening` may do more than listen: what else fails in it is left as it is. */
export async function namingListener<Value>(
  { flag, port, host }: Place,
  listening: Promise<Value>,
): Promise<Value> {
  try {
    return await listening;
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    // A worker's listener is its parent's, which binds it.
    if (cause.syscall !== 'listen' && cause.syscall !== 'bind') throw cause;
    throw new Error(`${flag} ${port} on --host ${host} cannot be listened on`, { cause });
  }
}
