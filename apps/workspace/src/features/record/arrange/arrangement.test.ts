import { expect, test } from 'vitest'
import { type FieldPlace, toTableInfo } from '../../../lib/data/tables.ts'
import { fieldsOf } from '../../../lib/fields/field.ts'
import { testTable } from '../../../lib/fields/test-fields.test-support.ts'
import { addSection, changesFor, moveOver, moveTo, type Part, partsOf, step } from './arrangement.ts'

const column = (name: string, type = 'text') =>
  ({ name, type, local: 'text', nullable: true, hasDefault: false, generated: false }) as const
const visits = testTable('visits', [column('title'), column('note'), column('day', 'date'), column('created_at')])
const schema = { version: '1', tables: [visits] }
const fields = fieldsOf(visits, schema)
const table = toTableInfo(visits)
const found = partsOf(fields, schema)

const shown = (parts: readonly Part[]): readonly (readonly [string, readonly string[]])[] =>
  parts.map(({ place, title, fields: under }) => [title ?? place, under])
const row = (rest: Partial<FieldPlace>): FieldPlace => ({
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

test('without rows the parts are those that follow from the schema', () => {
  expect(shown(found)).toEqual([
    ['main', ['title', 'note']],
    ['beside', ['day']],
    ['bottom', expect.arrayContaining(['created_at'])],
    ['hidden', []],
  ])
})

test('a dragged field takes the place of another one, also in another part', () => {
  expect(shown(moveOver(found, 'title', 'note', true))[0]).toEqual(['main', ['note', 'title']])
  expect(shown(moveOver(found, 'day', 'note', false)).slice(0, 2)).toEqual([
    ['main', ['title', 'day', 'note']],
    ['beside', []],
  ])
  expect(moveOver(found, 'day', 'gone', true)).toBe(found)
})

test('a field steps within its part, and over its edge into the next one', () => {
  const up = step(found, 'note', -1)
  expect(shown(up)[0]).toEqual(['main', ['note', 'title']])
  expect(shown(step(up, 'title', 1)).slice(0, 2)).toEqual([
    ['main', ['note']],
    ['beside', ['title', 'day']],
  ])
  expect(shown(step(found, 'day', -1)).slice(0, 2)).toEqual([
    ['main', ['title', 'note', 'day']],
    ['beside', []],
  ])
  expect(step(found, 'title', -1)).toBe(found)
})

test('a new section stands after the others of the main part, once', () => {
  const parts = addSection(addSection(found, 'Effort'), 'Effort')
  expect(parts.map(({ place, title }) => title ?? place)).toEqual(['main', 'Effort', 'beside', 'bottom', 'hidden'])
  expect(shown(moveTo(parts, 'note', 1)).slice(0, 2)).toEqual([
    ['main', ['title']],
    ['Effort', ['note']],
  ])
})

test('rows are made for fields that have none, and what the database keeps is left where it stands', () => {
  const changes = changesFor(table, moveTo(found, 'note', 3), found, fields)
  expect(changes.map(({ kind, values }) => [kind, values['field_name'], values['place'], values['is_hidden']])).toEqual(
    [
      ['insert', 'title', 'main', 0],
      ['insert', 'day', 'beside', 0],
      ['insert', 'note', null, 1],
    ],
  )
})

test('of fields that have a row only what changed is written, and can be taken back', () => {
  const layout = new Map([
    ['title', row({ id: 'a', place: 'main', position: 10 })],
    ['note', row({ id: 'b', place: 'main', position: 20, section: 'Effort' })],
    ['day', row({ id: 'c', place: 'beside', position: 30 })],
  ])
  const before = partsOf(fields, schema, layout)
  expect(changesFor({ ...table, layout }, before, before, fields)).toEqual([])
  expect(changesFor({ ...table, layout }, step(before, 'note', -1), before, fields)).toEqual([
    {
      kind: 'update',
      table: 'hf_fields',
      id: 'b',
      values: { place: 'main', section: null, position: 20, is_hidden: 0 },
      before: { place: 'main', section: 'Effort', position: 20, is_hidden: 0 },
    },
  ])
})

test('a row of the project stays as it is: the workspace gets one of its own with the same words', () => {
  const words = { label: 'Titel', help: null, translations: '{}', choices: '{}' }
  const layout = new Map([
    ['title', row({ id: 'a', place: 'main', position: 10, words })],
    ['note', row({ id: 'b', place: 'main', position: 20, workspace: 'water' })],
    ['day', row({ id: 'c', place: 'beside', position: 30 })],
  ])
  const before = partsOf(fields, schema, layout)
  const changes = changesFor({ ...table, layout }, step(before, 'note', -1), before, fields, 'water')
  const place = { place: 'main', section: null, is_hidden: 0 }
  expect(changes).toMatchObject([
    { kind: 'update', id: 'b', values: { ...place, position: 10 } },
    { kind: 'insert', values: { ...place, field_name: 'title', workspace_id: 'water', position: 20, ...words } },
  ])
})
