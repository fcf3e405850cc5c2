// Defines the logger that parts of the program receive: the shape of a pino logger.

type Say = (fields: Readonly<Record<string, unknown>>, message: string) => void;

export type Log = Readonly<{ warn: Say; error: Say }>;
