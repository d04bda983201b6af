import { expect, test } from 'vitest'
import { openRestWorld } from './rest-world.ts'

// Settings by which PostgREST is configured, given as options or set in the database.

test('a function answers at the root, in the schema of the request', async () => {
  await using world = await openRestWorld({ restRootFunction: 'public.welcome' })
  await world.rows(
    `create function public.welcome() returns json stable language sql as $$ select '{"hello": "world"}'::json $$`,
  )
  await world.refresh()
  expect(await world.ask('/')).toMatchObject({ status: 200, body: { hello: 'world' } })
  expect(await world.ask('/', { method: 'OPTIONS' })).toMatchObject({ headers: { allow: 'OPTIONS,GET,HEAD,POST' } })
  expect(await world.ask('/', { method: 'PATCH' })).toMatchObject({ status: 405, body: { code: 'PGRST101' } })
})

test('a root that is disabled stays so with a function', async () => {
  await using world = await openRestWorld({ restRootFunction: 'welcome', restOpenapiMode: 'disabled' })
  expect(await world.ask('/')).toMatchObject({ status: 404, body: { code: 'PGRST126' } })
})

test('errors are as short as they are wanted', async () => {
  await using world = await openRestWorld()
  const verbose = await world.ask('/clints')
  expect(verbose.body).toMatchObject({
    code: 'PGRST205',
    details: null,
    hint: expect.stringContaining('clients') as string,
  })
  await world.rows(
    `do $$ begin execute format('alter role authenticator in database %I set pgrst.client_error_verbosity = minimal', current_database()); end $$`,
  )
  await world.refresh()
  const minimal = await world.ask('/clints')
  expect(minimal.status).toBe(404)
  expect(Object.keys(minimal.body as object).toSorted()).toEqual(['code', 'message'])
})

test('a function sets the configuration, with the rights of authenticator, until the database says otherwise', async () => {
  await using world = await openRestWorld({ restPreConfig: 'settings.configure' })
  await world.rows(`
    create schema settings; grant usage on schema settings to authenticator;
    create table settings.trace (who text);
    create function settings.configure() returns void language plpgsql as $$ begin
      perform set_config('pgrst.db_max_rows', '1', true), set_config('pgrst.openapi_mode', current_user, true),
              set_config('pgrst.client_error_verbosity', 'minimal', false);
    end $$`)
  await world.refresh()
  expect((await world.ask('/clients')).body).toHaveLength(1)
  expect(Object.keys((await world.ask('/nowhere')).body as object)).toHaveLength(2)

  await world.rows(
    `do $$ begin execute format('alter role authenticator in database %I set pgrst.db_max_rows = 2', current_database()); end $$`,
  )
  await world.refresh()
  expect((await world.ask('/clients')).body).toHaveLength(2)

  await world.rows(`
    create or replace function settings.configure() returns void language plpgsql as $$ begin
      insert into settings.trace values (current_user);
    end $$; create table settings.changed (id int)`)
  await world.refresh()
  // It may write nothing and read nothing that authenticator may not; what was set before holds.
  expect(Object.keys((await world.ask('/nowhere')).body as object)).toHaveLength(2)
  expect(await world.rows('select from settings.trace')).toHaveLength(0)
})

test('an embedded table with an alias is named by the alias', async () => {
  const address = '/clients?select=id,p:projects(id)&order=id&projects.id=eq.1'
  await using world = await openRestWorld()
  const deprecated = await world.ask(address)
  expect(deprecated.status).toBe(200)
  expect(deprecated.headers['warning']).toMatch(/^299 \S+ ".*'projects' to 'p'.*"$/)
  const current = await world.ask('/clients?select=id,p:projects(id)&order=id&p.id=eq.1')
  expect(current.body).toEqual(deprecated.body)
  expect(current.headers).not.toHaveProperty('warning')

  await using strict = await openRestWorld({ restTargetNamesEnabled: false })
  expect(await strict.ask(address)).toMatchObject({
    status: 400,
    body: { code: 'PGRST108', hint: "Change 'projects' to 'p' in filters, orders or limits." },
  })
  expect((await strict.ask('/clients?select=id,p:projects(id)&order=id&p.id=eq.1')).body).toEqual(deprecated.body)
})

test.each(['TRACE', 'PROPFIND', 'LOCK', 'SEARCH'])('%s is a method that no resource has', async (method) => {
  await using world = await openRestWorld()
  const ask = (path: string) => world.ask(path, { method: method as 'GET' })
  expect(await ask('/clients')).toMatchObject({ status: 405, body: { code: 'PGRST117' } })
  expect(await ask('/rpc/add')).toMatchObject({ status: 405, body: { code: 'PGRST101' } })
  expect(await ask('/')).toMatchObject({ status: 405, body: { code: 'PGRST117' } })
})
