import { expect, test } from 'vitest'
import { insertMention, mentionedIn, mentionStart, splitMentions, suggestPeople } from './mentions.ts'

const people = ['Dana Okafor', 'Édith Dale', 'Mina Kaya', 'Sam Dana'].map((name, place) => ({
  userId: `u${String(place)}`,
  name,
}))

test.each([
  ['@', 1, { at: 0, typed: '' }],
  ['Ask @da', 7, { at: 4, typed: 'da' }],
  ['Ask (@Dana Ok', 13, { at: 5, typed: 'Dana Ok' }],
  ['@da and more', 3, { at: 0, typed: 'da' }],
  ['mail me@example.org', 19, undefined],
  ['@ no', 4, undefined],
  ['@Dana said that it', 18, undefined],
  ['@Dana\nnext', 10, undefined],
])('what is typed in %j at %i begins the mention %j', (text, cursor, start) => {
  expect(mentionStart(text, cursor)).toEqual(start)
})

test('people are suggested whose names begin so, without regard to accents, first names first', () => {
  expect(suggestPeople(people, 'da').map(({ name }) => name)).toEqual(['Dana Okafor', 'Édith Dale', 'Sam Dana'])
  expect(suggestPeople(people, 'edi').map(({ name }) => name)).toEqual(['Édith Dale'])
  expect(suggestPeople(people, 'xyz')).toEqual([])
})

test('a mention takes the place of what was typed, and counts while it stands in the text', () => {
  const { text, cursor } = insertMention('Ask @da today', { at: 4, typed: 'da' }, 'Dana Okafor')
  expect(text).toBe('Ask @Dana Okafor today')
  expect(text.slice(cursor)).toBe('today')
  expect(mentionedIn(text, people)).toEqual(['u0'])
  expect(mentionedIn('Ask @Dana', people)).toEqual([])
})

test.each([
  ['@Anna', []],
  ['Hello @Anna, @Ann!', ['ann']],
  ['(@Ann)', ['ann']],
  ['@Ann Lee', ['lee']],
  ['@Ann Lees and @Ann', ['ann']],
  ['mail@Ann', []],
  ['@Ann, @Ann Lee', ['ann', 'lee']],
])('%j mentions whole names only: %j', (text, mentioned) => {
  const chosen = [
    { userId: 'ann', name: 'Ann' },
    { userId: 'lee', name: 'Ann Lee' },
  ]
  expect(mentionedIn(text, chosen)).toEqual(mentioned)
})

test('mentions are told apart in the text, the longer name first', () => {
  expect(
    splitMentions('@Al-Bo (x) and @Al-Bo (x) B', ['Al-Bo (x)', 'Al-Bo (x) B']).map(({ text, isMention }) => [
      text,
      isMention,
    ]),
  ).toEqual([
    ['@Al-Bo (x)', true],
    [' and ', false],
    ['@Al-Bo (x) B', true],
  ])
  expect(splitMentions('plain', [])).toEqual([{ text: 'plain', isMention: false }])
})
