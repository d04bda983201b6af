import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { HoldfastError, silentLogger, systemClock } from '@holdfast/foundation'
import { createPool, sql, withOwnSettings } from '@holdfast/postgres'
import { openBackend, storageOptions, verifyStored, type StoredFault, type StoredReport } from '@holdfast/storage'
import { storageDeclarations, type StorageConfig } from '../config/options.ts'
import { optionsOf } from '../parts/service-options.ts'
import { readSettings, type CommandInput } from './command.ts'
import { withDatabase } from './with-database.ts'

/**
 * `holdfast storage verify`: compares rows of stored files with their bytes, whether or not the server is running.
 *
 * @returns the exit code: 1 on mismatches
 * @throws {HoldfastError} `files_missing` and errors of opening the database
 */
export async function verifyStorage(input: CommandInput): Promise<number> {
  const config = readSettings(storageDeclarations, input)
  const report = await verify(config, (line) => input.err(`  ${line} …\n`))
  input.out(config.json ? `${JSON.stringify(report)}\n` : renderReport(report, config.sizesOnly))
  return report.equal ? 0 : 1
}

async function verify(config: StorageConfig, tell: (line: string) => void): Promise<StoredReport> {
  const dataDir = resolve(config.dataDir)
  const folder = join(dataDir, 'storage')
  if (!existsSync(folder)) throw filesMissing(`${folder} does not exist.`)
  return withDatabase(config, async (url) => {
    await using db = createPool({
      url: withOwnSettings(url, 0),
      applicationName: 'holdfast storage verify',
      connectionsMax: 1,
      // Rows hidden by a policy would be reported as unused.
      settings: { row_security: 'off' },
    })
    const [schema] = await db.query<{ known: boolean }>(
      sql`select to_regclass('storage.resumable_uploads') is not null as known`,
    )
    if (schema?.known !== true) throw filesMissing('The database has no files of this release.')
    await using backend = await openBackend(optionsOf(config, storageOptions), folder, silentLogger)
    let toldAt = Date.now()
    return await verifyStored({
      db,
      backend,
      clock: systemClock,
      readsBytes: !config.sizesOnly,
      onProgress(objects) {
        if (Date.now() - toldAt < 2_000) return
        toldAt = Date.now()
        tell(`${objects} objects`)
      },
    })
  })
}

const TOLD_MAX = 20

/** Human-readable. */
export function renderReport(report: StoredReport, isSizesOnly: boolean): string {
  const { objects, versions, recent, faults, store } = report
  const lines = [
    `${objects} objects, ${versions} stored files in ${store}${isSizesOnly ? '; sizes only' : ''}`,
    ...(recent > 0 ? [`${recent} files are of writes under way, or are deleted within two hours`] : []),
    ...(report.isStoreOfDatabase ? [] : ['OTHER STORE: these files are not those of this database']),
    ...faults.slice(0, TOLD_MAX).map((fault) => `  ${renderFault(fault)}`),
    ...(faults.length > TOLD_MAX ? [`  and ${faults.length - TOLD_MAX} more (--json has all)`] : []),
    report.equal ? 'Equal: every object has its bytes, and all bytes are used.' : 'NOT EQUAL',
  ]
  return `${lines.join('\n')}\n`
}

function renderFault({ kind, bucket, key, version, expected, found }: StoredFault): string {
  switch (kind) {
    case 'missing':
      return `${bucket}/${key}: MISSING, there are no bytes (version ${version})`
    case 'size':
      return `${bucket}/${key}: SIZE, ${expected} bytes in its row, ${found} stored (version ${version})`
    case 'checksum':
      return `${bucket}/${key}: CHANGED, the checksum is not that of its row (version ${version})`
    case 'unused':
      return `version ${version}: UNUSED, ${found} bytes that no object has`
  }
}

function filesMissing(detail: string): HoldfastError {
  return new HoldfastError('files_missing', 500, 'There are no stored files to compare.', {
    detail,
    hint: 'Check --data-dir and DATABASE_URL. The first start of a release makes what it needs.',
  })
}
