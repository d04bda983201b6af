import { expect, test } from 'vitest'
import type { FunctionLog } from '@holdfast/protocol'
import { appendLog } from './append-log.ts'

const pageOf = (cursor: string, ...texts: readonly string[]): FunctionLog => ({
  cursor,
  lines: texts.map((text) => ({ at: '2026-11-30T00:00:00Z', level: 'info', text, requestId: null })),
})
const textsOf = ({ lines }: FunctionLog): readonly string[] => lines.map(({ text }) => text)

test('new lines are appended, and the oldest of many are dropped', () => {
  const first = appendLog(undefined, pageOf('aaaa.2', 'one', 'two'))
  const second = appendLog(first, pageOf('aaaa.3', 'three'))
  expect(textsOf(second)).toEqual(['one', 'two', 'three'])
  expect(second.cursor).toBe('aaaa.3')
  const many = pageOf('aaaa.2000', ...Array.from({ length: 1_000 }, (_, index) => String(index)))
  expect(textsOf(appendLog(second, many))).toEqual(textsOf(many))
})

test('a restarted server sends its lines from the beginning, so the page does too', () => {
  expect(textsOf(appendLog(pageOf('aaaa.9', 'old'), pageOf('bbbb.1', 'new')))).toEqual(['new'])
})
