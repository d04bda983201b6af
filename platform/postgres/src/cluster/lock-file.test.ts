import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { acquireLock } from './lock-file.ts'
import { findProcess } from './processes.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'holdfast-lock-'))))
afterEach(() => rmSync(folder, { recursive: true }))

describe('acquireLock', () => {
  test('gives the folder to one, and after it to the next', () => {
    const release = acquireLock(folder)
    expect(() => acquireLock(folder)).toThrow(`in use by process ${process.pid}`)
    release()
    release()
    acquireLock(folder)()
    expect(existsSync(join(folder, 'lock'))).toBe(false)
  })

  test('takes over from a process that is gone and from a number that was given away', () => {
    for (const holder of [
      '{"pid":99999999,"startedAt":"1"}',
      JSON.stringify({ pid: process.ppid, startedAt: 'long ago' }),
      '',
      '{"pi',
    ]) {
      writeFileSync(join(folder, 'lock'), holder)
      acquireLock(folder)()
    }
  })

  test('does not take over from a living process', () => {
    const holder = JSON.stringify({ pid: process.ppid, startedAt: findProcess(process.ppid)?.startedAt })
    writeFileSync(join(folder, 'lock'), holder)
    expect(() => acquireLock(folder)).toThrow(`in use by process ${process.ppid}`)
    expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(holder)
  })

  test('does not remove a lock that another one has taken since', () => {
    const release = acquireLock(folder)
    writeFileSync(join(folder, 'lock'), '{"pid":1,"startedAt":""}')
    release()
    expect(existsSync(join(folder, 'lock'))).toBe(true)
  })
})
