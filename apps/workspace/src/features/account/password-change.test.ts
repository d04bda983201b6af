import { describe, expect, test } from 'vitest'
import {
  canSend,
  NEW_PASSWORD_CHANGE,
  nextPasswordChange,
  type PasswordChange,
  type PasswordChangeEvent,
} from './password-change.ts'

const play = (...events: readonly PasswordChangeEvent[]): PasswordChange =>
  events.reduce(nextPasswordChange, NEW_PASSWORD_CHANGE)
const typed: PasswordChangeEvent = { kind: 'typed_password', text: 'correct horse' }
const checked: PasswordChangeEvent = { kind: 'checked', problem: undefined }

describe('a new password', () => {
  test('can be sent once it was checked', () => {
    expect(canSend(play(typed, checked))).toBe(true)
    expect(canSend(play(typed, { kind: 'checked', problem: 'too short' }))).toBe(false)
  })

  test('stays, with the reason, when the server refuses it; typing takes the reason away', () => {
    const refused = play(typed, checked, { kind: 'refused', problem: 'known from a leak' })
    expect(refused.password).toEqual({ text: 'correct horse', problem: 'known from a leak' })
    expect(nextPasswordChange(refused, { kind: 'typed_password', text: 'x' }).password.problem).toBeUndefined()
  })

  test('asks for the code only once the server wants it, and then for all of it', () => {
    expect(play(typed).code).toBeUndefined()
    const wanted = play(typed, checked, { kind: 'code_wanted' })
    expect(canSend(nextPasswordChange(wanted, checked))).toBe(false)
    expect(canSend(play(typed, { kind: 'code_wanted' }, { kind: 'typed_code', text: '123456' }, checked))).toBe(true)
  })

  test('names the problem of the password before a missing code', () => {
    const state = play({ kind: 'code_wanted' }, { kind: 'checked', problem: 'missing' })
    expect([state.password.problem, state.code?.isMissing]).toEqual(['missing', false])
  })

  test('keeps the present password that was wrong, to be corrected', () => {
    const state = play(
      typed,
      { kind: 'current_wanted', problem: 'needed' },
      { kind: 'typed_current', text: 'old one' },
      { kind: 'current_wanted', problem: 'wrong' },
    )
    expect(state.current).toEqual({ text: 'old one', problem: 'wrong' })
  })

  test('leaves nothing behind once it is set', () => {
    const secrets = play(typed, { kind: 'current_wanted', problem: 'needed' }, { kind: 'typed_current', text: 'old' })
    expect(nextPasswordChange(secrets, { kind: 'changed' })).toEqual(NEW_PASSWORD_CHANGE)
  })
})
