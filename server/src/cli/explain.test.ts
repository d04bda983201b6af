import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { HoldfastError } from '@holdfast/foundation'
import { explain } from './explain.ts'

function thrownBy(attempt: () => void): unknown {
  try {
    attempt()
  } catch (error) {
    return error
  }
  throw new Error('nothing was refused')
}

test('what the system refuses is said with the path and what to do, without a stack trace', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'supabase')
  writeFileSync(file, '')
  const below = join(file, 'migrations')
  expect(explain(thrownBy(() => mkdirSync(below, { recursive: true })))).toBe(
    `\n${below}: a part of it is no folder (ENOTDIR, mkdir).\nMove the file that is in the way.\n`,
  )
  const long = join(folder, 'x'.repeat(300))
  expect(explain(thrownBy(() => writeFileSync(long, '')))).toBe(
    `\n${long}: the name is too long (ENAMETOOLONG, open).\nChoose a shorter one.\n`,
  )
})

test('a refusal of ours has its detail and hint', () => {
  const error = new HoldfastError('port_busy', 500, 'It is in use.', { detail: 'by 17', hint: 'Stop it.' })
  expect(explain(error)).toBe('\nIt is in use.\nby 17\nStop it.\n')
})

test('a bug is named as one, with the place', () => {
  expect(explain(new TypeError('no such thing'))).toMatch(
    /^\nThis is a bug of Holdfast: TypeError: no such thing\n.*at /,
  )
})
