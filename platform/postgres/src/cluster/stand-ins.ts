import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Extensions whose work this server does itself, by the names of their schemas. `create extension` of them succeeds, as in the migrations of Supabase projects, and
 * makes nothing: what it would make is there.
 */
const STAND_INS: Readonly<Record<string, { readonly version: string; readonly comment: string }>> = {
  pg_cron: { version: '1.6', comment: 'Jobs at certain times, run by Holdfast' },
  pg_net: { version: '0.20.0', comment: 'HTTP requests after the commit, sent by Holdfast' },
}

/**
 * Writes the control files of extensions that this server stands in for.
 *
 * @returns the value of `extension_control_path`; an extension that Postgres itself has comes first
 */
export function writeStandIns(dataDir: string): string {
  const folder = join(dataDir, 'extensions')
  const files = join(folder, 'extension')
  for (const path of [folder, files]) {
    mkdirSync(path, { recursive: true })
    chmodSync(path, 0o755) // Postgres may run as another user
  }
  for (const [name, { version, comment }] of Object.entries(STAND_INS)) {
    write(join(files, `${name}.control`), [
      `comment = '${comment}'`,
      `default_version = '${version}'`,
      'relocatable = true',
      // A project is no superuser.
      'trusted = true',
    ])
    write(join(files, `${name}--${version}.sql`), [
      '-- What this extension would make, the migrations of Holdfast have made.',
    ])
  }
  // A folder whose name has the character that separates folders cannot be named.
  return folder.includes(delimiter) ? '$system' : `$system${delimiter}${folder}`
}

function write(path: string, lines: readonly string[]): void {
  writeFileSync(path, `${lines.join('\n')}\n`)
  chmodSync(path, 0o644)
}
