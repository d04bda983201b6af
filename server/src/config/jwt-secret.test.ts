import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { resolveJwtSecret } from './jwt-secret.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'holdfast-secret-'))))
afterEach(() => rmSync(folder, { recursive: true }))

describe('resolveJwtSecret', () => {
  test('makes one of its own for each data folder and keeps it, readable by the owner only', () => {
    const dataDir = join(folder, 'a')
    const secret = resolveJwtSecret(undefined, dataDir, silentLogger).text
    expect(secret).toHaveLength(64)
    expect(statSync(join(dataDir, 'jwt-secret')).mode & 0o777).toBe(0o600)
    expect(resolveJwtSecret(undefined, dataDir, silentLogger).text).toBe(secret)
    expect(resolveJwtSecret(undefined, join(folder, 'b'), silentLogger).text).not.toBe(secret)
  })

  test('takes the configured one, when it is long enough', () => {
    expect(resolveJwtSecret('x'.repeat(32), folder, silentLogger).text).toBe('x'.repeat(32))
    expect(() => resolveJwtSecret('short', folder, silentLogger)).toThrow('shorter than 32')
  })

  test.skipIf(process.platform === 'win32')(
    'closes a file that others can read, says so once, and keeps the secret',
    () => {
      const lines: string[] = []
      const logger = { log: (level: string, message: string) => void lines.push(`${level}: ${message}`) }
      const secret = resolveJwtSecret(undefined, folder, logger).text
      expect(lines).toEqual([])
      const path = join(folder, 'jwt-secret')
      chmodSync(path, 0o644)
      expect(resolveJwtSecret(undefined, folder, logger).text).toBe(secret)
      expect(statSync(path).mode & 0o777).toBe(0o600)
      resolveJwtSecret(undefined, folder, logger)
      expect(lines).toEqual([
        `warn: ${path} was open to other users of this machine (mode 644); now only its owner can read it`,
      ])
    },
  )

  test('refuses a damaged file instead of silently making every key invalid', () => {
    writeFileSync(join(folder, 'jwt-secret'), '')
    expect(() => resolveJwtSecret(undefined, folder, silentLogger)).toThrow('shorter than 32')
  })
})
