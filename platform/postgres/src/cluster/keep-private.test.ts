import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Logger } from '@holdfast/foundation'
import { openEmbeddedCluster } from './embedded-cluster.ts'
import { takeSecrets } from './secrets.ts'

const PASSWORDS = { superuserPassword: 'a', authenticatorPassword: 'b' }

let folder: string
let lines: string[]
const logger: Logger = { log: (level, message) => void lines.push(`${level}: ${message}`) }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-private-'))
  lines = []
  writeFileSync(join(folder, 'secrets.json'), JSON.stringify(PASSWORDS))
})
afterEach(() => rmSync(folder, { recursive: true }))

const modeOf = (name: string): number => statSync(join(folder, name)).mode & 0o777

describe.skipIf(process.platform === 'win32')('passwords in the data folder', () => {
  test.each([0o644, 0o640, 0o604, 0o666, 0o660])(
    'that others can reach (mode %o) are closed and reported once',
    (mode) => {
      chmodSync(join(folder, 'secrets.json'), mode)
      expect(takeSecrets(folder, logger)).toEqual(PASSWORDS)
      expect(modeOf('secrets.json')).toBe(0o600)
      takeSecrets(folder, logger)
      expect(lines).toEqual([
        `warn: ${join(folder, 'secrets.json')} was open to other users of this machine (mode ${mode.toString(8)}); now only its owner can read it`,
      ])
    },
  )

  test.each([0o600, 0o400])('that only the owner can reach (mode %o) are left as they are', (mode) => {
    chmodSync(join(folder, 'secrets.json'), mode)
    expect(takeSecrets(folder, logger)).toEqual(PASSWORDS)
    expect([modeOf('secrets.json'), lines]).toEqual([mode, []])
  })

  test('are closed by a start, also by one that goes no further', async () => {
    chmodSync(join(folder, 'secrets.json'), 0o644)
    mkdirSync(join(folder, 'postgres'))
    writeFileSync(join(folder, 'postgres', 'PG_VERSION'), '9\n')
    await expect(openEmbeddedCluster({ dataDir: folder, port: 0, logger })).rejects.toMatchObject({
      code: 'postgres_version_mismatch',
    })
    expect(modeOf('secrets.json')).toBe(0o600)
  })
})
