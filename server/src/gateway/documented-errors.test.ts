import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

// Compares the error catalogue (docs/reference/errors.md) with the errors that the source of sync throws: all codes and statuses must match.

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Sources of everything that sync responds, logs and prints. */
const SOURCES = [
  'services/sync/src/**/*.ts',
  'platform/replication/src/**/*.ts',
  'server/src/cli/sync/*.ts',
  'server/src/gateway/*.ts',
  'clients/client/src/upload/*.ts',
]

/** Codes of other services in the same files, and codes that never reach a client: it has disconnected, or the server retries within a stream. */
const NOT_OF_SYNC =
  /^(?:PGRST|AccessDenied$|DatabaseTimeout$|MissingAPIKey$|JwtSignatureError$|MalformedJWT$|InvalidJWTToken$|UnableToConnectToProject$|no_authorization$|bad_jwt$|unexpected_failure$|connection_closed$|connection_replaced$|connection_stalled$|ended_by_operator$|buckets_deleted$|sync_log_read$)/

interface Thrown {
  readonly code: string
  readonly status: string
}

function thrownInSource(): readonly Thrown[] {
  const files = globSync(SOURCES, { cwd: ROOT }).filter((name) => !/\.(?:test|test-support)\.ts$/.test(name))
  return files.flatMap((name) => {
    const source = readFileSync(`${ROOT}/${name}`, 'utf8')
    const constructed = source.matchAll(/(?:new HoldfastError|refusal)\(\s*(?:[^'(),]*\?\? )?'(\w+)',\s*(\d{3})?/g)
    const named = source.matchAll(/\b(?:code|error_code): '(HF_\w+|PSYNC_\w+)'/g)
    return [...constructed, ...named]
      .map(([, code = '', status = '']) => ({ code, status }))
      .filter(({ code }) => !NOT_OF_SYNC.test(code))
  })
}

/** Rows of the tables under "Sync": `| codes | status? | … |`. */
function documentedRows(): readonly { readonly codes: readonly string[]; readonly statuses: readonly string[] }[] {
  const page = readFileSync(`${ROOT}/docs/reference/errors.md`, 'utf8')
  const [, section = ''] = /^## Sync\n(.*?)^## /ms.exec(page) ?? []
  return section.split('\n').flatMap((line) => {
    const [, first = '', second = ''] = line.split('|')
    const codes = [...first.matchAll(/`(\w+)`/g)].map(([, code = '']) => code)
    return codes.length === 0 ? [] : [{ codes, statuses: second.match(/\b\d{3}\b/g) ?? [] }]
  })
}

describe('the catalogue of errors', () => {
  const thrown = thrownInSource()
  const documented = documentedRows()

  test('is read at all', () => {
    expect(new Set(thrown.map(({ code }) => code)).size).toBeGreaterThan(25)
    expect(documented.length).toBeGreaterThan(25)
  })

  test('has every code of sync', () => {
    const codes = new Set(documented.flatMap((row) => row.codes))
    expect(thrown.map(({ code }) => code).filter((code) => !codes.has(code))).toEqual([])
  })

  test('has every status that a request is answered with', () => {
    const pairs = new Set(
      documented.flatMap(({ codes, statuses }) => statuses.flatMap((one) => codes.map((code) => `${code} ${one}`))),
    )
    const answered = thrown.filter(
      ({ code, status }) =>
        status !== '' && documented.some((row) => row.codes.includes(code) && row.statuses.length > 0),
    )
    expect(answered.map(({ code, status }) => `${code} ${status}`).filter((pair) => !pairs.has(pair))).toEqual([])
  })

  test('has no code that is not thrown', () => {
    const codes = new Set(thrown.map(({ code }) => code))
    expect(
      documented.flatMap((row) => row.codes).filter((code) => !codes.has(code) && !code.startsWith('FST_ERR')),
    ).toEqual([])
  })

  test('says of every error what to do, or that there is nothing to do', () => {
    const page = readFileSync(`${ROOT}/docs/reference/errors.md`, 'utf8')
    const rows = page.split('\n').filter((line) => /^\| `(?:PSYNC_|HF_UPLOAD|replication_)/.test(line))
    expect(rows.filter((line) => (line.split('|').at(-2) ?? '').trim() === '')).toEqual([])
  })
})
