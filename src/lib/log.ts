// Where a part of the program says what it did, as a pino logger takes it.

type Say = (fields: Readonly<Record<string, unknown>>, message: string) => void;

export type Log = Readonly<{ warn: Say; error: Say }>;
