import { expect, test } from 'vitest'
import { CallRefused } from '../lib/data/call-function.ts'
import { describeRefusal } from './use-call.ts'

test.each([
  ['the rule that was broken', 400, { code: 'P0001', hint: 'member.last_owner' }, /keeps at least one owner/],
  [
    'a right that was taken away meanwhile',
    403,
    { code: '42501', hint: 'people.not_admin' },
    /^Only owners and admins/,
  ],
  ['a session that has ended', 401, { code: 'PGRST301' }, /^Your session has ended/],
  ['too much at a time', 429, {}, /Try again later/],
])('a refusal is told by %s', (_, status, body, text) => {
  const failure = describeRefusal(new CallRefused(status, body))
  expect(failure.text).toMatch(text)
  expect(failure.technical).toBeUndefined()
})

test('the words of the server stay, because they name what the text only describes', () => {
  const body = { code: '42501', hint: 'people.not_admin', message: 'You are no admin of Water.' }
  expect(describeRefusal(new CallRefused(403, body))).toMatchObject({ details: 'You are no admin of Water.' })
  const used = describeRefusal(new CallRefused(400, { hint: 'x.used', message: 'Used by Sum' }), { 'x.used': 'In use' })
  expect(used).toEqual({ text: 'In use', technical: 'Used by Sum' })
})

test('a server that is not reached has changed nothing, and what is unknown is told as it came', () => {
  expect(describeRefusal(new TypeError('Failed to fetch')).text).toMatch(/could not be reached/)
  expect(describeRefusal(new CallRefused(500, { code: 'XX000', message: 'broken' })).technical).toBe('500 XX000 broken')
})
