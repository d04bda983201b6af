import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nameOf } from './name-of.ts'

const free = (): boolean => false

test.each([
  ['Größe (m)', 'groesse_m'],
  ['Prénom', 'prenom'],
  ['  Valve ref. ', 'valve_ref'],
  ['2026 total', 'field_2026_total'],
  ['pg_class', 'field_pg_class'],
  ['sqlite-export', 'field_sqlite_export'],
  ['json each', 'field_json_each'],
  ['true', 'field_true'],
  ['名前', 'field_1'],
  ['', 'field_1'],
])('%j is called %s', (label, name) => {
  expect(nameOf(label, 'field', free)).toBe(name)
})

test('a name that is taken has a number behind it', () => {
  const taken = new Set(['site', 'site_2', 'field_1'])
  expect(nameOf('Site', 'field', (name) => taken.has(name))).toBe('site_3')
  expect(nameOf('場所', 'field', (name) => taken.has(name))).toBe('field_2')
})

test('every label has a name that the server takes, and no two labels the same', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 80 }), { maxLength: 20 }), (labels) => {
      const taken = new Set<string>()
      for (const label of labels) {
        const name = nameOf(label, 'field', (one) => taken.has(one))
        expect(name).toMatch(/^[a-z][a-z0-9_]{0,50}$/)
        expect(name).not.toMatch(/^(pg|ps|hf|sqlite|powersync|pragma)_/)
        expect(taken).not.toContain(name)
        taken.add(name)
      }
    }),
  )
})
