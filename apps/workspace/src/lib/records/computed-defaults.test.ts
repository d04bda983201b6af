import type { LocalDatabase } from '@holdfast/client'
import type { ColumnDescriptor } from '@holdfast/protocol'
import { expect, test } from 'vitest'
import { withDefaults } from './computed-defaults.ts'

const WORKSPACE = '11111111-1111-4111-8111-111111111111'
const column = (name: string, computedDefault?: ColumnDescriptor['computedDefault']): ColumnDescriptor => ({
  name,
  local: 'text',
  type: 'text',
  nullable: true,
  hasDefault: computedDefault !== undefined,
  generated: false,
  ...(computedDefault && { computedDefault }),
})
const columns = [
  column('title'),
  column('day', { from: 'today', workspace: WORKSPACE }),
  column('moment', { from: 'now' }),
  column('who', { from: 'me', workspace: WORKSPACE }),
]
const localOf = (here: object | null): LocalDatabase =>
  ({
    userId: 'mina',
    schema: { get: () => ({ version: '1', tables: [{ name: 'faults', columns }] }) },
    database: { getOptional: async () => here },
  }) as unknown as LocalDatabase
const insert = (values: Record<string, string | null>) =>
  ({ kind: 'insert', table: 'faults', id: 'f1', values }) as const
const AT = new Date('2026-11-30T11:30:42.123Z')

test('a new record has the day of the workspace, the minute and the membership at which it was created', async () => {
  const local = localOf({ zone: 'Pacific/Kiritimati', member: 'm1' })
  const [change] = await withDefaults(local, [insert({ title: 'A', who: null })], AT)
  expect(change?.values).toEqual({ title: 'A', day: '2026-12-01', moment: '2026-11-30T11:30:00.000000Z', who: 'm1' })
})

test('values that the user entered stay, as do changes of other records', async () => {
  const local = localOf({ zone: 'UTC', member: 'm1' })
  const given = insert({ day: '2020-01-01', moment: '2020-01-01T00:00:00.000000Z', who: 'm2' })
  const update = { ...given, kind: 'update', before: {}, values: { day: null } } as const
  expect(await withDefaults(local, [given, update], AT)).toEqual([given, update])
})

test('who is no member of the workspace has no default of who creates the record', async () => {
  const [change] = await withDefaults(localOf(null), [insert({})], AT)
  expect(change?.values).toEqual({ day: '2026-11-30', moment: '2026-11-30T11:30:00.000000Z' })
})
