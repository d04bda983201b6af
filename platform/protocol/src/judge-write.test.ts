import { expect, test } from 'vitest'
import { judgeWrite, type Judgement, type PlannedWrite } from './judge-write.ts'
import type { CommandRules, WriteRules } from './write-rules.ts'

const TRANSITIONS: CommandRules['transitions'] = [
  {
    column: 'state',
    isAnyNew: false,
    reads: ['hf_transitions'],
    from: [
      { value: null, words: 'State of a new record is Open.', to: [{ value: 'open', words: '' }] },
      {
        value: 'open',
        words: 'State goes from Open to Sent.',
        to: [{ value: 'sent', when: { is: 'value', value: { fact: 'clerk' } }, words: 'Only a clerk sends it.' }],
      },
    ],
  },
]
const COMMAND: CommandRules = {
  set: [],
  filled: [],
  required: ['state', 'title'],
  checks: [
    {
      name: 'titled',
      columns: ['title'],
      when: {
        is: 'compare',
        operator: '>',
        as: 'integer',
        left: { call: 'length', of: { call: 'btrim', of: { column: 'title' } } },
        right: { text: '0' },
      },
    },
  ],
  transitions: TRANSITIONS,
}

function judge(write: Omit<PlannedWrite, 'table'>, clerk: string | null = 'false', isCurrent = true): Judgement {
  const rules: WriteRules = {
    version: '',
    tables: { orders: { insert: COMMAND, update: COMMAND } },
    facts: { clerk: { value: clerk, reads: [] } },
  }
  return judgeWrite({ table: 'orders', ...write }, { rules, rowOf: () => undefined, isCurrent: () => isCurrent })
}

const row = { id: '1', title: 'Pipes', state: 'open' }
const change = (values: object, before: object = row): Omit<PlannedWrite, 'table'> => ({
  command: 'update',
  before: { ...before },
  after: { ...before, ...values },
  changed: Object.keys(values),
})
const words = (judgement: Judgement): string | undefined =>
  judgement.kind === 'refused' && judgement.refusal.reason === 'transition' ? judgement.refusal.words : undefined

test('a value that does not follow is refused with its sentence, one that follows for others with theirs', () => {
  expect(words(judge(change({ state: 'lost' })))).toBe('State goes from Open to Sent.')
  expect(words(judge(change({ state: 'sent' })))).toBe('Only a clerk sends it.')
  expect(judge(change({ state: 'sent' }), 'true').kind).toBe('allowed')
  expect(words(judge({ command: 'insert', after: { ...row, state: 'sent' } }))).toBe('State of a new record is Open.')
  expect(judge({ command: 'insert', after: row }).kind).toBe('allowed')
})

test('transitions that have changed since, and values that are not known, are left to the server', () => {
  expect(judge(change({ state: 'lost' }), 'false', false).kind).toBe('allowed')
  expect(judge(change({}, { id: '1', title: 'Pipes' })).kind).toBe('allowed')
})

test('constraints are those of Postgres: a value that is missing, a text of spaces', () => {
  expect(judge(change({ title: null }))).toMatchObject({ refusal: { reason: 'required', columns: ['title'] } })
  expect(judge(change({ title: '   ' }))).toMatchObject({ refusal: { reason: 'check', check: { name: 'titled' } } })
})

test('a record that is not sent yet has no values where the database will have defaults', () => {
  expect(judge(change({ title: 'Valves' }, { id: '1', title: null, state: null })).kind).toBe('allowed')
  expect(judge(change({ state: 'sent' }, { id: '1', title: null, state: null })).kind).toBe('allowed')
})
