import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { resolveJwtSecret } from './jwt-secret.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'holdfast-secret-'))))
afterEach(() => rmSync(folder, { recursive: true }))

describe('resolveJwtSecret', () => {
  test('makes one of its own for each data folder and keeps it, readable by the owner only', () => {
    const dataDir = join(folder, 'a')
    const secret = resolveJwtSecret(undefined, dataDir)
    expect(secret).toHaveLength(64)
    expect(statSync(join(dataDir, 'jwt-secret')).mode & 0o777).toBe(0o600)
    expect(resolveJwtSecret(undefined, dataDir)).toBe(secret)
    expect(resolveJwtSecret(undefined, join(folder, 'b'))).not.toBe(secret)
  })

  test('takes the configured one, when it is long enough', () => {
    expect(resolveJwtSecret('x'.repeat(32), folder)).toBe('x'.repeat(32))
    expect(() => resolveJwtSecret('short', folder)).toThrow('shorter than 32')
  })

  test('refuses a damaged file instead of silently making every key invalid', () => {
    writeFileSync(join(folder, 'jwt-secret'), '')
    expect(() => resolveJwtSecret(undefined, folder)).toThrow('shorter than 32')
  })
})
