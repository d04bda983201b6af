import type { RejectedChange } from '@holdfast/client'
import { describe, expect, test } from 'vitest'
import { saysTheSame, verdictWords } from './verdict-words.ts'

type Verdict = RejectedChange['verdict']

const refused = (sqlstate: string, more: object = {}): Verdict =>
  ({ op_id: 1, status: 'error', sqlstate, message: 'said Postgres', ...more }) as Verdict
const RULE = { message: 'Only a lead closes it.' }

describe('why a change was not accepted, and what to do', () => {
  test.each<[title: string, Verdict, says: string, advice: string | RegExp]>([
    [
      'a value that is taken',
      refused('23505', { detail: 'Key (code, site)=(A1, 7) already exists.' }),
      'Another record already has code, site = A1, 7',
      /^Change the value/,
    ],
    [
      'a value that is taken, of hidden columns',
      refused('23505'),
      'Another record already has the same value',
      /^Change the value/,
    ],
    [
      'a link to nothing',
      refused('23503', { message: 'insert or update on table "tasks" violates …' }),
      'A linked record does not exist any more',
      /clear the link/,
    ],
    [
      'a record that others link to',
      refused('23503', {
        message: 'update or delete on table "sites" violates …',
        detail: 'Key (id)=(1) is still referenced from table "work_orders".',
      }),
      'Records in Work orders still link to this one',
      /^Delete them or change their links first/,
    ],
    [
      'a record whose links are hidden',
      refused('23001'),
      'Other records still link to this one',
      /discard your change/,
    ],
    [
      'a missing value',
      refused('23502', { column: 'due_on' }),
      'Due on needs a value',
      'Fill it in and send it again.',
    ],
    ['a missing value of a hidden column', refused('23502'), 'A field needs a value', 'Fill it in and send it again.'],
    [
      'a check with words',
      refused('23514', { rule: 'A title is short.', constraint: 'c' }),
      'A title is short',
      'Change the value and send it again.',
    ],
    [
      'a check without words',
      refused('23514', { constraint: 'title_is_short', columns: ['title', 'site_id'] }),
      'This breaks a rule of the table: title is short',
      'Change Title or Site and send it again.',
    ],
    ['a rule with advice', refused('P0001', { ...RULE, hint: 'Ask a lead.' }), RULE.message, 'Ask a lead.'],
    [
      'a rule with a code for advice',
      refused('P0001', { ...RULE, hint: 'action.transition', column: 'state' }),
      RULE.message,
      'Change State and send it again.',
    ],
    [
      'a rule that says the same twice',
      refused('P0001', { ...RULE, hint: 'Only a lead closes it' }),
      RULE.message,
      'Change the record and send it again.',
    ],
    [
      'a policy with words',
      refused('42501', { rule: 'Only the owner edits.' }),
      'Only the owner edits',
      /^Change the record so that it is allowed/,
    ],
    ['a policy without words', refused('42501'), 'You are not allowed to make this change', /ask a person who may/],
    [
      'a value of another type',
      refused('22P02', { column: 'points' }),
      'The value of Points is not valid',
      /^Change the value/,
    ],
    ['tables that changed', refused('42703'), 'The tables have changed since this was written', /^Look at the record/],
    ['anything else', refused('XX000'), 'The server did not accept this change', /operator/],
    [
      'no answer that is known',
      { op_id: 1, status: 'unexpected', httpStatus: 502, code: undefined, message: 'x' },
      'The server could not take this change',
      /^Try again later/,
    ],
  ])('%s', (_, verdict, title, advice) => {
    const words = verdictWords(verdict)
    expect(words.title).toBe(title)
    if (typeof advice === 'string') expect(words.advice).toBe(advice)
    else expect(words.advice).toMatch(advice)
  })

  test('columns are called as the project calls them', () => {
    const verdict = refused('23502', { column: 'due_on' })
    expect(verdictWords(verdict, () => 'Deadline').title).toBe('Deadline needs a value')
  })

  test.each([
    ['Not on Sundays', ' Not on Sundays. ', true],
    ['Not on Sundays!', 'Not on Sundays…', true],
    ['Not on Sundays', 'Not on Mondays', false],
  ])('%j and %j say the same: %s', (one, other, is) => expect(saysTheSame(one, other)).toBe(is))
})
