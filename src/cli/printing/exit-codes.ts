// Defines the exit codes of the program.

import type { Refusal, RefusalCode } from '../../lib/refusal.ts';

export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  refused: 4,
  notFound: 5,
  conflict: 6,
  differences: 10,
  /** The code that shells use for a program that SIGINT ended. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const exitCodeOfRefusal: Readonly<Record<RefusalCode, ExitCode>> = {
  invalid: exitCodes.usage,
  unauthenticated: exitCodes.refused,
  forbidden: exitCodes.refused,
  approval_required: exitCodes.refused,
  absent: exitCodes.notFound,
  conflict: exitCodes.conflict,
  stale: exitCodes.conflict,
  too_large: exitCodes.failed,
  unsupported_media: exitCodes.failed,
  too_many: exitCodes.failed,
  upstream: exitCodes.failed,
  unavailable: exitCodes.unreachable,
};

export const exitCodeOf = (refusal: Refusal): ExitCode => exitCodeOfRefusal[refusal.refused];
