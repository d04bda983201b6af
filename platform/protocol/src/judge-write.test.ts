import { expect, test } from 'vitest'
import { judgeWrite, type Judgement, type PlannedWrite, type RowStanding } from './judge-write.ts'
import type { CommandRules, RuleCondition, WriteRules } from './write-rules.ts'

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
  expect(judge(change({ state: 'lost' }))).toMatchObject({ refusal: { from: 'open', next: ['sent'] } })
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

const DEFAULTS: WriteRules = {
  version: '',
  facts: { me: { value: 'u1', reads: [] } },
  tables: {
    orders: {
      insert: {
        set: ['number'],
        filled: ['note'],
        required: ['title'],
        defaults: { state: { text: 'open' }, owner: { fact: 'me' }, made_at: null },
        transitions: TRANSITIONS,
      },
      update: {
        set: [],
        filled: [],
        required: ['title', 'state'],
        using: {
          permissive: ['state', 'owner', 'made_at', 'note', 'number'].map((column) => ({
            name: column,
            when: { is: 'compare', operator: '=', as: 'text', left: { column }, right: { text: `${column}!` } },
          })),
          restrictive: [],
        },
        transitions: TRANSITIONS,
      },
    },
  },
}
const judgeMade = (write: Omit<PlannedWrite, 'table'>, standing: RowStanding, rules = DEFAULTS): Judgement =>
  judgeWrite(
    { table: 'orders', ...write },
    { rules, rowOf: () => undefined, isCurrent: () => true, standingOf: () => standing },
  )

test('a new record gets the defaults of its columns', () => {
  const insert = (values: object): Judgement => judgeMade({ command: 'insert', after: { ...values } }, 'stored')
  expect(insert({ title: 'A', state: null, owner: null }).kind).toBe('allowed')
  expect(insert({ title: null, state: null })).toMatchObject({ refusal: { reason: 'required', columns: ['title'] } })
  expect(words(insert({ title: 'A', state: 'sent' }))).toBe('State of a new record is Open.')
})

test('a record that is not sent yet is judged with the defaults that it will have, and what else the database sets is not known', () => {
  const made = { id: '1', title: 'A', state: null, owner: null, made_at: null, note: null, number: null }
  const only = (column: string): WriteRules => {
    const { insert, update } = DEFAULTS.tables['orders'] ?? {}
    const gate = update?.using?.permissive.filter(({ name }) => name === column) ?? []
    return {
      ...DEFAULTS,
      tables: {
        orders: { insert, update: { ...update, set: [], filled: [], using: { permissive: gate, restrictive: [] } } },
      } as WriteRules['tables'],
    }
  }
  const kindOf = (column: string, standing: RowStanding): string =>
    judgeMade(change({ title: 'B' }, made), standing, only(column)).kind
  expect(['state', 'owner'].map((column) => kindOf(column, 'unsent'))).toEqual(['refused', 'refused'])
  expect(['made_at', 'note', 'number'].map((column) => kindOf(column, 'unsent'))).toEqual(Array(3).fill('unknown'))
  // Changed since, or sent: it may have its defaults, or have been emptied.
  expect(['state', 'owner', 'number'].map((column) => kindOf(column, 'on its way'))).toEqual(Array(3).fill('unknown'))
  expect(kindOf('owner', 'stored')).toBe('refused')
  expect(
    words(
      judgeMade(change({ state: 'lost' }, made), 'unsent', {
        ...DEFAULTS,
        tables: { orders: { ...DEFAULTS.tables['orders'], update: COMMAND } },
      }),
    ),
  ).toBe('State goes from Open to Sent.')
})

test('rules of an earlier server say nothing of defaults, nor does a device of what is empty in a new record', () => {
  const insert = (values: object): Judgement => judge({ command: 'insert', after: { ...values } })
  expect(insert({ title: 'A', state: null })).toMatchObject({ refusal: { reason: 'required', columns: ['state'] } })
  expect(
    judgeMade(change({ title: 'B' }, { id: '1', title: 'A', owner: null }), 'unsent', {
      ...DEFAULTS,
      tables: { orders: { ...DEFAULTS.tables['orders'], insert: { set: [], filled: [] } } },
    }).kind,
  ).toBe('unknown')
})

test('a record that is not sent yet has no values where the database will have defaults', () => {
  expect(judge(change({ title: 'Valves' }, { id: '1', title: null, state: null })).kind).toBe('allowed')
  expect(judge(change({ state: 'sent' }, { id: '1', title: null, state: null })).kind).toBe('allowed')
})

const CHECKED = (when: RuleCondition): CommandRules => ({
  set: [],
  filled: [],
  checks: [{ name: 'checked', columns: ['title', 'at'], when }],
})
/** Whether devices know that a condition holds of the changed row: a CHECK refuses what is certainly false. */
function outcomeOf(when: RuleCondition, values: object): 'true' | 'false' | 'unknown' {
  const isRefused = (one: RuleCondition): boolean =>
    judgeWrite(
      { table: 'orders', ...change(values) },
      {
        rules: { version: '', tables: { orders: { update: CHECKED(one) } }, facts: {} },
        rowOf: () => undefined,
        isCurrent: () => true,
      },
    ).kind === 'refused'
  return isRefused(when) ? 'false' : isRefused({ is: 'not', of: when }) ? 'true' : 'unknown'
}

test.each([
  ['2026-03-01T12:00:00.000001+00', '>', '2026-03-01 12:00:00Z', 'true'],
  ['2026-03-01T13:00:00+01:00', '=', '2026-03-01 12:00:00.000Z', 'true'],
  ['2026-03-01 09:00:00-0330', '<', '2026-03-01T12:30:00+00', 'false'],
  ['2026-03-01 09:00:00-03:30', '<=', '2026-03-01T12:30:00+00', 'true'],
  ['infinity', '<', '2026-03-01T12:30:00+00', 'unknown'],
  ['2026-03-01', '<', '2026-03-01T12:30:00+00', 'unknown'],
] as const)('the time %s %s %s: %s', (at, operator, limit, outcome) => {
  const when = { is: 'compare', operator, as: 'moment', left: { column: 'at' }, right: { text: limit } } as const
  expect(outcomeOf(when, { at })).toBe(outcome)
})

test.each([
  ['Old PIPES', 'true'],
  ['Old wires', 'false'],
  ['Pipes für Öl', 'unknown'],
  [null, 'unknown'],
] as const)('the lower case of %j is known as far as it is the same everywhere: %s', (title, outcome) => {
  const when = { is: 'contains', value: { call: 'lower', of: { column: 'title' } }, part: { text: 'pipes' } } as const
  expect(outcomeOf(when, { title })).toBe(outcome)
})
