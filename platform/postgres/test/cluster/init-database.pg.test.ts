import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findBinaries } from '../../src/cluster/binaries.ts'
import { resolveIdentity } from '../../src/cluster/identity.ts'
import { initDatabase } from '../../src/cluster/init-database.ts'

test.skipIf(process.platform === 'win32')(
  'programs in a folder with characters that initdb cannot bear are named, with what to do',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-init-'))
    chmodSync(folder, 0o711)
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const packaged = findBinaries()
    const programs = join(folder, 'my "app"', 'bin')
    mkdirSync(programs, { recursive: true })
    cpSync(packaged.initdb, join(programs, 'initdb'))
    cpSync(packaged.postgres, join(programs, 'postgres'))
    const binaries = { ...packaged, initdb: join(programs, 'initdb'), postgres: join(programs, 'postgres') }
    const databaseDir = join(folder, 'postgres')
    const made = initDatabase({
      binaries,
      identity: resolveIdentity(binaries, databaseDir),
      databaseDir,
      includeFile: '../postgres.conf',
      superuser: 'postgres',
      superuserPassword: 'a password',
      durable: false,
    })
    await expect(made).rejects.toMatchObject({
      code: 'postgres_folder_unusable',
      message: `Postgres cannot be run from ${dirname(binaries.initdb)}.`,
      hint: expect.stringContaining('Move the project') as string,
    })
    expect(readdirSync(folder)).not.toContain('postgres')
  },
)
