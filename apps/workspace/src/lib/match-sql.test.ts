import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchSql, type MatchPlace } from './match-sql.ts'

const database = new DatabaseSync(':memory:')

function matches(text: string | null, wanted: string, place?: MatchPlace): boolean | null {
  const { text: condition, values } = matchSql('t.text', wanted, place)
  const statement = database.prepare(`select ${condition} as found from (select ? as text) t`)
  const { found } = statement.get(...values, text) as { found: number | null }
  return found === null ? null : found === 1
}

describe('a text is found', () => {
  test.each([
    ['Überlauf am Schacht', 'überlauf'],
    ['überlauf', 'ÜBER'],
    ['Größe', 'GRÖ'],
    ['Straße', 'straße'],
    ['ΑΝΤΛΙΑ', 'αντλία'.replace('ί', 'ι')],
    ['Насос', 'НАСОС'],
    ['Pump room', 'PUMP'],
    ['ポンプ', 'ンプ'],
  ])('in whatever case it is written: %s, %s', (text, wanted) => {
    expect(matches(text, wanted)).toBe(true)
  })

  test.each(['*', '?', '[', ']', '^', '-', '%', '_', '\\', '[ü]', 'ü*', 'ü?', 'ü[a', '^ü', 'ü%'])(
    'only where it stands as it is: %s',
    (wanted) => {
      expect(matches(`a ${wanted} z`, wanted)).toBe(true)
      expect(matches('a über z', wanted)).toBe(false)
    },
  )

  test('at its beginning, where that is wanted', () => {
    expect(matches('Überlauf', 'über', 'start')).toBe(true)
    expect(matches('Der Überlauf', 'über', 'start')).toBe(false)
  })

  test('nowhere in no text', () => {
    expect(matches(null, 'ü')).toBeNull()
    expect(matches(null, 'u')).toBeNull()
  })

  test('whenever it is part of a text, in any script, and in capitals where each letter has one', () => {
    const anything = fc.string({ unit: fc.constantFrom(...'aZ äÖßéñжЯσΣ水🦺*?[]^-%_\\"\'\n'), maxLength: 12 })
    const plain = (text: string): boolean => [...text].every((letter) => [...letter.toUpperCase()].length === 1)
    fc.assert(
      fc.property(anything, anything, anything, (before, wanted, after) => {
        expect(matches(before + wanted + after, wanted)).toBe(true)
        expect(matches(wanted + after, wanted, 'start')).toBe(true)
        if (plain(wanted)) expect(matches(before + wanted.toUpperCase() + after, wanted)).toBe(true)
      }),
    )
  })

  test('never where it is not part of the text in any case', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'aäÄö*?[]^-'), maxLength: 6 })
    fc.assert(
      fc.property(letters, letters, (text, wanted) => {
        expect(matches(text, wanted)).toBe(text.toUpperCase().includes(wanted.toUpperCase()))
      }),
    )
  })
})
