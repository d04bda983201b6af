import { expect, test } from 'vitest'
import type { Judgement, WriteRefusal } from '@holdfast/client'
import { toTableInfo } from '../data/tables.ts'
import { fieldsOf } from '../fields/field.ts'
import { toRights, writesOf } from './record-rights.ts'

const column = { local: 'text', type: 'text', nullable: true, hasDefault: false, generated: false } as const
const descriptor = {
  name: 'jobs',
  schema: 'public',
  table: 'jobs',
  columns: [
    { ...column, name: 'title' },
    { ...column, name: 'state', choices: ['open', 'done'] },
  ],
  can: { insert: true, update: true, delete: true },
  indexes: [],
}
const fields = fieldsOf(descriptor, { version: '1', tables: [descriptor] })
const writes = writesOf(toTableInfo(descriptor), 'a', fields, { title: 'A', state: 'open' })

const allowed: Judgement = { kind: 'allowed' }
const refusal: WriteRefusal = { reason: 'permission', policies: [] }
const refused: Judgement = { kind: 'refused', refusal }

test('asks about each field with any value, each choice, and the deletion', () => {
  expect(writes.map(({ command, changed, after }) => [command, changed?.[0], after?.['state']])).toEqual([
    ['delete', undefined, undefined],
    ['update', 'title', 'open'],
    ['update', 'state', undefined],
    ['update', 'state', 'open'],
    ['update', 'state', 'done'],
  ])
  expect(writes[1]?.after).not.toHaveProperty('title')
})

test('a record is read-only when every field is, and not before', () => {
  expect(toRights(fields, [allowed, refused, refused, refused, refused]).readOnly).toBe(refusal)
  const some = toRights(fields, [refused, refused, { kind: 'unknown' }, allowed, refused])
  expect(some.readOnly).toBeUndefined()
  expect([...some.fields.keys()]).toEqual(['title'])
  expect([...(some.choices.get('state')?.keys() ?? [])]).toEqual(['done'])
  expect(some.isDeletable).toBe(false)
})

test('nothing is withheld before the answer, nor where it is not known', () => {
  const rights = toRights(fields, [])
  expect([rights.readOnly, rights.fields.size, rights.choices.size, rights.isDeletable]).toEqual([
    undefined,
    0,
    0,
    true,
  ])
})
