import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openDevice, openHoldfast, runHoldfast, type Holdfast, type TestDevice } from '@holdfast/test-support'

/*
 * A backup is taken while people work, and restored after the data folder is lost. What was committed when the backup ended is there; what came later is
 * gone from the server, and so from every device that has nothing unsent of it; what a device has not sent yet arrives. The server is the real process,
 * the devices are the public clients.
 */

const MINA = 'mina.kaya@northline.example' // inspector in team North
const DANA = 'dana.okafor@northline.example' // leads team North

let folder: string
let holdfast: Holdfast
let mina: TestDevice
let dana: TestDevice

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-backup-'))
  holdfast = await openHoldfast({ sample: true })
  mina = await openDevice(holdfast, { email: MINA })
  dana = await openDevice(holdfast, { email: DANA })
})

afterAll(async () => {
  await mina?.[Symbol.asyncDispose]()
  await dana?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

async function titlesOf(device: TestDevice, ids: readonly string[]): Promise<readonly unknown[]> {
  const rows = await device.localRows('actions')
  return ids.map((id) => rows.get(id)?.['title'])
}

async function expectEqualToPostgres(device: TestDevice): Promise<void> {
  await device.settle()
  for (const table of device.tables())
    expect(await device.localRows(table), `${table} of ${device.email}`).toEqual(await device.visibleRows(table))
}

async function refusalOf(...argv: readonly string[]): Promise<string> {
  return runHoldfast(...argv).then(
    () => 'it was not refused',
    (error: { stderr: string }) => error.stderr,
  )
}

/** Files of a data folder, without those of functions: the sample's weekly job, which runs on Monday mornings, calls one. */
function filesIn(dataDir: string): readonly string[] {
  return readdirSync(dataDir)
    .filter((name) => !/^functions(\.json)?$/.test(name))
    .toSorted()
}

describe('a backup that is taken while the server runs', () => {
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
    const files = createClient(holdfast.url, holdfast.serviceRoleKey).storage
    expect((await files.createBucket('plans')).error).toBeNull()
    const plans = files.from('plans')
    expect((await plans.upload('roof.txt', 'before the backup', { upsert: true })).error).toBeNull()

    // A person writes all the time.
    let isWriting = true
    const writing = (async (): Promise<void> => {
      while (isWriting) await holdfast.admin.execute(sql`update public.actions set title = title where id = ${before}`)
    })()
    const target = join(folder, 'while-running')
    await runHoldfast('backup', target, `--data-dir=${holdfast.dataDir}`)
    isWriting = false
    await writing

    await rename(after, 'test after the backup')
    expect((await plans.upload('roof.txt', 'after the backup', { upsert: true })).error).toBeNull()
    await mina.settle()
    await dana.settle()
    expect(await titlesOf(dana, [before, after])).toEqual(['test before the backup', 'test after the backup'])
    await mina.goOffline()
    await rename(unsent, 'test not sent yet')

    await holdfast.stop()
    renameSync(holdfast.dataDir, join(folder, 'lost'))
    await runHoldfast('restore', target, `--data-dir=${holdfast.dataDir}`)
    await holdfast.restart()
    expect(await (await plans.download('roof.txt')).data?.text()).toBe('before the backup')
    mina.goOnline()
    await mina.settle()
    await dana.settle()
    for (const device of [mina, dana]) {
      const [first, second, third] = await titlesOf(device, [before, after, unsent])
      expect([first, third]).toEqual(['test before the backup', 'test not sent yet'])
      expect(second).not.toBe('test after the backup')
      await expectEqualToPostgres(device)
    }
  })

  test('holds secrets and keys, readable by its owner only, and never takes the place of anything', async () => {
    const target = join(folder, 'while-running')
    expect(filesIn(join(target, 'data'))).toEqual([
      '.gitignore',
      'jwt-secret',
      'push-key',
      'secrets.json',
      'storage',
      'vault-key',
    ])
    expect(existsSync(`${target}.unfinished`)).toBe(false)
    expect(await refusalOf('backup', target, `--data-dir=${holdfast.dataDir}`)).toContain('exists already')
    expect(await refusalOf('restore', target, `--data-dir=${holdfast.dataDir}`)).toContain('is not empty')
    expect(await refusalOf('restore', folder, `--data-dir=${join(folder, 'new')}`)).toContain('is not a backup')
    expect(await refusalOf('backup', join(folder, 'none'), `--data-dir=${join(folder, 'nothing')}`)).toContain(
      'has no database',
    )
    expect(readdirSync(folder).toSorted()).toEqual(['lost', 'while-running'])
  })
})

describe('a backup that is taken while the server does not run', () => {
  test('may lie in the data folder, and holds neither itself nor another', async () => {
    const lost = join(folder, 'lost')
    const [first, second, third] = ['backups/first', 'backups/second', 'third'].map((name) => join(lost, name)) as [
      string,
      string,
      string,
    ]
    for (const target of [first, second, third]) await runHoldfast('backup', target, `--data-dir=${lost}`)
    expect(readdirSync(join(second, 'data'))).not.toContain('backups')
    expect(readdirSync(join(third, 'data'))).not.toContain('backups')
    for (const target of [dirname(first), third]) rmSync(target, { recursive: true })
  })

  test('is restored into an empty folder that cannot be replaced, such as a link to another disk', async () => {
    const disk = join(folder, 'disk')
    mkdirSync(disk)
    symlinkSync(disk, join(folder, 'link'))
    await runHoldfast('restore', join(folder, 'while-running'), `--data-dir=${join(folder, 'link')}`)
    expect(filesIn(disk)).toEqual([
      '.gitignore',
      'jwt-secret',
      'postgres',
      'push-key',
      'secrets.json',
      'storage',
      'vault-key',
    ])
    for (const name of ['link', 'disk']) rmSync(join(folder, name), { recursive: true })
  })

  test('says what stands in the way of its files', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, 'not a folder')
    expect(await refusalOf('backup', join(file, 'here'), `--data-dir=${join(folder, 'lost')}`)).toContain(
      'The backup was not taken.',
    )
    expect(await refusalOf('restore', join(folder, 'while-running'), `--data-dir=${join(file, 'here')}`)).toContain(
      'The backup was not restored.',
    )
    rmSync(file)
  })

  test('is refused when a byte of it has changed, and leaves no folder behind', async () => {
    const target = join(folder, 'stopped')
    await runHoldfast('backup', target, `--data-dir=${join(folder, 'lost')}`)
    const restored = join(folder, 'restored')
    // From elsewhere "holdfast start" alone would make a new database.
    expect(await runHoldfast('restore', target, `--data-dir=${restored}`)).toMatch(
      /Start it with "holdfast start --data-dir=\S*restored"/,
    )
    expect(readFileSync(join(restored, 'postgres', 'PG_VERSION'), 'utf8').trim()).toBe('18')

    const manifest = join(target, 'backup_manifest')
    const text = readFileSync(manifest, 'utf8')
    const [, size = ''] = /"Path": "PG_VERSION", "Size": (\d+)/.exec(text) ?? []
    chmodSync(manifest, 0o600)
    writeFileSync(manifest, text.replace(`"Path": "PG_VERSION", "Size": ${size}`, `"Path": "PG_VERSION", "Size": 9`))
    const damaged = join(folder, 'damaged')
    expect(await refusalOf('restore', target, `--data-dir=${damaged}`)).toContain('damaged')
    const archive = readFileSync(join(target, 'base.tar.gz'))
    archive[archive.length >> 1] = (archive[archive.length >> 1] ?? 0) ^ 0xff
    writeFileSync(join(target, 'base.tar.gz'), archive)
    expect(await refusalOf('restore', target, `--data-dir=${damaged}`)).toContain(
      'is not a backup that can be restored',
    )
    expect(readdirSync(folder).some((name) => name.startsWith('damaged'))).toBe(false)
  })
})
