import { expect, test } from 'vitest'
import { readHeaders } from './read-headers.ts'

test('headers are read a line each', () => {
  expect(readHeaders('Accept: text/html\n\n  X-Link : https://example.com/a:b  \nX-Empty:\r\n')).toEqual([
    { name: 'Accept', value: 'text/html' },
    { name: 'X-Link', value: 'https://example.com/a:b' },
    { name: 'X-Empty', value: '' },
  ])
})

test.each(['no colon', ': value', 'two words: value'])('the line "%s" is refused by its number', (line) => {
  expect(() => readHeaders(`Accept: */*\n${line}`)).toThrow('Line 2 is not')
})
