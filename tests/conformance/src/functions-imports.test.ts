import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openFunctionsWorld, openPackageServer, type FunctionsWorld, type PackageServer } from '@holdfast/test-support'

// Module resolution of functions, with hosts on loopback instead of the network, and database access from functions.

const MODULES = {
  '/library/greet.ts': `export const greet = (name: string): string => 'Hello ' + name`,
  '/@northline/flow/1.0.0/mod.ts': `export const litres = (flow: number, seconds: number): number => flow * seconds`,
}

const OPEN = [
  'npm',
  'esm',
  'cors',
  'prefix',
  'jsr',
  'https',
  'mapped',
  'manifest',
  'lost-npm',
  'lost-https',
  'lost-jsr',
  'sql',
  'files',
]

function filesOf(base: string): Record<string, string> {
  return {
    'config.toml': `${OPEN.map((name) => `[functions.${name}]\nverify_jwt = false\n`).join('\n')}
[functions.files]
verify_jwt = false
static_files = ["./functions/files/*.html"]
`.replace('[functions.files]\nverify_jwt = false\n\n[functions.files]', '[functions.files]'),
    'functions/npm/index.ts': `
import ms from 'npm:ms@2'
Deno.serve(() => new Response(ms(120_000)))`,
    'functions/esm/index.ts': `
import ms from 'https://esm.sh/ms@2?target=deno'
Deno.serve(() => new Response(ms(180_000)))`,
    'functions/prefix/deno.json': `{ "imports": { "semver/": "npm:semver@7/" } }`,
    'functions/prefix/index.ts': `
import major from 'semver/functions/major.js'
Deno.serve(() => new Response(String(major('7.1.2'))))`,
    'functions/jsr/index.ts': `
import { litres } from 'jsr:@northline/flow@1'
Deno.serve(() => new Response(String(litres(2, 60))))`,
    'functions/https/index.ts': `
import { greet } from '${base}/library/greet.ts'
Deno.serve(() => new Response(greet('Ada')))`,
    'functions/mapped/deno.json': `{ "imports": { "ms": "npm:ms@2", "library/": "${base}/library/" } }`,
    'functions/mapped/index.ts': `
import ms from 'ms'
import { greet } from 'library/greet.ts'
Deno.serve(() => new Response(greet(ms(60_000))))`,
    'functions/manifest/package.json': `{ "dependencies": { "ms": "^2.0.0" } }`,
    'functions/manifest/index.ts': `
import ms from 'ms'
Deno.serve(() => new Response(ms(240_000)))`,
    'functions/lost-npm/index.ts': `import 'npm:holdfast-has-no-such-package@1'`,
    'functions/lost-https/index.ts': `import 'http://127.0.0.1:9/gone.ts'`,
    'functions/lost-jsr/index.ts': `import 'jsr:@northline/gone@1'`,
    'functions/files/page.html': '<p>Northline</p>',
    'functions/files/index.ts': `
Deno.serve(async () => new Response(await Deno.readTextFile(new URL('./page.html', import.meta.url))))`,
    'functions/sql/index.ts': `
import pg from 'npm:pg@8'
const pool = new pg.Pool({ connectionString: Deno.env.get('SUPABASE_DB_URL'), max: 5 })
Deno.serve(async (request) => {
  try {
    const { rows } = await pool.query(await request.text())
    return Response.json(rows)
  } catch (error) {
    return Response.json({ code: error.code, message: error.message }, { status: 400 })
  }
})`,
  }
}

let packages: PackageServer
let world: FunctionsWorld
beforeAll(async () => {
  packages = await openPackageServer(MODULES)
  for (const [name, value] of Object.entries(packages.environment)) {
    vi.stubEnv(name, value)
    vi.stubEnv(name.toLowerCase(), undefined)
  }
  world = await openFunctionsWorld(filesOf(packages.url), ['--functions-db-connections-max=7'])
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await world[Symbol.asyncDispose]()
  await packages[Symbol.asyncDispose]()
})

async function textOf(name: string): Promise<string> {
  return await (await fetch(world.url(name))).text()
}

describe('imports', () => {
  test.each([
    ['npm:', 'npm', '2m'],
    ['an esm.sh URL with a query', 'esm', '3m'],
    ['a deno.json that maps a package prefix', 'prefix', '7'],
    ['jsr:', 'jsr', '120'],
    ['a URL', 'https', 'Hello Ada'],
    ["a function's deno.json", 'mapped', 'Hello 1m'],
    ["a function's package.json", 'manifest', '4m'],
  ])('resolve from %s', async (_how, name, text) => {
    expect(await textOf(name), world.holdfast.log()).toBe(text)
  })

  test.each([
    ['lost-npm', 'holdfast-has-no-such-package'],
    ['lost-https', 'http://127.0.0.1:9/gone.ts'],
    ['lost-jsr', '@northline/gone'],
  ])('that cannot be fetched are BOOT_ERROR and named in the log: %s', async (name, what) => {
    const answer = await fetch(world.url(name))
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ code: 'BOOT_ERROR' })
    await expect
      .poll(() => world.holdfast.log())
      .toMatch(new RegExp(`the function ${name} cannot be started: .*${what.replaceAll('.', '\\.')}`))
  })

  test('are cached after the first download', async () => {
    expect(await textOf('npm')).toBe('2m')
    const before = packages.asked.length
    world.write('functions/npm/index.ts', `import ms from 'npm:ms@2'\nDeno.serve(() => new Response('again ' + ms(1)))`)
    await expect.poll(() => textOf('npm')).toBe('again 1ms')
    expect(packages.asked.slice(before)).toEqual([])
  })

  test('work next to static files', async () => {
    expect(await textOf('files')).toBe('<p>Northline</p>')
  })
})

describe('SUPABASE_DB_URL', () => {
  async function run(statement: string): Promise<unknown> {
    return await (await fetch(world.url('sql'), { method: 'POST', body: statement })).json()
  }

  test('uses a role that bypasses policies', async () => {
    await world.holdfast.admin.withClient((client) =>
      client.query(`create table public.readings (id int primary key, litres numeric not null);
                    alter table public.readings enable row level security`),
    )
    expect(await run(`insert into readings values (1, 4.5) returning litres`)).toEqual([{ litres: '4.5' }])
    expect(await run(`select count(*)::int from public.readings`)).toEqual([{ count: 1 }])
    expect(await run(`select count(*)::int from auth.users`)).toEqual([{ count: 0 }])
    expect(await run(`select current_user, rolconnlimit from pg_roles where rolname = current_user`)).toEqual([
      { current_user: 'holdfast_functions', rolconnlimit: 7 },
    ])
  })

  test('may set role authenticated', async () => {
    expect(await run(`begin; set local role authenticated; select 1; commit`)).not.toHaveProperty('code')
  })

  test.each([
    'set role supabase_admin',
    'set role postgres',
    'alter role holdfast_functions superuser',
    'alter role holdfast_functions connection limit -1',
    'create role another superuser',
    'select * from auth.signing_keys',
    'select * from auth.refresh_tokens',
    'select * from auth.one_time_tokens',
    'select * from holdfast.login_passwords',
    'select * from pg_authid',
    `copy (select 1) to program 'true'`,
    `select pg_read_file('/etc/passwd')`,
  ])('denies %s', async (statement) => {
    expect(await run(statement)).toMatchObject({ code: '42501' })
  })
})
