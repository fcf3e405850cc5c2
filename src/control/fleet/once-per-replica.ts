// Records repeated reports of replicas only when they change, so that most cause no database call.

/** A full table drops the oldest replica. Recording it again has no effect. */
const replicasMax = 1_000;

type Report = Readonly<{
  replica: string;
  mark: string;
  record: () => Promise<unknown>;
}>;

/**
 * `first` is the mark of a replica that has nothing to record. The returned function never rejects:
 * a report is accepted even if the database is unreachable, and the next one repeats it.
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
      // Only the first failure, not one per report.
      if (!isFailing) onFailure(error);
      isFailing = true;
    }
  };
}
