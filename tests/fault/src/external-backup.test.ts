import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import {
  findPostgresInstallations,
  openDevice,
  openForeignPostgres,
  openHoldfast,
  runHoldfast,
  type ForeignPostgres,
  type Holdfast,
  type TestDevice,
} from '@holdfast/test-support'

/*
 * Backup and restore of a Postgres that Holdfast does not run: a server of another installation, with that installation's own client programs. A dump is
 * taken while people write; then the server is lost, and a new one at its address gets the dump. It needs what this machine may not have, so the tests
 * run on every installation that is found.
 */

const MINA = 'mina.kaya@northline.example' // inspector in team North
const DANA = 'dana.okafor@northline.example' // leads team North

const installations = findPostgresInstallations()

describe.skipIf(installations.length > 0)('a backup of an external Postgres', () => {
  test.skip('is not tried: no Postgres 15 or newer in /usr/lib/postgresql or HOLDFAST_POSTGRES_BIN', () => undefined)
})

describe.each(installations)('a backup of an external Postgres $major', (installation) => {
  let folder: string
  let target: string
  let server: ForeignPostgres
  let holdfast: Holdfast
  let mina: TestDevice
  let dana: TestDevice

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-external-backup-'))
    target = join(folder, 'backup')
    server = await openForeignPostgres(installation)
    holdfast = await openHoldfast({ sample: true, args: [`--database-url=${server.url}`] })
    mina = await openDevice(holdfast, { email: MINA })
    dana = await openDevice(holdfast, { email: DANA })
  })

  afterAll(async () => {
    await mina?.[Symbol.asyncDispose]()
    await dana?.[Symbol.asyncDispose]()
    await holdfast?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  const command = (name: 'backup' | 'restore', from: string, dataDir: string): Promise<string> =>
    runHoldfast(
      name,
      from,
      `--database-url=${server.url}`,
      `--data-dir=${dataDir}`,
      `--postgres-tools=${installation.bin}`,
    )

  const refusalOf = (answer: Promise<string>): Promise<string> =>
    answer.then(
      () => 'it was not refused',
      (error: { stderr: string }) => error.stderr,
    )

  const titlesOf = async (device: TestDevice, ids: readonly string[]): Promise<readonly unknown[]> => {
    const rows = await device.localRows('actions')
    return ids.map((id) => rows.get(id)?.['title'])
  }

  test('brings back what was there, and devices go on with what they have not sent', async () => {
    const [before, after, unsent] = (
      await mina.database.getAll<{ id: string }>(
        `select a.id from actions a join sites s on s.id = a.site_id and s.status <> 'decommissioned'
           join hf_teams t on t.id = a.team_id where a.state = 'open' order by a.id limit 3`,
      )
    ).map(({ id }) => id)
    if (before === undefined || after === undefined || unsent === undefined)
      throw new Error('the sample has open actions')
    const rename = (id: string, title: string): Promise<unknown> =>
      mina.database.execute('update actions set title = ? where id = ?', [title, id])
    await rename(before, 'test before the backup')
    await mina.settle()

    let isWriting = true
    const writing = (async (): Promise<void> => {
      while (isWriting) await holdfast.admin.execute(sql`update public.actions set title = title where id = ${before}`)
    })()
    await command('backup', target, holdfast.dataDir)
    isWriting = false
    await writing

    await rename(after, 'test after the backup')
    await mina.settle()
    await dana.settle()
    expect(await titlesOf(dana, [before, after])).toEqual(['test before the backup', 'test after the backup'])
    await mina.goOffline()
    await rename(unsent, 'test not sent yet')

    await holdfast.stop()
    await server[Symbol.asyncDispose]()
    server = await openForeignPostgres(installation, server.port)
    // Refused before anything is written: the same database is restored next.
    expect(await refusalOf(command('restore', target, holdfast.dataDir))).toContain('is not empty')
    rmSync(holdfast.dataDir, { recursive: true })
    await command('restore', target, holdfast.dataDir)
    await holdfast.restart()
    mina.goOnline()
    await mina.settle()
    await dana.settle()
    for (const device of [mina, dana]) {
      const [first, second, third] = await titlesOf(device, [before, after, unsent])
      expect([first, third]).toEqual(['test before the backup', 'test not sent yet'])
      expect(second).not.toBe('test after the backup')
      for (const table of device.tables())
        expect(await device.localRows(table), `${table} of ${device.email}`).toEqual(await device.visibleRows(table))
    }
    const supabase = await holdfast.supabase({ email: DANA })
    const { data } = await supabase.from('actions').select('title').eq('id', unsent)
    expect(data).toEqual([{ title: 'test not sent yet' }])
  })

  test('is whole, and never takes the place of anything', async () => {
    expect(readdirSync(target).toSorted()).toEqual(['data', 'database.dump', 'holdfast-backup.json', 'roles.sql'])
    expect(await refusalOf(command('backup', target, holdfast.dataDir))).toContain('exists already')
    expect(await refusalOf(command('restore', target, join(folder, 'new')))).toContain('is not empty')
    expect(existsSync(join(folder, 'new'))).toBe(false)
    expect(await refusalOf(runHoldfast('restore', target, `--data-dir=${join(folder, 'new')}`))).toContain(
      'DATABASE_URL is not set',
    )
  })
})
