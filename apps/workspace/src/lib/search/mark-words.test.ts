import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { markWords } from './mark-words.ts'

const letters = (maxLength: number): fc.Arbitrary<string> => fc.string({ unit: 'binary', maxLength })
const found = (text: string, words: readonly string[], length?: number): readonly string[] =>
  markWords(text, words, length).flatMap((piece) => (piece.isFound ? [piece.text] : []))

describe('found words in a text', () => {
  test('stand out as they are written there, the longer of two that begin alike', () => {
    expect(found('Pump 3 of the pumping station', ['pump', 'pumping'])).toEqual(['Pump', 'pumping'])
    expect(found('a.b axb', ['a.b'])).toEqual(['a.b'])
    expect(found('nothing of it', ['pump'])).toEqual([])
  })

  test('a long text is cut around the first of them', () => {
    const text = `${'before '.repeat(40)}gasket${' after'.repeat(40)}`
    const pieces = markWords(text, ['gasket'], 100)
    const shown = pieces.map((piece) => piece.text).join('')
    expect(shown).toContain('gasket')
    expect(shown.startsWith('…')).toBe(true)
    expect(shown.endsWith('…')).toBe(true)
    expect(shown.length).toBeLessThanOrEqual(102)
  })

  test('nothing of a text is lost or added, whatever it and the words are', () => {
    fc.assert(
      fc.property(letters(60), fc.array(letters(6), { maxLength: 4 }), (text, words) => {
        const shown = markWords(text, words)
          .map((piece) => piece.text)
          .join('')
        expect(shown).toBe(text.replaceAll(/\s+/g, ' '))
      }),
    )
  })
})
