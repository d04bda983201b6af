import { spawn, type SpawnOptions } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createPool, openEmbeddedCluster, sql } from '@holdfast/postgres'
import { SERVER_MAIN } from '@holdfast/test-support'

// The commands that look after a server and its project, as a person types them in a folder.

const SCHEMA = `
  create type public.mood as enum ('calm', 'in a hurry', 'it''s complicated, and has been for as long as anybody remembers');
  create type public.place as (street text, "house number" int);
  create table public.people (
    id uuid primary key default gen_random_uuid(),
    name text not null,
    "nick name" text,
    mood public.mood,
    moods public.mood[] not null default '{}',
    home public.place,
    extra jsonb not null default '{}',
    age int generated always as (40) stored
  );
  create table public.notes (
    id bigint generated always as identity primary key,
    person uuid not null unique references public.people,
    body text,
    weight real not null default 0
  );
  create view public.named as select id, name from public.people;
  create view public.counts as select person, count(*) from public.notes group by person;
  create function public.initials(public.people) returns text language sql stable as $$ select left($1.name, 1) $$;
  create function public.notes_of(person uuid, since timestamptz default null) returns setof public.notes language sql stable
    as $$ select * from public.notes $$;
  create function public.pick(value int) returns int language sql as 'select 1';
  create function public.pick(value text) returns int language sql as 'select 1';
  create function public.totals() returns table (body text, total int) language sql as $$ select 'a', 1 $$;
  alter table public.people enable row level security;
  alter table public.notes enable row level security;
  create policy own on public.notes to authenticated using (person = auth.uid());`

/** The three functions of pgTAP that the tests below call: the whole of it is not on every machine. */
const PGTAP = `
  create table taps (line text);
  create function plan(integer) returns text language sql as $$ select '1..' || $1 $$;
  create function ok(boolean, text default '') returns text language sql as $$
    insert into extensions.taps values ($2);
    select case when $1 then '' else 'not ' end || 'ok ' || count(*) || ' - ' || $2 from extensions.taps $$;
  create function finish() returns setof text language sql as $$ select '# ran ' || count(*) from extensions.taps $$;`

/** Ran to its end. */
interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** What `start --json` prints. */
interface Ready {
  readonly base: string
  readonly anonKey: string
  readonly serviceRoleKey: string
  readonly publishableKey: string
}

/** A command that runs. */
interface Running {
  readonly pid: number
  readonly ended: Promise<Ended>
  /** Resolves with its first line of output, or rejects when it ends without one. */
  readonly firstLine: Promise<string>
}

function begin(at: string | SpawnOptions, ...argv: readonly string[]): Running {
  const child = spawn(process.execPath, [SERVER_MAIN, ...argv], {
    ...(typeof at === 'string' ? { cwd: at } : at),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, npm_lifecycle_event: '' },
  })
  let out = ''
  let err = ''
  const { promise: firstLine, resolve: onLine, reject: onEnd } = Promise.withResolvers<string>()
  firstLine.catch(() => undefined)
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    if (out.includes('\n')) onLine(out)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code) => {
      onEnd(new Error(`it ended: ${err}`))
      resolve({ code, out, err })
    }),
  )
  return { pid: child.pid ?? 0, ended, firstLine }
}

const holdfast = (cwd: string, ...argv: readonly string[]): Promise<Ended> => begin(cwd, ...argv).ended

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-commands-'))
  chmodSync(folder, 0o755) // when root runs the tests, Postgres is another user, who has to pass
  return folder
}

describe('in an empty folder', () => {
  const folder = newFolder()
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('status says that no server runs, and how to start one', async () => {
    const ended = await holdfast(folder, 'status')
    expect(ended).toMatchObject({ code: 1, out: '' })
    expect(ended.err).toMatch(/No server runs on \.holdfast\.\n.*holdfast start/)
  })

  test('stop has nothing to do', async () => {
    expect(await holdfast(folder, 'stop', '--json')).toMatchObject({ code: 0, err: '' })
  })

  test('doctor has nothing against a start', async () => {
    const ended = await holdfast(folder, 'doctor', '--port=0', '--db-port=0')
    expect(ended).toMatchObject({ code: 0, err: '', out: expect.stringContaining('0 problems') as string })
  })

  test('gen types says that there is no database', async () => {
    const ended = await holdfast(folder, 'gen', 'types')
    expect(ended).toMatchObject({ code: 1, out: '' })
    expect(ended.err).toMatch(/has no database\.\nThe first "holdfast start" makes it/)
  })

  test('keys list says that a start makes the key', async () => {
    const ended = await holdfast(folder, 'keys', 'list')
    expect(ended).toMatchObject({ code: 1, out: '' })
    expect(ended.err).toContain('The first "holdfast start" makes it')
  })

  test('an option without a command says where it belongs', async () => {
    const ended = await holdfast(folder, '--port=3000')
    expect(ended).toMatchObject({ code: 1, out: '' })
    expect(ended.err).toContain('"holdfast start --port=3000"')
  })

  test('one port for both is refused before a database is made', async () => {
    const ended = await holdfast(folder, 'start', '--port=21987', '--db-port=21987')
    expect(ended.code).toBe(1)
    expect(ended.err).toContain('Port 21987 cannot be both --port and --db-port.')
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('in a folder that cannot be written to', () => {
  const folder = newFolder()
  beforeAll(() => chmodSync(folder, 0o555))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  // Root may write everywhere.
  const asOther = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const ended = (...argv: readonly string[]): Promise<Ended> => begin({ cwd: folder, ...asOther }, ...argv).ended

  test.each([['init'], ['migration', 'new', 'notes'], ['functions', 'new', 'hello'], ['secrets', 'set', 'NAME=value']])(
    '%s %s says so, and is no bug',
    async (...argv) => {
      const { code, err } = await ended(...argv)
      expect(code).toBe(1)
      expect(err).toMatch(/^\n\S+: permission denied \(EACCES, mkdir\)\.\nCheck who owns it/)
    },
  )

  test('doctor finds it', async () => {
    const { code, out } = await ended('doctor', '--port=0', '--db-port=0')
    expect(out).toContain('data folder: ' + folder + ' cannot be read and written by this user')
    expect(code).toBe(1)
  })
})

describe('in the folder of a project', () => {
  const folder = newFolder()
  let server: Running
  let ready: Ready

  beforeAll(async () => {
    mkdirSync(join(folder, 'supabase/migrations'), { recursive: true })
    writeFileSync(join(folder, 'supabase/migrations/1_people.sql'), SCHEMA)
    server = begin(folder, 'start', '--json', '--port=0', '--db-port=0')
    ready = JSON.parse(await server.firstLine) as Ready
  })
  afterAll(async () => {
    let isOver = false
    void server.ended.then(() => (isOver = true))
    await Promise.resolve()
    if (!isOver) process.kill(server.pid, 'SIGTERM')
    await server.ended
    rmSync(folder, { recursive: true, force: true })
  })

  test('status tells addresses and keys that work', async () => {
    const { code, out } = await holdfast(folder, 'status', '--json')
    const values = JSON.parse(out) as Readonly<Record<string, string>>
    expect(code).toBe(0)
    expect(values).toMatchObject({
      API_URL: ready.base,
      ANON_KEY: ready.anonKey,
      health: { ok: true, database: 'up' },
      versions: { postgres: expect.stringMatching(/^18\./) as string },
    })
    const answer = await fetch(`${values['REST_URL']}/notes?select=id`, {
      headers: { apikey: values['SERVICE_ROLE_KEY'] ?? '' },
    })
    expect(await answer.json()).toEqual([])
  })

  test('status writes lines that a shell reads', async () => {
    const { out } = await holdfast(folder, 'status', '-o', 'env')
    expect(out).toContain(`API_URL="${ready.base}"\nREST_URL="${ready.base}/rest/v1"\n`)
    expect(out).toContain(`ANON_KEY="${ready.anonKey}"\n`)
  })

  test('keys lists what there is, and whole keys only where a person sees them', async () => {
    const listed = await holdfast(folder, 'keys')
    expect(listed).toMatchObject({ code: 0, err: '' })
    expect(listed.out).toContain('  service_role  eyJ')
    for (const key of [ready.anonKey, ready.serviceRoleKey]) expect(listed.out).not.toContain(key)
    expect(await holdfast(folder, 'keys', '--show')).toMatchObject({ code: 1, out: '' })
    const { out } = await holdfast(folder, 'keys', '--show', '--json')
    expect(JSON.parse(out)).toMatchObject({
      api: { service_role: ready.serviceRoleKey },
      signing: [{ status: 'current' }],
    })
  })

  test('keys rotate signs with a new key, at once only if that is asked for', async () => {
    const states = async (...argv: readonly string[]): Promise<readonly string[]> => {
      const { out } = await holdfast(folder, 'keys', ...argv, '--json')
      return (JSON.parse(out) as { readonly signing: readonly { readonly status: string }[] }).signing.map(
        ({ status }) => status,
      )
    }
    expect((await states('add', '--algorithm', 'ES256')).toSorted()).toEqual(['current', 'standby'])
    const early = await holdfast(folder, 'keys', 'rotate')
    expect(early).toMatchObject({ code: 1, out: '' })
    expect(early.err).not.toContain('{')
    expect((await states('rotate', '--at-once')).toSorted()).toEqual(['current', 'previous'])
  })

  test('gen types writes the module that the generator of Supabase writes', async () => {
    const { code, out } = await holdfast(folder, 'gen', 'types', 'typescript', '--local')
    expect(code).toBe(0)
    await expect(out).toMatchFileSnapshot('expected-types.ts.txt')
  })

  test('gen types writes the schema of a device, of what syncs, from the server of the folder at whatever port', async () => {
    const { out } = await holdfast(folder, 'gen', 'types', '--lang=powersync')
    expect(out).toContain(
      'const notes = new Table(\n  {\n    person: column.text,\n    body: column.text,\n    weight: column.real,\n  }',
    )
    expect(out).toMatch(/export const AppSchema = new Schema\(\{\n(?: {2}\w+,\n)*? {2}notes,\n/)
  })

  test('seed applies what the start could not know, once', async () => {
    writeFileSync(join(folder, 'supabase/seed.sql'), `insert into public.people (name) values ('from the seed');`)
    const runs = [await holdfast(folder, 'seed', '--json'), await holdfast(folder, 'seed', '--json')]
    expect(runs.map(({ out }) => (JSON.parse(out) as { readonly applied: unknown }).applied)).toEqual([
      ['supabase/seed.sql'],
      [],
    ])
  })

  test('test db runs the files of supabase/tests, and leaves nothing of them', async () => {
    const write = (name: string, text: string): void => {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    write('pgtap/pgtap.control', `default_version = '0.1'\nrelocatable = true\nsuperuser = false\n`)
    write('pgtap/pgtap--0.1.sql', PGTAP)
    write(
      'supabase/tests/a/people.test.sql',
      `\\set QUIET 1\nbegin;\n\\ir ../shared/person.psql\nselect plan(1);
       select ok((select count(*) from public.people where name = 'Tess') = 1, 'Tess is there');\nselect * from finish();\nrollback;`,
    )
    write('supabase/tests/shared/person.psql', `insert into public.people (name) values ('Tess');`)
    write('supabase/tests/b.sql', `select plan(1); insert into public.people (name) values ('Tom'); select ok(true);`)
    const passed = await holdfast(folder, 'test', 'db', '--pgtap=pgtap')
    expect(passed.err).toBe('')
    expect(passed.out).toMatch(/a\/people\.test\.sql \.+ ok\n.*b\.sql \.+ ok\n/)
    expect(passed.out).toContain('Files=2, Tests=2\nResult: PASS\n')
    expect(passed.code).toBe(0)
    write(
      'supabase/tests/b.sql',
      `select plan(2);\nselect ok((select count(*) from public.people where name in ('Tess', 'Tom')) > 0, 'x');`,
    )
    write('supabase/tests/c.sql', `select plan(1);\nselect ok(true);\nselect nowhere();`)
    const failed = await holdfast(folder, 'test', 'db', 'supabase/tests', '--json')
    expect(failed.code).toBe(1)
    expect(JSON.parse(failed.out)).toMatchObject({
      passed: false,
      files: [
        { file: 'supabase/tests/a/people.test.sql', run: 1 },
        { file: 'supabase/tests/b.sql', failed: [1], fault: 'Bad plan: 2 tests planned, 1 run' },
        { file: 'supabase/tests/c.sql', run: 1, fault: expect.stringContaining('(line 3)') as string },
      ],
    })
  })

  test('db reset gives the running server a new database, at its address and with its keys', async () => {
    const insert = await fetch(`${ready.base}/rest/v1/people`, {
      method: 'POST',
      headers: { apikey: ready.serviceRoleKey, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'typed in' }),
    })
    expect(insert.status).toBe(201)
    expect(await people(ready)).toEqual(['from the seed', 'typed in'])
    const ended = await holdfast(folder, 'db', 'reset')
    expect(ended).toMatchObject({ code: 0, out: expect.stringContaining('.holdfast/before-reset') as string })
    expect(await people(ready)).toEqual(['from the seed'])
    const { out } = await holdfast(folder, 'status', '--json')
    expect(JSON.parse(out)).toMatchObject({
      API_URL: ready.base,
      ANON_KEY: ready.anonKey,
      PUBLISHABLE_KEY: ready.publishableKey,
      health: { ok: true },
    })
  })

  test('stop ends the server and its Postgres', async () => {
    const stopped = await holdfast(folder, 'stop', '--json')
    expect(JSON.parse(stopped.out)).toMatchObject({ stopped: true })
    expect(await server.ended).toMatchObject({ code: 0 })
  })

  test('gen types needs no server', async () => {
    const { code, out } = await holdfast(folder, 'gen', 'types')
    expect(code).toBe(0)
    await expect(out).toMatchFileSnapshot('expected-types.ts.txt')
  })

  test('db reset needs no server, and goes up to a version', async () => {
    writeFileSync(join(folder, 'supabase/migrations/2_wrong.sql'), 'create table public.wrong (id nosuchtype);')
    const failed = await holdfast(folder, 'db', 'reset')
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('2_wrong.sql') as string })
    expect(await holdfast(folder, 'db', 'reset', '--version=1', '--no-seed')).toMatchObject({ code: 0 })
    expect((await holdfast(folder, 'migration', 'list')).out).toMatch(/^1 +1 +people$/m)
  })

  test('db reset leaves the database alone when the start after it would be refused', async () => {
    const listed = (await holdfast(folder, 'migration', 'list')).out
    const configFile = join(folder, 'supabase/config.toml')
    writeFileSync(configFile, '[api\nport = 1')
    const failed = await holdfast(folder, 'db', 'reset')
    rmSync(configFile)
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('config.toml cannot be read') as string })
    expect((await holdfast(folder, 'migration', 'list')).out).toBe(listed)
  })

  test('doctor finds that a newer release wrote the database', async () => {
    const record = async (statement: ReturnType<typeof sql>): Promise<void> => {
      const dataDir = join(folder, '.holdfast')
      await using cluster = await openEmbeddedCluster({ dataDir, port: 0, logger: silentLogger, mustExist: true })
      await using pool = createPool({ url: cluster.internalUrl, applicationName: 'test', connectionsMax: 1 })
      await pool.execute(statement)
    }
    await record(sql`insert into holdfast.migrations (source, name, checksum) values ('sync', '9999_later', 'x')`)
    const ended = await holdfast(folder, 'doctor', '--port=0', '--db-port=0')
    await record(sql`delete from holdfast.migrations where name = '9999_later'`)
    expect(ended.out).toMatch(
      /^PROBLEM {2}release: The database has the migration sync\/9999_later, .*\n +→ A newer release wrote it/m,
    )
    expect(ended.code).toBe(1)
  })

  test('doctor names what is open, lacking and not applied', async () => {
    const open = 'create table public.open (id int primary key); grant all on public.open to anon;'
    writeFileSync(join(folder, 'supabase/seed.sql'), open)
    expect(await holdfast(folder, 'seed')).toMatchObject({ code: 0 })
    writeFileSync(join(folder, 'supabase/migrations/3_vector.sql'), 'create extension vector;')
    const argv = ['--port=0', '--db-port=0', '--email-smtp-host=127.0.0.1', '--email-smtp-port=1']
    const ended = await holdfast(folder, 'doctor', '--json', ...argv)
    rmSync(join(folder, 'supabase/migrations/3_vector.sql'))
    expect(ended.code).toBe(1)
    const findings = JSON.parse(ended.out) as readonly Readonly<Record<'level' | 'of' | 'text', string>>[]
    const serious = findings.filter(({ level }) => level !== 'ok').map(({ of, text }) => `${of}: ${text}`)
    expect(serious.toSorted()).toEqual([
      'extensions: this Postgres has no extension "vector"',
      expect.stringMatching(/^mail: 127\.0\.0\.1:1 does not greet: .*ECONNREFUSED/) as string,
      'migrations: not applied: 2, 3',
      'row-level security: everybody who has a key of the API reads and changes public.open',
    ])
  })

  test('db push says what it would apply', async () => {
    const { out } = await holdfast(folder, 'db', 'push', '--dry-run')
    expect(out).toBe('Would apply supabase/migrations/2_wrong.sql\n')
  })

  test.each([
    [['pull'], 'has migrations already'],
    [['dump', '--data-only', '--role-only'], 'exclude each other'],
    [['dump', '-s', 'vault'], 'is the platform’s'],
  ])('db %s does nothing, and says why', async (argv, hint) => {
    const ended = await holdfast(folder, 'db', ...argv)
    expect(ended).toMatchObject({ code: 1, out: '', err: expect.stringContaining(hint) as string })
  })

  test.each([
    [['--host=0.0.0.0'], 'say --yes'],
    [['--database-url=postgres://nobody@localhost/nothing'], 'holdfast db push'],
    [['--version=7'], 'has the version 7'],
  ])('db reset %s does nothing, and says why', async (argv, hint) => {
    const ended = await holdfast(folder, 'db', 'reset', ...argv)
    expect(ended).toMatchObject({ code: 1, out: '', err: expect.stringContaining(hint) as string })
  })
})

async function people({ base, serviceRoleKey }: Ready): Promise<readonly string[]> {
  const answer = await fetch(`${base}/rest/v1/people?select=name&order=name`, { headers: { apikey: serviceRoleKey } })
  return ((await answer.json()) as readonly { readonly name: string }[]).map(({ name }) => name)
}
