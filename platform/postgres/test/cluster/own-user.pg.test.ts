import {
  chmodSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Logger } from '@holdfast/foundation'
import { createPool } from '../../src/connection/pool.ts'
import { sql } from '../../src/sql/sql.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { openEmbeddedCluster } from '../../src/cluster/embedded-cluster.ts'
import { NOBODY, OWN_IDS } from '../../src/cluster/own-user.ts'

let folder: string
let warnings: string[]
const logger: Logger = { log: (level, message) => void (level === 'warn' && warnings.push(message)) }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-own-'))
  chmodSync(folder, 0o755)
  warnings = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (name: string): Promise<Cluster> =>
  openEmbeddedCluster({ dataDir: join(folder, name), port: 0, logger, durable: false })

function filesOf(name: string): readonly string[] {
  const database = join(folder, name, 'postgres')
  return [database, ...readdirSync(database, { recursive: true, encoding: 'utf8' }).map((file) => join(database, file))]
}

/** All owners of a database's files and folders. */
function ownersOf(name: string): ReadonlySet<string> {
  return new Set(filesOf(name).map((path) => [statSync(path).uid, statSync(path).gid].join(':')))
}

function giveAll(name: string, id: number): void {
  for (const path of filesOf(name)) lchownSync(path, id, id)
}

/** Real and effective user, and groups, of the running Postgres. */
function processOf(name: string): string {
  const pid = Number.parseInt(readFileSync(join(folder, name, 'postgres', 'postmaster.pid'), 'utf8'), 10)
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return ['Uid', 'Gid', 'Groups'].map((key) => new RegExp(`^${key}:(.*)$`, 'm').exec(status)?.[1]?.trim()).join(' | ')
}

const runsAs = (id: number): string => `${Array(4).fill(id).join('\t')} | ${Array(4).fill(id).join('\t')} | `

describe.runIf(process.getuid?.() === 0 && process.platform === 'linux')('started by root, Postgres', () => {
  test('runs as a user that is its own, has no name, and stays the same', async () => {
    const ids: number[] = []
    for (const name of ['a', 'b', 'a']) {
      await using cluster = await open(name)
      expect(cluster.isUp()).toBe(true)
      const id = statSync(join(folder, name, 'postgres')).uid
      ids.push(id)
      expect(id).toBeGreaterThanOrEqual(OWN_IDS.first)
      expect(id).toBeLessThanOrEqual(OWN_IDS.last)
      expect(processOf(name)).toBe(runsAs(id))
      expect([...ownersOf(name)]).toEqual([`${id}:${id}`])
      expect(readFileSync('/etc/passwd', 'utf8')).not.toContain(`:${id}:`)
    }
    expect(ids[2]).toBe(ids[0])
    expect(ids[1]).not.toBe(ids[0])
    expect(warnings).toEqual([])
  })

  test('takes over the files of nobody, or of root, with all that is in them', async () => {
    {
      await using cluster = await open('a')
      await using pool = createPool({ url: cluster.internalUrl, applicationName: 'test', connectionsMax: 1 })
      await pool.execute(sql`create table public.kept as select 42 as answer`)
    }
    for (const before of [NOBODY, 0]) {
      giveAll('a', before)
      await using cluster = await open('a')
      await using pool = createPool({ url: cluster.internalUrl, applicationName: 'test', connectionsMax: 1 })
      expect(await pool.query(sql`select answer from public.kept`)).toEqual([{ answer: 42 }])
      const id = statSync(join(folder, 'a', 'postgres')).uid
      expect(id).toBeGreaterThanOrEqual(OWN_IDS.first)
      expect([...ownersOf('a')]).toEqual([`${id}:${id}`])
      expect(processOf('a')).toBe(runsAs(id))
    }
  })

  test('goes on as nobody, and says so, where parts of the database lie behind links that root must not follow', async () => {
    await (await open('a'))[Symbol.asyncDispose]()
    giveAll('a', NOBODY)
    const elsewhere = join(folder, 'elsewhere')
    mkdirSync(elsewhere)
    symlinkSync(elsewhere, join(folder, 'a', 'postgres', 'pg_tblspc', '16999'))
    await using cluster = await open('a')
    expect(cluster.isUp()).toBe(true)
    expect(processOf('a')).toBe(runsAs(NOBODY))
    expect(statSync(elsewhere).uid).toBe(0)
    expect(warnings).toEqual([expect.stringContaining('Postgres runs as nobody')])
  })
})
