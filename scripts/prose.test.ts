import { expect, test } from 'vitest'
import { findLongLines, wrapProse } from './prose.ts'

const WORDS = 'lorem ipsum dolor sit amet '.repeat(10).trim()

test('a paragraph with a line that is too long is wrapped, and keeps its words', () => {
  const wrapped = wrapProse(`A title\n\n${WORDS}\nand the end.\n`)
  expect(wrapped.split(/\s+/)).toEqual(`A title ${WORDS} and the end. `.split(/\s+/))
  expect(Math.max(...wrapped.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120)
  expect(findLongLines(wrapped)).toEqual([])
})

test('what continues an item is indented like its text', () => {
  const lines = wrapProse(`* ${WORDS}\n* two`).split('\n')
  expect(lines.map((line) => line.slice(0, 2))).toEqual(['* ', '  ', '  ', '* '])
})

test('code, tables, headings and lines without a place to break are left alone', () => {
  const text = [
    `\`\`\`\n${WORDS}\n\`\`\``,
    `| ${WORDS} |`,
    `# ${WORDS}`,
    `https://example.org/${'a'.repeat(200)}`,
  ].join('\n\n')
  expect(findLongLines(text)).toEqual([])
  expect(wrapProse(text)).toBe(text)
})

test('a code span stays on one line, and no line begins like an item', () => {
  const text = `${'word '.repeat(22)}\`select one from two\` ${'- '.repeat(3)}${WORDS}`
  const lines = wrapProse(text).split('\n')
  expect(lines.some((line) => line.includes('`select one from two`'))).toBe(true)
  expect(lines.some((line) => line.startsWith('- '))).toBe(false)
})

test('a line that is too long is told with its number and length', () => {
  expect(findLongLines(`short\n\n${WORDS}`)).toEqual([{ line: 3, length: WORDS.length }])
})
