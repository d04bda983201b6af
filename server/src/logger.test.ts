import { expect, test } from 'vitest'
import { createLogger, type LogFormat } from './logger.ts'

function linesOf(format: LogFormat): string[] {
  const lines: string[] = []
  const logger = createLogger(
    'info',
    (line) => void lines.push(line),
    () => 0,
    format,
  )
  logger.log('debug', 'not important enough')
  logger.log('warn', 'two\nlines', { message: 'of a field', size: 5n, cause: new TypeError('broken') })
  return lines
}

test('a message is one line of text, with its fields as JSON', () => {
  const [line, ...more] = linesOf('text')
  expect(more).toEqual([])
  expect(line).toMatch(
    /^1970-01-01T00:00:00\.000Z warn {2}two ⏎ lines \{"message":"of a field","size":"5","cause":"TypeError: broken.*\}\n$/u,
  )
})

test('a message is one line of JSON, whose own fields are not hidden by others', () => {
  const [line, ...more] = linesOf('json')
  expect(more).toEqual([])
  expect(line).toMatch(/^[^\n]+\n$/u)
  expect(JSON.parse(line ?? '')).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    level: 'warn',
    message: 'two\nlines',
    size: '5',
    cause: expect.stringContaining('TypeError: broken'),
  })
})
