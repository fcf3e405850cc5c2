// Records what replicas report again and again when it is another than before: most reports cost the database nothing.

/** The oldest is forgotten, and then recorded once more, which adds nothing. */
const replicasMax = 1_000;

type Report = Readonly<{
  replica: string;
  /** The same as before where nothing is to be recorded. */
  mark: string;
  record: () => Promise<unknown>;
}>;

/**
 * `first` is the mark of a replica of which nothing is to be recorded yet. What comes of it never rejects: a report is taken whether or
 * not the database is there, and the next one says the same.
 */
export function oncePerReplica(
  first: string,
  onFailure: (error: unknown) => void,
): (report: Report) => Promise<void> {
  const recorded = new Map<string, string>();
  let isFailing = false;
  return async ({ replica, mark, record }) => {
    if ((recorded.get(replica) ?? first) === mark) return;
    try {
      await record();
      recorded.delete(replica);
      recorded.set(replica, mark);
      const [oldest] = recorded.keys();
      if (recorded.size > replicasMax && oldest !== undefined) recorded.delete(oldest);
      isFailing = false;
    } catch (error) {
      // Said once, not with every report, while the database is away.
      if (!isFailing) onFailure(error);
      isFailing = true;
    }
  };
}
