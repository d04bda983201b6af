import { expect, test } from 'vitest'
import { nextSession, type SessionEvent, type SessionState } from './session-state.ts'

const ana = { id: 'a', email: 'ana@example.org' }
const ben = { id: 'b', email: undefined }
const active: SessionState = { kind: 'active', user: ana }
const half: SessionState = { kind: 'second_factor', user: ana }

test.each<[string, SessionState, SessionEvent, SessionState]>([
  [
    'a remembered session counts before any network',
    { kind: 'booting' },
    { kind: 'restored', session: { user: ana, needsSecondFactor: false }, lastUser: ana },
    active,
  ],
  [
    'an ended session keeps the person in sight',
    { kind: 'booting' },
    { kind: 'restored', session: undefined, lastUser: ana },
    { kind: 'expired', user: ana },
  ],
  [
    'no user was here',
    { kind: 'booting' },
    { kind: 'restored', session: undefined, lastUser: undefined },
    { kind: 'signed_out' },
  ],
  ['what the auth client said first wins', active, { kind: 'restored', session: undefined, lastUser: ben }, active],
  ['the server ends the session', active, { kind: 'ended' }, { kind: 'expired', user: ana }],
  [
    'signing in again resumes',
    { kind: 'expired', user: ana },
    { kind: 'confirmed', user: ana, needsSecondFactor: false },
    active,
  ],
  [
    'another person takes over',
    active,
    { kind: 'confirmed', user: ben, needsSecondFactor: false },
    { kind: 'active', user: ben },
  ],
  [
    'a password alone is not enough for a user with a second factor',
    { kind: 'signed_out' },
    { kind: 'confirmed', user: ana, needsSecondFactor: true },
    half,
  ],
  [
    'a remembered session without the second factor waits for it',
    { kind: 'booting' },
    { kind: 'restored', session: { user: ana, needsSecondFactor: true }, lastUser: ana },
    half,
  ],
  ['the second factor is given', half, { kind: 'confirmed', user: ana, needsSecondFactor: false }, active],
  ['the session ends before the second factor', half, { kind: 'ended' }, { kind: 'expired', user: ana }],
  ['a half signed-in person is not passed by', half, { kind: 'opened_locally', user: ben }, half],
  ['leaving on purpose', active, { kind: 'left' }, { kind: 'signed_out' }],
  ['the end of a session that was left already', { kind: 'signed_out' }, { kind: 'ended' }, { kind: 'signed_out' }],
])('%s', (_title, state, event, next) => {
  expect(nextSession(state, event)).toEqual(next)
})

test('a refreshed token is no new state, so that no screen starts over', () => {
  expect(nextSession(active, { kind: 'confirmed', user: { ...ana }, needsSecondFactor: false })).toBe(active)
})
