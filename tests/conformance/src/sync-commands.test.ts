import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { sql } from '@holdfast/postgres'

/*
 * `holdfast sync coverage`, `explain` and `verify` next to a running server, as an operator runs them: the real program, its output and exit code.
 */

const MAIN = fileURLToPath(new URL('../../../server/dist/cli/main.js', import.meta.url))
const MINA = 'mina.kaya@northline.example'

let holdfast: Holdfast

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
})

afterAll(async () => holdfast?.[Symbol.asyncDispose]())

interface SyncStatus {
  readonly filling: readonly {
    readonly table: string
    readonly state: string
    readonly rowsRead: number
    readonly rowsTotal?: number
  }[]
}

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const child = spawn(process.execPath, [MAIN, 'sync', ...argv], {
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })))
}

/** Runs a command with the server's data folder, from whose secret it derives its key. */
const beside = (...argv: readonly string[]): Promise<Outcome> =>
  run([...argv, '--url', holdfast.url, '--data-dir', holdfast.dataDir])

async function someAction(): Promise<string> {
  const [row] = await holdfast.admin.query<{ id: string }>(sql`select id::text from public.actions order by id limit 1`)
  return row?.id ?? ''
}

describe('`holdfast sync status`', () => {
  test('prints a readable summary', async () => {
    // The server is ready before its reader follows.
    await expect.poll(async () => (await beside('status')).code).toBe(0)
    const { out, err } = await beside('status')
    expect(err).toBe('')
    expect(out).toMatch(/^sync +serving devices$/m)
    expect(out).toMatch(/^reader +following$/m)
    expect(out).toMatch(/^server +[\da-f]{8}, this one: reads the changes since \d{4}-.*Z$/m)
    expect(out).toMatch(
      /^slot +holdfast_\d+, being read, confirmed [\dA-F]+\/[\dA-F]+, Postgres keeps [\d,]+ \w+ for it$/m,
    )
    expect(out).toMatch(/^size +[\d,]+ \w+, the synced tables [\d,]+ \w+ \([\d.]+ : 1\)$/m)
    expect(out).not.toMatch(/^ {2}holdfast\./m)
    expect(out).toMatch(/^\d+ tables of Holdfast itself are not meant for devices; --all lists them\.$/m)
  })

  test("with --all lists Holdfast's own tables", async () => {
    expect((await beside('status', '--all')).out).toMatch(/^ {2}holdfast\.migrations: row-level security is off$/m)
  })

  test("with --json reports the progress of a large table's first fill", async () => {
    await holdfast.admin.execute(sql`create table public.readings (id int primary key, place text)`)
    await holdfast.admin.execute(
      sql`insert into public.readings select n, repeat('x', 100) from generate_series(1, 150000) n`,
    )
    const read = async (): Promise<SyncStatus> => JSON.parse((await beside('status', '--json')).out) as SyncStatus
    await holdfast.admin.execute(sql`alter table public.readings enable row level security`)
    await holdfast.admin.execute(
      sql`create policy all_of_it on public.readings for select to authenticated using (true)`,
    )
    const seen: SyncStatus[] = []
    await expect
      .poll(
        async () => {
          seen.push(await read())
          return seen.at(-1)?.filling.length === 0 && seen.some(({ filling }) => filling.length > 0)
        },
        { timeout: 60_000, interval: 0 },
      )
      .toBe(true)
    const fill = seen.flatMap(({ filling }) => filling).findLast(({ state }) => state === 'being read')
    expect(fill).toMatchObject({ table: 'public.readings', definitions: [expect.stringMatching(/^readings\./)] })
    expect(fill?.rowsRead).toBeGreaterThan(0)
    expect(fill?.rowsTotal).toBeGreaterThan(100_000)
    expect(seen.at(-1)).toMatchObject({ ready: true, definitions: { waiting: 0 }, reader: { state: 'following' } })
    await holdfast.admin.execute(sql`drop table public.readings`)
  })
})

describe('`holdfast sync coverage`', () => {
  test('prints a readable table of all tables and policies', async () => {
    const { code, out, err } = await beside('coverage')
    expect(err).toBe('')
    expect(code).toBe(0)
    expect(out).toMatch(/^table +syncs +rows +buckets +operations +by$/m)
    expect(out).toMatch(/^public\.actions +as actions +[\d,?]+ +\d+ +[\d,]+ +[a-z, ]*key/m)
    expect(out).toMatch(/^ {4}key query {3}select /m)
    expect(out).toMatch(
      /^ {4}depends on {2}\S+ \(.*\), asked again: whose \(?auth\.uid\(\)\S* is its \w+; [\d,?]+ rows/m,
    )
    expect(out).not.toMatch(/^holdfast\./m)
    expect(out).toMatch(/^\d+ tables of Holdfast itself are left out; --all shows them\.$/m)
    expect((await beside('coverage', '--all')).out).toMatch(/^holdfast\.views +as hf_views/m)
  })

  test('prints JSON, also with only the key', async () => {
    const { code, out } = await run(['coverage', '--json', '--table=actions', `--url=${holdfast.url}`], {
      HOLDFAST_SERVICE_KEY: holdfast.serviceRoleKey,
    })
    expect(code).toBe(0)
    const report = JSON.parse(out) as { tables: { table: string; synced: boolean; definitions: object[] }[] }
    expect(report.tables.map(({ table, synced }) => [table, synced])).toEqual([['public.actions', true]])
    expect(report.tables[0]?.definitions.length).toBeGreaterThan(0)
  })
})

describe('`holdfast sync check`', () => {
  test('succeeds if every policy is followed', async () => {
    expect(await beside('check')).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/; 0 not followed$/m) as string,
    })
  })

  test('reports what the last migration left unfollowed, with the reason', async () => {
    await holdfast.admin.execute(
      sql.trusted(`
      create table public.drawn (id int primary key, n float8);
      alter table public.drawn enable row level security;
      create policy lucky on public.drawn for select to authenticated using (n < random());
      select sync.create_stream('lot', 'select * from public.drawn')`),
    )
    const { code, out } = await beside('check')
    expect(out).toMatch(/^public\.drawn: NOT FOLLOWED: random\(\) is volatile/m)
    expect(out).toMatch(/^ {2}lucky$/m)
    expect(code).toBe(1)
    await holdfast.admin.execute(sql.trusted(`select sync.drop_stream('lot'); drop table public.drawn`))
    const { out: json } = await beside('check', '--json')
    expect(JSON.parse(json)).toEqual({ problems: [] })
  })
})

describe('`holdfast sync check` with files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-check-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function file(name: string, text: string): string {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const exists = async (name: string): Promise<boolean> => {
    const [row] = await holdfast.admin.query<{ there: boolean }>(sql`select to_regclass(${name}) is not null as there`)
    return row?.there === true
  }
  const DRAWN = `
    begin; -- as tools write it
    create table public.drawn (id int primary key, n float8, owner uuid);
    alter table public.drawn enable row level security;
    create policy own on public.drawn for select to authenticated using (owner = auth.uid());
    commit;`

  test('reports why a stream or policy cannot be followed, and changes nothing', async () => {
    const stream = file(
      'stream.sql',
      `select sync.create_stream('lucky', 'select * from public.drawn where n < public.luck()');`,
    )
    const luck = `create function public.luck() returns float8 language sql volatile return random();`
    const { code, out, err } = await beside('check', file('drawn.sql', DRAWN), file('luck.sql', luck), stream)
    expect(err).toBe('')
    expect(out).toMatch(/^stream lucky: NOT FOLLOWED: .*volatile/m)
    expect(out).toMatch(/1 not followed; nothing was changed$/m)
    expect(code).toBe(1)
    expect(await exists('public.drawn')).toBe(false)
    const lucky = file(
      'lucky.sql',
      `${DRAWN.replaceAll(/begin;|commit;/g, '')}
      create policy lucky on public.drawn for select to authenticated using (n < random());`,
    )
    const json = await beside('check', lucky, '--apply', '--json')
    expect(JSON.parse(json.out)).toEqual({
      problems: [{ of: 'public.drawn', culprit: 'lucky', reason: expect.stringMatching(/volatile/) as string }],
      applied: false,
    })
    expect(json.code).toBe(1)
    expect(await exists('public.drawn')).toBe(false)
  })

  test('accepts policies that can be followed, and applies them with `--apply`', async () => {
    const drawn = file('drawn.sql', DRAWN)
    const stream = file('stream.sql', `select sync.create_stream('mine', 'select * from drawn where n < 1');`)
    expect(await beside('check', drawn, stream)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/0 not followed; nothing was changed$/m) as string,
    })
    expect(await exists('public.drawn')).toBe(false)
    expect(await beside('check', drawn, stream, '--apply')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/0 not followed; applied$/m) as string,
    })
    expect(await exists('public.drawn')).toBe(true)
    expect(await beside('check')).toMatchObject({ code: 0, err: '' })
    await holdfast.admin.execute(sql.trusted(`select sync.drop_stream('mine'); drop table public.drawn`))
  })

  test('reports file and line of statements that Postgres refuses or that cannot be checked', async () => {
    const wrong = file(
      'wrong.sql',
      `create table public.drawn (id int primary key);\n\n-- why not\nselect nonsense from public.drawn;`,
    )
    expect(await beside('check', wrong)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/wrong\.sql, line 4: .*nonsense/) as string,
    })
    expect(await beside('check', file('end.sql', 'create table public.drawn (id int); rollback;'))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/end\.sql, line 1: .*one transaction[^]*ROLLBACK/) as string,
    })
    expect(await beside('check', file('typo.sql', 'crate table x ()'))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/typo\.sql cannot be read as SQL: .*crate/) as string,
    })
    expect(await beside('check', join(folder, 'none.sql'))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/none\.sql cannot be read/) as string,
    })
    expect(await exists('public.drawn')).toBe(false)
  })

  test('reads COPY rows like psql', async () => {
    const table = 'create table public.drawn (id int primary key, name text);\ncopy public.drawn from stdin;\n'
    const counts = `do $$ begin if (select count(*) from public.drawn) <> 2 then raise 'rows are missing'; end if; end $$;`
    const copied = file('copied.sql', `\\restrict x\n${table}1\tone; 'two\n2\t\\N\n\\.\n\n${counts}`)
    expect(await beside('check', copied)).toMatchObject({ code: 0, err: '' })
    expect(await beside('check', file('odd.sql', `${table}1\tone\nx\ttwo\n\\.\n`))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/odd\.sql, line 4: invalid input syntax for type integer: "x"/) as string,
    })
    expect(await beside('check', file('psql.sql', `${table}\\.\n\\i other.sql\n`))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/psql\.sql, line 4: \\i is a command of psql/) as string,
    })
    expect(await exists('public.drawn')).toBe(false)
  })

  test("runs them with the project's privileges, also by database URL", async () => {
    const copy = file('copy.sql', `copy (select 1) to program 'touch /tmp/holdfast-check-ran'`)
    const { code, err } = await run(['check', copy], { DATABASE_URL: holdfast.databaseUrl })
    expect(err).toMatch(/copy\.sql, line 1: permission denied/)
    expect(code).toBe(1)
    expect(await run(['check', copy, `--data-dir=${folder}`])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/No Holdfast runs on the data folder[^]*DATABASE_URL/) as string,
    })
  })
})

describe('`holdfast sync explain`', () => {
  test('explains why a user has a row', async () => {
    const id = await someAction()
    const { code, out } = await beside('explain', '--user', MINA, '--table', 'actions', '--id', id)
    expect(code).toBe(0)
    expect(out).toContain(`${MINA} (`)
    expect(out).toMatch(/This person (has|does not have) the row\.|DISAGREEMENT/)
    expect(out).not.toContain('DISAGREEMENT')
    expect(out).toMatch(/Postgres: (shows|does not show) the row/)
    expect(out).toMatch(/operation \d+, checksum \d+$/m)
  })

  test('reports missing options and unknown objects', async () => {
    expect(await beside('explain', '--user', MINA)).toMatchObject({
      code: 1,
      err: expect.stringContaining('--table is missing'),
    })
    expect(await beside('explain', '--user=nobody@example.com', '--table=actions', '--id=1')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no account "nobody@example.com"'),
    })
  })
})

describe('`holdfast sync verify`', () => {
  test('reports equality for devices of sample accounts', async () => {
    for (const user of [MINA, 'sam.reyes@northline.example', 'tomas.lindgren@northline.example']) {
      const { code, out, err } = await beside('verify', '--user', user)
      expect(out + err).toContain('Equal: the device has exactly what Postgres shows this person.')
      expect(code).toBe(0)
    }
  })

  test('reports equality while rows keep changing', async () => {
    const stopping = new AbortController()
    const writing = (async () => {
      for (let n = 0; !stopping.signal.aborted; n++)
        await holdfast.admin.execute(
          sql`update public.actions set title = ${`title ${n}`} where id in (select id from public.actions limit 20)`,
        )
    })()
    const { code, out } = await beside('verify', '--user', MINA, '--json')
    stopping.abort()
    await writing
    expect(JSON.parse(out)).toMatchObject({ equal: true, differences: [], faults: [] })
    expect(code).toBe(0)
  })

  test('reports missing, extra and different rows with exit code 1', async () => {
    const [first] = await holdfast.admin.query<{ id: string }>(sql`
      select o.row_key::text as id from sync.ops o join sync.buckets b on b.id = o.bucket_id where b.name like 'templates.%' and o.row_key is not null order by 1 limit 1`)
    // Directly in the database: changes one row's operation into another row's, so that the checksum still matches.
    await holdfast.internal.execute(sql`
      update sync.ops set doc = overlay(doc placing convert_to('ffff', 'UTF8') from position(convert_to('object_id', 'UTF8') in doc) + 14)
       where row_key = ${first?.id}::bytea`)
    const { code, out } = await beside('verify', '--user', MINA, '--json')
    await holdfast.internal.execute(sql`
      update sync.ops set doc = overlay(doc placing convert_to(substr(encode(row_key, 'hex'), 1, 4), 'UTF8') from position(convert_to('object_id', 'UTF8') in doc) + 14)
       where row_key = ${first?.id}::bytea`)
    const found = JSON.parse(out) as { equal: boolean; differences: { table: string; kind: string }[] }
    expect(found.equal).toBe(false)
    expect(found.differences.map(({ table, kind }) => `${table} ${kind}`).toSorted()).toEqual([
      'templates missing',
      'templates too much',
    ])
    expect(code).toBe(1)
  })
})

describe('`holdfast sync`', () => {
  test('explains what to do if the server is down, the key is wrong or the command is unknown', async () => {
    expect(await run(['coverage', '--url=http://127.0.0.1:1', '--service-key=x'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Start Holdfast first'),
    })
    expect(await run(['coverage', `--url=${holdfast.url}`, '--service-key=x'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Is the key that of this server?'),
    })
    expect(await run(['covrage'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Did you mean "holdfast sync coverage"?'),
    })
  })
})
