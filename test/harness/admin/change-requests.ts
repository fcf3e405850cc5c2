// Builds administrators, drafts and reviewers for change requests.

import type { GwEvent } from '../../../events/catalogue.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { outcomeText } from '../../../src/deciders/changes/change-apply.ts';
import type { Reviewer } from '../../../src/deciders/changes/change-reviewer.ts';
import { decideCalls } from '../../../src/deciders/changes/changes.ts';
import { decide } from '../../../src/deciders/decide.ts';
import type { SingleCommand } from '../../../src/deciders/decide.ts';
import { changeRequestId, principalId, roleId } from '../../../src/lib/ids.ts';
import type { PrincipalId } from '../../../src/lib/ids.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { permissionGranted, plainName, principalCreated, roleCreated } from '../events/examples.ts';
import { testRef } from '../events/test-log.ts';

export const person = (number: number): PrincipalId => principalId.parse(number);
export const requestOne = changeRequestId.parse(1);

export const passwordRefOf = (principal: number): string => testRef(500 + principal);

export const passwordSet = (principal: number, ref = passwordRefOf(principal)): GwEvent => ({
  stream: `principal-${principal}`,
  type: 'PrincipalPasswordSet',
  data: { id: principalId.parse(principal), password_ref: ref },
});

export const roleHeld = (principal: number, role = 1): GwEvent => ({
  stream: `principal-${principal}`,
  type: 'PrincipalRoleGranted',
  data: { id: principalId.parse(principal), role_id: roleId.parse(role) },
});

/**
 * Creates role 1, which may write the configuration, and principals with that role and a password.
 */
export const administrators = (...numbers: readonly number[]): GwEvent[] => [
  roleCreated(1, 'admin'),
  permissionGranted(1, 'config:write', '*'),
  ...numbers.flatMap((number) => [
    principalCreated(number, plainName(`p${number}`)),
    passwordSet(number),
    roleHeld(number),
  ]),
];

/**
 * A reviewer with the password from `administrators`. By default, no other principal set the
 * reviewer's or the author's password.
 */
export const reviewer = (
  number: number,
  givenBy: readonly number[] = [],
  authorGivenBy: readonly number[] = [],
): Reviewer => ({
  principalId: principalId.parse(number),
  credential: { ref: passwordRefOf(number), givenBy: givenBy.map(person) },
  authorGivenBy: authorGivenBy.map(person),
});

/** A draft that consists of these commands. Drafts differ by `revision`. */
export const draftOf = (commands: readonly SingleCommand[], revision = 1) => ({
  ref: testRef(600 + revision),
  digest: `d${revision}`,
  calls: commands.map(({ type }) => ({ method: 'POST', path: `/admin/${type}` })),
  commands,
});

/** The outcome that an approver confirms. */
export function outcomeOf(state: ConfigState, commands: readonly SingleCommand[]): string {
  const unfolded = decideCalls(state, commands, decide);
  return isRefusal(unfolded) ? '' : outcomeText(unfolded.events).text;
}
