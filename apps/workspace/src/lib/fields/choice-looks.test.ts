import { describe, expect, test } from 'vitest'
import { choiceLooks, inUsualOrder } from './choice-looks.ts'

describe('the looks of a choice', () => {
  test('do not depend on capitals, spaces or the language of known words', () => {
    const done = { colour: 'green', glyph: 'check' }
    for (const word of ['done', 'Done', 'DONE', 'Erledigt', 'Completed']) expect(choiceLooks(word)).toEqual(done)
    expect(choiceLooks('In progress')).toEqual(choiceLooks('doing'))
  })

  test('have the colour that is set for the choice, and keep their shape', () => {
    expect(choiceLooks('Done', [], new Map([['Done', 'pink']]))).toEqual({ colour: 'pink', glyph: 'check' })
    expect(choiceLooks('done', [], new Map([['Done', 'pink']]))).toEqual({ colour: 'green', glyph: 'check' })
  })

  test('differ between the unknown words of a field', () => {
    const sites = ['North', 'South', 'East', 'West', 'Centre', 'Harbour']
    expect(new Set(sites.map((site) => choiceLooks(site, sites).colour)).size).toBe(sites.length)
  })
})

test.each([
  [
    ['Done', 'Blocked', 'Open', 'Doing'],
    ['Open', 'Doing', 'Blocked', 'Done'],
  ],
  [
    ['Hoch', 'Niedrig', 'Mittel'],
    ['Niedrig', 'Mittel', 'Hoch'],
  ],
  [
    ['Site 10', 'Site 9', 'Depot'],
    ['Depot', 'Site 9', 'Site 10'],
  ],
])('the choices %j are usually in the order %j', (given, expected) => {
  expect(inUsualOrder(given)).toEqual(expected)
})
