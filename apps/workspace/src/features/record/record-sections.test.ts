import type { ColumnDescriptor, SchemaDescriptor, TableDescriptor } from '@holdfast/protocol'
import { expect, test } from 'vitest'
import type { FieldPlace } from '../../lib/data/tables.ts'
import { fieldsOf } from '../../lib/fields/field.ts'
import { sectionsOf } from './record-sections.ts'

const column = (name: string, type = 'text', rest: Partial<ColumnDescriptor> = {}): ColumnDescriptor => ({
  name,
  type,
  local: 'text',
  nullable: true,
  hasDefault: false,
  generated: false,
  ...rest,
})
const table = (name: string, columns: readonly ColumnDescriptor[]): TableDescriptor => ({
  name,
  schema: 'public',
  table: name,
  columns: [column('id', 'uuid'), ...columns],
  can: { insert: true, update: true, delete: true },
  indexes: [],
})

const visits = table('visits', [
  column('title'),
  column('site', 'uuid', { references: { table: 'sites', column: 'id' } }),
  column('visitor', 'uuid', { references: { table: 'people', column: 'id' } }),
  column('day', 'date'),
  column('started', 'timestamp with time zone'),
  column('hours', 'numeric'),
  column('cost', 'numeric', { generated: true }),
  column('created_at', 'timestamp with time zone'),
])
const people = table('people', [column('name'), column('user_id', 'uuid')])
// Also maps names to accounts, but does not belong to the project.
const members: TableDescriptor = {
  ...table('hf_members', [column('name'), column('user_id', 'uuid')]),
  schema: 'holdfast',
}
const schema: SchemaDescriptor = { version: '1', tables: [members, visits, people, table('sites', [column('name')])] }
const fields = fieldsOf(visits, schema)

test('who and when stand beside what, computed values and what the database keeps below', () => {
  const { main, beside, kept } = sectionsOf(fields, schema)
  expect(main.map(({ title, fields }) => [title, fields.map(({ name }) => name)])).toEqual([
    [undefined, ['title', 'site', 'hours']],
  ])
  expect(beside.map(({ name }) => name)).toEqual(['visitor', 'day', 'started'])
  expect(kept.map(({ name }) => name)).toEqual(['cost', 'id', 'created_at'])
})

const place = (rest: Partial<FieldPlace>): FieldPlace => ({
  id: '1',
  place: undefined,
  section: undefined,
  heading: undefined,
  position: undefined,
  isHidden: false,
  workspace: null,
  words: {},
  ...rest,
})
const names = (of: readonly { readonly name: string }[]): readonly string[] => of.map(({ name }) => name)

test('the project says otherwise: order, headings, and what is not shown', () => {
  const layout = new Map([
    ['hours', place({ position: 10, section: 'Effort' })],
    ['cost', place({ position: 20, section: 'Effort', place: 'main' })],
    ['started', place({ position: 30, place: 'bottom' })],
    ['site', place({ isHidden: true })],
  ])
  const { main, beside, kept } = sectionsOf(fields, schema, layout)
  expect(main.map(({ title, fields: under }) => [title, names(under)])).toEqual([
    [undefined, ['title']],
    ['Effort', ['hours', 'cost']],
  ])
  expect(names(beside)).toEqual(['visitor', 'day'])
  expect(names(kept)).toEqual(['started', 'id', 'created_at'])
})

test('a draft asks for what it needs, wherever that stands', () => {
  const needed = fields.map((field) => ({ ...field, isRequired: field.name === 'hours' || field.name === 'site' }))
  const layout = new Map([
    ['hours', place({ place: 'bottom' })],
    ['site', place({ isHidden: true })],
  ])
  expect(names(sectionsOf(needed, schema, layout, true).main.flatMap(({ fields: under }) => under))).toEqual([
    'title',
    'site',
    'hours',
  ])
})
