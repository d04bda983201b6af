import { expect, test } from 'vitest'
import { pageCss, paperOf } from './paper.ts'

test.each([
  ['en-US', 'letter'],
  ['es-MX', 'letter'],
  ['en-GB', 'A4'],
  ['de', 'A4'],
])('the usual paper of %s is %s', (locale, paper) => {
  expect(paperOf(locale)).toBe(paper)
})

test('a name with quotes, backslashes and line ends stays a text in the footer', () => {
  const css = pageCss('A4', 'landscape', 'A "B" \\ C\n} * { display: none }')
  expect(css).toContain('size: A4 landscape')
  expect(css).toContain(String.raw`content: "A \22 B\22  \5c  C\a } * { display: none }"`)
})
