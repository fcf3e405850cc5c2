// The session of a person: login and logout.

import { call } from './http/call.ts';
import type { BodyOf } from './http/routes.ts';

export const getSession = (signal?: AbortSignal) => call('GET', '/session', { signal });

export const login = (body: BodyOf<'POST', '/login'>) => call('POST', '/login', { body });

export const signInByLink = (token: string) => call('POST', '/login/link', { body: { token } });

export const logout = () => call('POST', '/logout');
