import type { RejectedChange } from '@holdfast/client'
import type { ColumnDescriptor } from '@holdfast/protocol'
import { expect, test } from 'vitest'
import { conflictingTexts } from './conflicting-texts.ts'

const column = (name: string, rest: Partial<ColumnDescriptor> = {}): ColumnDescriptor => ({
  name,
  type: 'text',
  local: 'text',
  nullable: true,
  hasDefault: false,
  generated: false,
  guard: 'column',
  ...rest,
})

function conflict(current: Readonly<Record<string, string | null>>): RejectedChange {
  const old = { notes: 'pump\nvalve\nhatch', state: 'open', plan: 'a' }
  return {
    operations: [{ op_id: 1, op: 'PATCH', type: 'visits', id: '1', data: { notes: 'pump: mine\nvalve\nhatch' }, old }],
    verdict: { op_id: 1, status: 'conflict', message: '', current },
  } as unknown as RejectedChange
}

const record = (...columns: readonly ColumnDescriptor[]): Parameters<typeof conflictingTexts>[1] => ({
  fields: columns.map((one) => ({ column: one, yours: 'pump: mine\nvalve\nhatch' })),
})

test('a text that both changed has the lines of both in their place, theirs first', () => {
  const [text, ...others] = conflictingTexts(
    conflict({ notes: 'pump: theirs\nvalve\nhatch\nlamp' }),
    record(column('notes')),
  )
  expect(others).toEqual([])
  expect(text).toMatchObject({ mine: 'pump: mine\nvalve\nhatch', theirs: 'pump: theirs\nvalve\nhatch\nlamp' })
  expect(text?.both).toBe('pump: theirs\npump: mine\nvalve\nhatch\nlamp')
})

test('a text that only the person changed, a state, and a refusal for another reason are none', () => {
  const all = record(column('notes'), column('state', { choices: ['open', 'done'] }), column('plan', { guard: 'row' }))
  expect(conflictingTexts(conflict({ notes: 'pump\nvalve\nhatch', state: 'done', plan: 'b' }), all)).toEqual([])
  const refused = { ...conflict({}), verdict: { op_id: 1, status: 'no_row', message: '' } } as RejectedChange
  expect(conflictingTexts(refused, all)).toEqual([])
})

test('both versions of a short text stay in one line', () => {
  const title = { fields: [{ column: column('plan'), yours: 'mine' }] }
  expect(conflictingTexts(conflict({ plan: 'theirs' }), title)[0]?.both).toBe('theirs / mine')
})
