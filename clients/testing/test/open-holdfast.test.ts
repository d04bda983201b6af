import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHoldfast, type TestHoldfast } from '../src/index.ts'

const NOTES = `
create table public.notes (id uuid primary key default gen_random_uuid(), owner uuid not null default auth.uid(), body text not null);
alter table public.notes enable row level security;
create policy own on public.notes for all to authenticated using (owner = (select auth.uid()));
grant select, insert, update, delete on public.notes to authenticated;
create role note_keeper;
`

const project = mkdtempSync(join(tmpdir(), 'holdfast-testing-project-'))
const migration = join(project, 'supabase/migrations/20260101000000_notes.sql')
mkdirSync(join(project, 'supabase/migrations'), { recursive: true })
writeFileSync(migration, NOTES)
writeFileSync(
  join(project, 'supabase/seed.sql'),
  `insert into public.notes (owner, body) values (gen_random_uuid(), 'a seed');`,
)
const users = { ada: {}, ben: { email: 'ben@elsewhere.example', password: 'another password' } }

let holdfast: TestHoldfast<'ada' | 'ben'>
beforeAll(async () => {
  holdfast = await openHoldfast({ project, users })
})
afterAll(async () => {
  await holdfast?.[Symbol.asyncDispose]()
  rmSync(project, { recursive: true, force: true })
})

describe('openHoldfast', () => {
  test('has the migrations and seeds of the project, and the users, each with their own rows', async () => {
    expect(await holdfast.query('select body from public.notes')).toEqual([{ body: 'a seed' }])
    const [ada, ben] = [await holdfast.signIn('ada'), await holdfast.signIn('ben')]
    expect((await ben.auth.getUser()).data.user).toMatchObject({ id: holdfast.users.ben.id, email: users.ben.email })
    expect((await ada.from('notes').insert({ body: 'of Ada' })).error).toBeNull()
    expect((await ada.from('notes').select('body')).data).toEqual([{ body: 'of Ada' }])
    expect((await ben.from('notes').select('body')).data).toEqual([])
    expect((await holdfast.service().from('notes').select()).data).toHaveLength(2)
  })

  test('gives each test a database of its own, and what one writes no other has', async () => {
    const [one, other] = await Promise.all([openHoldfast({ project, users }), openHoldfast({ project, users })])
    await using _ = one
    await using __ = other
    await one.query(`insert into public.notes (owner, body) values ($1, 'of one')`, [one.users.ada.id])
    expect((await (await other.signIn('ada')).from('notes').select()).data).toEqual([])
    expect((await (await one.signIn('ada')).from('notes').select('body')).data).toEqual([{ body: 'of one' }])
  })

  test('applies a migration that changed, whose roles are there already', async () => {
    writeFileSync(migration, `${NOTES}alter table public.notes add column colour text default 'red';`)
    await using changed = await openHoldfast({ project })
    expect(await changed.query('select colour from public.notes')).toEqual([{ colour: 'red' }])
    expect(await holdfast.query('select * from public.notes limit 1')).not.toHaveProperty('0.colour')
    writeFileSync(migration, NOTES)
  })

  test('tells of a migration that fails with its file and line', async () => {
    const broken = join(project, 'supabase/migrations/20260102000000_broken.sql')
    writeFileSync(broken, 'select 1;\nselect missing_column from public.notes;')
    await expect(openHoldfast({ project })).rejects.toThrowError(
      /20260102000000_broken\.sql, line 2: column "missing_column" does not exist/,
    )
    rmSync(broken)
  })

  test('says so when there is no project, and when a setting or a user is none', async () => {
    await expect(openHoldfast({ project: tmpdir() })).rejects.toThrowError(/has no folder "supabase"/)
    await expect(openHoldfast({ project, settings: { jwtExpiri: 60 } })).rejects.toThrowError(/is not an option/)
    await expect(openHoldfast({ project, settings: { databaseUrl: 'postgres://x' } })).rejects.toThrowError(
      /cannot choose databaseUrl/,
    )
    await expect(holdfast.signIn('eve' as never)).rejects.toThrowError(/There is no user "eve"/)
  })
})

describe('reset', () => {
  test('puts rows back, with the same address and keys', async () => {
    await using own = await openHoldfast({ project, users })
    const { url, anonKey } = own
    await own.query('delete from public.notes')
    await own.reset()
    expect([own.url, own.anonKey]).toEqual([url, anonKey])
    expect(await own.query('select body from public.notes')).toEqual([{ body: 'a seed' }])
    expect((await (await own.signIn('ada')).from('notes').select()).data).toEqual([])
  })
})

describe('mails', () => {
  test('come one by one, and what came instead is said', async () => {
    const { error } = await holdfast.anonymous().auth.resetPasswordForEmail(holdfast.users.ada.email)
    expect(error).toBeNull()
    const mail = await holdfast.mails.next({ to: holdfast.users.ada.email })
    expect(mail).toMatchObject({ to: holdfast.users.ada.email, kind: 'recovery' })
    expect(mail.link).toContain(holdfast.url)
    expect(mail.code).toMatch(/^\d+$/)
    await expect(holdfast.mails.next({ to: 'eve@example.com', timeout: 50 })).rejects.toThrowError(
      /No further mail to eve@example\.com .*\n.*\n +recovery to ada@example\.com/,
    )
  })
})

describe('advance', () => {
  test('makes tokens old', async () => {
    await using own = await openHoldfast({ project, users })
    const ada = await own.signIn('ada')
    expect((await ada.from('notes').select()).error).toBeNull()
    await own.advance({ hours: 2 })
    expect((await ada.from('notes').select()).error).toMatchObject({
      message: expect.stringContaining('expired') as unknown,
    })
    await expect(own.advance({})).rejects.toThrowError(/Time only moves forward/)
  })
})

describe('openDevice', () => {
  test('syncs, keeps what is written without a network, and sends it later', async () => {
    await using phone = await holdfast.openDevice('ben')
    const ben = await holdfast.signIn('ben')
    phone.network.cut()
    await phone.database.execute('insert into notes (id, owner, body) values (uuid(), ?, ?)', [
      holdfast.users.ben.id,
      'offline',
    ])
    expect(await phone.database.getAll('select body from notes')).toEqual([{ body: 'offline' }])
    expect((await ben.from('notes').select()).data).toEqual([])
    phone.network.restore()
    await phone.settle()
    expect((await ben.from('notes').select('body')).data).toEqual([{ body: 'offline' }])
  })
})

describe('network', () => {
  test('is cut, hangs and is well again', async () => {
    const key = { headers: { apikey: holdfast.anonKey } }
    const ask = (signal?: AbortSignal): Promise<Response> =>
      fetch(`${holdfast.url}/auth/v1/health`, { ...key, ...(signal ? { signal } : {}) })
    expect((await ask()).status).toBe(200)
    holdfast.network.cut()
    await expect(ask()).rejects.toThrowError()
    holdfast.network.restore()
    holdfast.network.hang()
    const hanging = ask()
    await expect(ask(AbortSignal.timeout(100))).rejects.toThrowError(/timeout/)
    holdfast.network.restore()
    expect((await hanging).status).toBe(200)
    holdfast.network.slow({ bytesPerSecond: 10_000, latencyMs: 1 })
    expect((await ask()).status).toBe(200)
    holdfast.network.restore()
  })
})

describe('the host', () => {
  test('closes the servers of a test process that is killed', async () => {
    const source = `
      const { openHoldfast } = await import(${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)})
      const holdfast = await openHoldfast({ project: ${JSON.stringify(project)} })
      console.log(new URL(holdfast.databaseUrl).pathname.slice(1))
      setInterval(() => undefined, 1_000)
    `
    const child = spawn(process.execPath, ['--conditions=source', '--input-type=module', '--eval', source], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const name = await new Promise<string>((resolve) =>
      child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim())),
    )
    const databases = async (): Promise<unknown> =>
      await holdfast.query('select datname from pg_catalog.pg_database where datname = $1', [name])
    expect(await databases()).toEqual([{ datname: name }])
    child.kill('SIGKILL')
    await expect.poll(databases).toEqual([])
  })

  test('lets the process end within a second after a device with a channel was closed', async () => {
    const source = `
      import { openHoldfast } from '${new URL('../src/index.ts', import.meta.url).href}'
      const holdfast = await openHoldfast({ project: ${JSON.stringify(project)}, users: { ada: {} } })
      const device = await holdfast.openDevice('ada')
      await new Promise((resolve) => device.client.supabase.channel('room').subscribe((state) => state === 'SUBSCRIBED' && resolve()))
      await device[Symbol.asyncDispose]()
      await holdfast[Symbol.asyncDispose]()
      console.log('closed')
    `
    // In a file, because the database's worker inherits the process's options.
    const script = join(project, 'close-a-device.mjs')
    writeFileSync(script, source)
    const child = spawn(process.execPath, ['--conditions=source', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    const [closed] = (await once(child.stdout, 'data')) as [Buffer]
    const closedMs = performance.now()
    expect(closed.toString()).toBe('closed\n')
    expect(await ended).toEqual([0, null])
    expect(performance.now() - closedMs).toBeLessThan(1_000)
  })

  test('does not answer those who do not know its secret', async () => {
    const base = join(tmpdir(), `holdfast-testing-${userInfo().uid}`)
    const notes = readdirSync(base).flatMap((name) => {
      try {
        return [JSON.parse(readFileSync(join(base, name, 'host.json'), 'utf8')) as { port: number }]
      } catch {
        return []
      }
    })
    expect(notes).not.toEqual([])
    const { connectTo } = await import('../src/host-connection.ts')
    for (const { port } of notes)
      await expect(connectTo({ port, token: 'a guess', pid: 0, version: '' })).rejects.toThrowError(
        /another user|ended/,
      )
    // Another program may listen at its former port.
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    await expect(connectTo({ port, token: 'a guess', pid: 0, version: '' })).rejects.toThrowError()
    other.closeAllConnections()
    other.close()
  })
})
