import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'

/** Extension folders of Debian, Red Hat, source builds and Homebrew. */
const INSTALLED = [
  ['/usr/share/postgresql', 'extension'],
  ['/usr', 'share/extension'],
  ['/usr/local/share', 'extension'],
  ['/opt/homebrew/share', 'extension'],
] as const

const CONTROL = 'pgtap.control'

/** @returns the folder of an installed pgTAP for any Postgres, because it is plain SQL */
export function findPgTap(): string | undefined {
  const folders = INSTALLED.flatMap(([root, rest]) =>
    existsSync(root)
      ? readdirSync(root)
          .filter((name) => /^(?:\d|postgresql|pgsql)/.test(name))
          .toSorted((left, right) => right.localeCompare(left, 'en', { numeric: true }))
          .map((name) => join(root, name, rest))
      : [],
  )
  return ['/usr/local/share/postgresql/extension', ...folders].find((folder) => existsSync(join(folder, CONTROL)))
}

/**
 * Copies pgTAP's files to where the data folder's packaged Postgres finds extensions.
 *
 * @param given - configured folder
 * @throws {HoldfastError} `pgtap_missing`
 */
export function lendPgTap(dataDir: string, given: string | undefined): void {
  const from = given === undefined ? findPgTap() : resolve(given)
  if (from === undefined || !existsSync(join(from, CONTROL)))
    throw pgTapMissing(given === undefined ? 'It was found nowhere on this machine.' : `${given} has no ${CONTROL}.`)
  const to = join(resolve(dataDir), 'extensions', 'extension')
  mkdirSync(to, { recursive: true })
  for (const file of readdirSync(from).filter((name) => name === CONTROL || /^pgtap--[\w.-]+\.sql$/.test(name))) {
    copyFileSync(join(from, file), join(to, file))
    chmodSync(join(to, file), 0o644) // Postgres may run as another user
  }
}

export function pgTapMissing(detail: string): HoldfastError {
  return new HoldfastError(
    'pgtap_missing',
    500,
    'Tests of the database need pgTAP, and this Postgres does not have it.',
    {
      detail,
      hint: 'Install it (Debian: apt install postgresql-15-pgtap, or of any other version; macOS: brew install pgtap), or name the folder of its pgtap.control with --pgtap. A Postgres of DATABASE_URL needs it itself.',
    },
  )
}
