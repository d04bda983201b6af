import { expect, test } from 'vitest'
import { PEOPLE_MAX } from './limits.ts'
import { readPeople } from './read-people.ts'

test('a user with several tabs is one person, with what changed last', () => {
  const presence = {
    mina: [
      { presence_ref: '1', record: 'a' },
      { presence_ref: '2', record: 'b' },
    ],
    dana: [{ presence_ref: '3' }],
  }
  expect(readPeople(presence, 'dana')).toEqual({
    people: [
      { key: 'dana', state: {}, isMe: true },
      { key: 'mina', state: { record: 'b' }, isMe: false },
    ],
    total: 2,
  })
})

test('a crowd is counted and not handed out', () => {
  const crowd = Object.fromEntries(Array.from({ length: 1_000 }, (_, place) => [`user ${place}`, [{}]]))
  const { people, total } = readPeople(crowd, 'me')
  expect([people.length, total]).toEqual([PEOPLE_MAX, 1_000])
})
