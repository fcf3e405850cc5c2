// Tests commands on principals, their roles and their passwords.

import { describe, it } from 'node:test';

import { principalId, roleId } from '../../src/lib/ids.ts';
import {
  keyCreated,
  keyDeleted,
  keyRevoked,
  permissionGranted,
  plainName,
  principalCreated,
  principalDeleted,
  roleCreated,
  roleGranted,
  roleRevoked,
  tokenCreated,
  tokenDeleted,
  vaultedName,
} from '../harness/events/examples.ts';
import { given, testRef } from '../harness/events/test-log.ts';

const one = principalId.parse(1);
const two = principalId.parse(2);
const ci = principalCreated(1, plainName('ci'));
const ada = principalCreated(2, vaultedName('ada', 1));

const create = (name: string) =>
  ({
    type: 'CreatePrincipal',
    name: plainName(name),
    kind: 'service_account',
    emailRef: null,
  }) as const;

describe('a principal', () => {
  it('gets the next id', () =>
    given([ci])
      .when(create('build'))
      .yields([principalCreated(2, plainName('build'))]));

  it('of kind user is created with its name and address in the vault', () =>
    given([])
      .when({
        type: 'CreatePrincipal',
        name: vaultedName('ada', 7),
        kind: 'user',
        emailRef: testRef(8),
      })
      .yields([
        {
          stream: 'principal-1',
          type: 'PrincipalCreated',
          data: { id: one, kind: 'user', name: vaultedName('ada', 7), email_ref: testRef(8) },
        },
      ]));

  it('does not take a name that is held', () =>
    given([ci])
      .when(create('ci'))
      .refuses('conflict', /name exists/, 'name'));

  it('does not take the vaulted name of a user either', () =>
    given([ci, ada])
      .when(create('ada'))
      .refuses('conflict', /name exists/, 'name'));

  it('may take the name of one that was deleted, but never its id', () =>
    given([ci, principalDeleted(1)])
      .when(create('ci'))
      .yields([principalCreated(2, plainName('ci'))]));
});

const update = (change: { name?: string; emailRef?: string | null }) =>
  ({
    type: 'UpdatePrincipal',
    id: one,
    name: change.name === undefined ? undefined : plainName(change.name),
    emailRef: change.emailRef,
  }) as const;

it('renames', () =>
  given([ci])
    .when(update({ name: 'build' }))
    .yields([
      {
        stream: 'principal-1',
        type: 'PrincipalRenamed',
        data: { id: one, name: plainName('build') },
      },
    ]));

describe('an update of a principal', () => {
  it('to its own name changes nothing', () =>
    given([ci])
      .when(update({ name: 'ci' }))
      .yields([]));

  it('does not take a name that another holds', () =>
    given([ci, ada])
      .when(update({ name: 'ada' }))
      .refuses('conflict', /name exists/, 'name'));

  it('sets the address and clears it', () => {
    const set = {
      stream: 'principal-1',
      type: 'PrincipalEmailSet',
      data: { id: one, email_ref: testRef(5) },
    } as const;
    given([ci])
      .when(update({ emailRef: testRef(5) }))
      .yields([set]);
    given([ci, set])
      .when(update({ emailRef: null }))
      .yields([{ ...set, data: { id: one, email_ref: null } }]);
  });

  it('that clears no address changes nothing', () =>
    given([ci])
      .when(update({ emailRef: null }))
      .yields([]));

  it('that names nothing changes nothing', () => given([ci]).when(update({})).yields([]));

  it('of one that does not exist is refused', () =>
    given([])
      .when(update({}))
      .refuses('absent', /principal 1 does not exist/));
});

describe('the deletion of a principal', () => {
  it('cascades to its keys and admin tokens, revoked ones too, and its grants, event by event', () =>
    given([
      ci,
      ada,
      roleCreated(1, 'inference'),
      roleCreated(2, 'operator'),
      roleGranted(1, 2),
      roleGranted(1, 1),
      roleGranted(2, 1),
      keyCreated(1, 1),
      keyCreated(2, 2),
      keyCreated(3, 1),
      keyRevoked(3),
      tokenCreated(1, 1),
      tokenCreated(2, 2),
    ])
      .when({ type: 'DeletePrincipal', id: one })
      .yields([
        keyDeleted(1),
        keyDeleted(3),
        tokenDeleted(1),
        roleRevoked(1, 1),
        roleRevoked(1, 2),
        principalDeleted(1),
      ]));

  it('of one that does not exist is refused', () =>
    given([ci])
      .when({ type: 'DeletePrincipal', id: two })
      .refuses('absent', /principal 2 does not exist/));
});

describe('a role', () => {
  const inference = roleCreated(1, 'inference');
  const grant = { type: 'GrantRole', id: one, role: 'inference' } as const;
  const revoke = { type: 'RevokeRole', id: one, role: 'inference' } as const;

  it('is granted by name', () =>
    given([ci, inference])
      .when(grant)
      .yields([roleGranted(1, 1)]));

  it('is granted once, however often it is asked for', () =>
    given([ci, inference, roleGranted(1, 1)])
      .when(grant)
      .yields([]));

  it('that does not exist is not granted, and the answer names those that do', () =>
    given([ci, inference, roleCreated(2, 'operator')])
      .when({ ...grant, role: 'root' })
      .refuses('invalid', /role root does not exist; known roles: inference, operator/, 'role'));

  it('is not granted to a principal that does not exist', () =>
    given([inference])
      .when(grant)
      .refuses('absent', /principal 1 does not exist/));

  it('is revoked by name', () =>
    given([ci, inference, roleGranted(1, 1)])
      .when(revoke)
      .yields([roleRevoked(1, 1)]));

  it('that is not held is not revoked', () =>
    given([ci, inference])
      .when(revoke)
      .refuses('absent', /principal 1 does not hold role inference/));
});

describe('a password', () => {
  const setPassword = { type: 'SetPassword', id: one, passwordRef: testRef(6) } as const;

  it('is set by the ref of its hash', () =>
    given([ci])
      .when(setPassword)
      .yields([
        {
          stream: 'principal-1',
          type: 'PrincipalPasswordSet',
          data: { id: one, password_ref: testRef(6) },
        },
      ]));

  it('is not set on a principal that does not exist', () =>
    given([])
      .when(setPassword)
      .refuses('absent', /principal 1 does not exist/));
});

const passwordSet = (number: number) =>
  ({
    stream: `principal-${number}`,
    type: 'PrincipalPasswordSet',
    data: { id: principalId.parse(number), password_ref: testRef(2) },
  }) as const;

const adminCreated = {
  stream: 'role-2',
  type: 'RoleCreated',
  data: { id: roleId.parse(2), name: 'admin', description: 'May do everything' },
} as const;

const adminPermissions = (role: number) => [
  permissionGranted(role, 'usage:read', '*'),
  permissionGranted(role, 'key:create', '*'),
  permissionGranted(role, 'key:revoke', '*'),
  permissionGranted(role, 'config:write', '*'),
  permissionGranted(role, 'provider:register', '*'),
  permissionGranted(role, 'model:invoke', 'model/*'),
  permissionGranted(role, 'mcp:invoke', 'mcp/*'),
  permissionGranted(role, 'agent:invoke', 'agent/*'),
];

describe('a login that the operator sets', () => {
  const setAda = {
    type: 'SetLogin',
    name: vaultedName('ada', 1),
    passwordRef: testRef(2),
  } as const;
  const admin = [roleCreated(1, 'admin'), permissionGranted(1, 'config:write', '*')];

  it('is made whole by one command: principal, password and role admin', () =>
    given(admin)
      .when(setAda)
      .yields([principalCreated(1, vaultedName('ada', 1)), passwordSet(1), roleGranted(1, 1)]));

  it('keeps the roles of a principal that may write the configuration already', () =>
    given([
      ...admin,
      roleCreated(2, 'writer'),
      permissionGranted(2, 'config:write', '*'),
      ada,
      roleGranted(2, 2),
    ])
      .when(setAda)
      .yields([passwordSet(2)]));

  it('gives admin to a principal that may not', () =>
    given([...admin, ada])
      .when(setAda)
      .yields([passwordSet(2), roleGranted(2, 1)]));

  it('gets another role that may write the configuration when admin may not: the one that may most', () =>
    given([
      roleCreated(1, 'writer'),
      permissionGranted(1, 'config:write', '*'),
      roleCreated(2, 'root'),
      permissionGranted(2, 'config:write', '*'),
      permissionGranted(2, 'usage:read', '*'),
      roleCreated(3, 'admin'),
      ada,
      roleGranted(2, 3),
    ])
      .when(setAda)
      .yields([passwordSet(2), roleGranted(2, 2)]));

  it('has the role admin made when no role may write the configuration', () =>
    given([roleCreated(1, 'inference'), ada])
      .when(setAda)
      .yields([passwordSet(2), adminCreated, ...adminPermissions(2), roleGranted(2, 2)]));

  it('has the role admin mended when no role may write the configuration', () =>
    given([
      roleCreated(1, 'admin'),
      permissionGranted(1, 'usage:read', '*'),
      ada,
      roleGranted(2, 1),
    ])
      .when(setAda)
      .yields([passwordSet(2), ...adminPermissions(1).slice(1)]));
});
