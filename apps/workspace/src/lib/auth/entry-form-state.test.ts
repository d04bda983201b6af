import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AuthFailure } from './classify-auth-error.ts'
import { type EntryFormEvent, type EntryFormState, NEW_ENTRY_FORM, nextEntryForm } from './entry-form-state.ts'

type Field = 'username' | 'password'

const wrong: AuthFailure = { kind: 'password', code: 'HF-AUTH-BADLOGIN', message: 'no' }
const tooMany: AuthFailure = { kind: 'rate', code: 'HF-AUTH-RATE', waitS: 30 }
const play = (...events: readonly EntryFormEvent<Field>[]): EntryFormState<Field> =>
  events.reduce<EntryFormState<Field>>(nextEntryForm, NEW_ENTRY_FORM)

describe('a form that lets a person in', () => {
  test('is sent when no field has a problem, and not before', () => {
    expect(play({ kind: 'submitted', problem: undefined }).phase).toBe('sending')
    const problem = { field: 'username', text: 'Enter it' } as const
    expect(play({ kind: 'submitted', problem })).toMatchObject({ phase: 'editing', problem })
  })

  test('shows a failure at its field until the next attempt', () => {
    const failed = play(
      { kind: 'submitted', problem: undefined },
      { kind: 'failed', failure: wrong, problem: { field: 'password', text: 'no' }, atMs: 0 },
    )
    expect(failed).toMatchObject({ phase: 'editing', failure: wrong, problem: { field: 'password' } })
    expect(nextEntryForm(failed, { kind: 'submitted', problem: undefined })).toEqual({
      ...NEW_ENTRY_FORM,
      phase: 'sending',
    })
  })

  test('keeps the last failure in sight while fields are only checked', () => {
    const failed = play({ kind: 'failed', failure: tooMany, problem: undefined, atMs: 0 })
    const problem = { field: 'username', text: 'Enter it' } as const
    expect(nextEntryForm(failed, { kind: 'checked', problem })).toEqual({ ...failed, problem })
  })

  test('forgets the problem of the field that is edited, not of the other', () => {
    const state = play({ kind: 'submitted', problem: { field: 'username', text: 'Enter it' } })
    expect(nextEntryForm(state, { kind: 'edited', field: 'password' })).toBe(state)
    expect(nextEntryForm(state, { kind: 'edited', field: 'username' }).problem).toBeUndefined()
  })

  test('waits as long as the server says after too many attempts, also past another failure', () => {
    const waiting = play({ kind: 'failed', failure: tooMany, problem: undefined, atMs: 1_000 })
    expect(waiting.retryAtMs).toBe(31_000)
    expect(nextEntryForm(waiting, { kind: 'failed', failure: wrong, problem: undefined, atMs: 2_000 }).retryAtMs).toBe(
      31_000,
    )
  })

  test('is never busy after an answer, whatever happened before', () => {
    const problem = fc.option(fc.constant({ field: 'username', text: 'Enter it' } as const), { nil: undefined })
    const event: fc.Arbitrary<EntryFormEvent<Field>> = fc.oneof(
      fc.record({ kind: fc.constant('submitted' as const), problem }),
      fc.record({ kind: fc.constant('checked' as const), problem }),
      fc.record({
        kind: fc.constant('edited' as const),
        field: fc.constantFrom('username' as const, 'password' as const),
      }),
      fc.record({
        kind: fc.constant('failed' as const),
        failure: fc.constantFrom(wrong, tooMany),
        problem,
        atMs: fc.nat(),
      }),
      fc.constant({ kind: 'sent' as const }),
    )
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const state = play(...events)
        expect(nextEntryForm(state, { kind: 'sent' }).phase).toBe('editing')
        expect(nextEntryForm(state, { kind: 'failed', failure: wrong, problem: undefined, atMs: 0 }).phase).toBe(
          'editing',
        )
        // A sending form shows no earlier failure.
        if (state.phase === 'sending') expect(state.failure).toBeUndefined()
      }),
    )
  })
})
