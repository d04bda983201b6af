import { expect, test } from 'vitest'
import { parseCursor, parseEditing, parseHere, parseTyping } from './shown.ts'

test('what others show is read when it has the form, and a long name is cut', () => {
  expect(parseHere({ name: ' Mina Kaya ', more: 1 })).toEqual({ name: 'Mina Kaya' })
  expect(parseHere({ name: 'x'.repeat(1_000) })?.name).toHaveLength(60)
  const cursor = { user: 'u', record: 'r', field: 'title', isEditing: false }
  expect(parseCursor(cursor)).toEqual(cursor)
  for (const field of ['title', null]) expect(parseEditing({ user: 'u', field })).toEqual({ user: 'u', field })
})

test.each([undefined, null, 'x', {}, { name: 1 }, { name: ' ' }])('%j is no person', (shown) => {
  expect(parseHere(shown)).toBeUndefined()
  expect(parseCursor(shown)).toBeUndefined()
  expect(parseEditing(shown)).toBeUndefined()
  expect(parseTyping(shown)).toBeUndefined()
})
