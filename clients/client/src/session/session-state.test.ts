import { expect, test } from 'vitest'
import { nextSession, type SessionEvent, type SessionState } from './session-state.ts'

const ana = { id: 'a', email: 'ana@example.org' }
const ben = { id: 'b', email: undefined }
const active: SessionState = { kind: 'active', user: ana }

test.each<[string, SessionState, SessionEvent, SessionState]>([
  [
    'a remembered session counts before any network',
    { kind: 'booting' },
    { kind: 'restored', session: ana, lastUser: ana },
    active,
  ],
  [
    'an ended session keeps the person in sight',
    { kind: 'booting' },
    { kind: 'restored', session: undefined, lastUser: ana },
    { kind: 'expired', user: ana },
  ],
  [
    'nobody was here',
    { kind: 'booting' },
    { kind: 'restored', session: undefined, lastUser: undefined },
    { kind: 'signed_out' },
  ],
  ['what the auth client said first wins', active, { kind: 'restored', session: undefined, lastUser: ben }, active],
  ['the server ends the session', active, { kind: 'ended' }, { kind: 'expired', user: ana }],
  ['signing in again resumes', { kind: 'expired', user: ana }, { kind: 'confirmed', user: ana }, active],
  ['another person takes over', active, { kind: 'confirmed', user: ben }, { kind: 'active', user: ben }],
  ['leaving on purpose', active, { kind: 'left' }, { kind: 'signed_out' }],
  ['the end of a session that was left already', { kind: 'signed_out' }, { kind: 'ended' }, { kind: 'signed_out' }],
])('%s', (_title, state, event, next) => {
  expect(nextSession(state, event)).toEqual(next)
})

test('a refreshed token is no new state, so that no screen starts over', () => {
  expect(nextSession(active, { kind: 'confirmed', user: { ...ana } })).toBe(active)
})
