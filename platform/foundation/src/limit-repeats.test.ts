import { expect, test } from 'vitest'
import { limitRepeats } from './limit-repeats.ts'

const LIMITS = { linesMax: 2, intervalMs: 60_000, kindsMax: 3 }

function open() {
  const lines: string[] = []
  const clock = { time: 0, now: () => clock.time }
  const logger = limitRepeats(
    { log: (level, message, fields) => void lines.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`) },
    clock,
    LIMITS,
  )
  return { lines, clock, logger }
}

test('the first lines of a kind are written, and the others are one line when their interval is over', () => {
  const { lines, clock, logger } = open()
  for (let n = 1; n <= 50; n++) logger.log('error', 'failed', { n })
  logger.sumUp()
  expect(lines).toEqual(['error failed {"n":1}', 'error failed {"n":2}'])
  clock.time = 60_000
  logger.sumUp()
  logger.sumUp()
  expect(lines.slice(2)).toEqual(['error failed {"n":50,"repeated":48,"seconds":60}'])
  logger.log('error', 'failed', { n: 51 })
  expect(lines.at(-1)).toBe('error failed {"n":51}')
})

test('a line that comes when the interval is over is a first one again', () => {
  const { lines, clock, logger } = open()
  for (let n = 1; n <= 3; n++) logger.log('warn', 'failed', { n })
  clock.time = 61_000
  logger.log('warn', 'failed', { n: 4 })
  expect(lines.slice(2)).toEqual(['warn failed {"n":3,"repeated":1,"seconds":61}', 'warn failed {"n":4}'])
})

test.each(['table', 'route', 'code', 'sqlstate', 'status'])('lines of another %s are another kind', (field) => {
  const { lines, logger } = open()
  for (const value of ['a', 'a', 'a', 'b']) logger.log('warn', 'failed', { [field]: value })
  expect(lines).toHaveLength(3)
})

test('an error is another kind than a warning, and lines below the limit pass', () => {
  const { lines, logger } = open()
  for (const level of ['error', 'warn', 'info', 'debug'] as const)
    for (let n = 0; n < 5; n++) logger.log(level, 'failed')
  expect(lines).toHaveLength(2 + 2 + 5 + 5)
})

test('kinds that are too many are counted by their message', () => {
  const { lines, logger } = open()
  for (let n = 0; n < 100; n++) logger.log('warn', 'failed', { route: `/${n}` })
  expect(lines).toHaveLength(3 + 2)
  logger[Symbol.dispose]()
  expect(lines.at(-1)).toContain('"repeated":95')
})

test('what has been left out is written when the logger is disposed', () => {
  const { lines, logger } = open()
  for (let n = 0; n < 5; n++) logger.log('warn', 'failed')
  logger[Symbol.dispose]()
  expect(lines.slice(2)).toEqual(['warn failed {"repeated":3,"seconds":0}'])
})
