import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type Ask, type RestWorld } from './rest-world.ts'

// What can be written to besides plain tables, and what a write answers.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
  const { hostname, port, username, password } = new URL(world.db.url)
  await world.rows(`
    create table cars (name text, year int, brand text, primary key (name, year)) partition by list (year);
    create table cars_2001 partition of cars for values in (2001);
    create table cars_2021 partition of cars for values in (2021);
    create table "Wörter" ("wort" text primary key, "größe" text);
    create view client_names as select id, name from clients;
    alter view client_names alter column name set default 'from the view';
    create view upper_clients as select id, upper(name) as name from clients;
    create function write_upper() returns trigger language plpgsql as $$ begin
      if tg_op = 'INSERT' then insert into clients values (new.id, lower(new.name)); return new; end if;
      if tg_op = 'UPDATE' then update clients set name = lower(new.name) where id = old.id; return new; end if;
      delete from clients where id = old.id; return old; end $$;
    create trigger write_upper instead of insert or update or delete on upper_clients for each row execute function write_upper();
    create materialized view client_count as select count(*) as n from clients;
    create extension postgres_fdw;
    create server here foreign data wrapper postgres_fdw options (host '${hostname.replaceAll(/[[\]]/g, '')}', port '${port}', dbname '${world.db.name}');
    create user mapping for public server here options (user '${username}', password '${decodeURIComponent(password)}');
    create foreign table far_people (id int, name text) server here options (schema_name 'public', table_name 'people');
    grant all on far_people to anon, authenticated, service_role;
    create table hidden (id int primary key, secret text, v text);
    revoke all on hidden from anon; grant insert on hidden to anon; grant select (id, v) on hidden to anon; grant update (v) on hidden to anon;
    create table write_only (v text); revoke all on write_only from anon; grant insert on write_only to anon;
  `)
  await world.refresh()
})

afterAll(() => world?.[Symbol.asyncDispose]())

const FULL = { prefer: 'return=representation' }
const ADDRESS = { prefer: 'return=headers-only' }

function post(path: string, body: unknown, headers: Ask['headers'] = FULL) {
  return world.ask(path, { method: 'POST', body, headers })
}

describe('writes that are refused', () => {
  test('to a view of more than rows, and to a materialized view', async () => {
    expect(await post('/client_count', { n: 5 })).toMatchObject({ status: 400, body: { code: '42809' } })
  })

  test('to a partition that is not there', async () => {
    expect(await post('/cars', { name: 'x', year: 1900 })).toMatchObject({ status: 400, body: { code: '23514' } })
  })

  test('of a whole table, by tables and views alike, but not of nothing', async () => {
    for (const path of ['/clients', '/client_names', '/clients?select=id']) {
      expect(
        await world.ask(path, { method: 'PATCH', body: { name: 'x' }, headers: { prefer: 'count=exact' } }),
      ).toMatchObject({
        status: 400,
        body: { code: '21000', message: 'UPDATE requires a WHERE clause', details: null, hint: null },
      })
      expect(await world.ask(path, { method: 'DELETE' })).toMatchObject({
        status: 400,
        body: { code: '21000', message: 'DELETE requires a WHERE clause' },
      })
    }
    expect(await world.ask('/clients', { method: 'PATCH', body: {} })).toMatchObject({ status: 204 })
    expect(await world.ask('/clients?limit=1', { method: 'DELETE' })).toMatchObject({ status: 400 })
  })

  test('whose result the role may not see', async () => {
    const body = { id: 1, secret: 's', v: 'x' }
    const ask = (headers: Ask['headers'], select = ''): Promise<unknown> =>
      world.ask(`/hidden${select}`, { method: 'POST', as: 'anon', body, ...(headers ? { headers } : {}) })
    expect(await ask(FULL)).toMatchObject({ status: 401, body: { code: '42501' } })
    expect(await ask(FULL, '?select=id,secret')).toMatchObject({ status: 401, body: { code: '42501' } })
    expect(await world.rows('select * from hidden')).toEqual([])
    expect(await ask(FULL, '?select=id,v')).toMatchObject({ status: 201, body: [{ id: 1, v: 'x' }] })
    const put = await world.ask('/write_only', {
      method: 'POST',
      as: 'anon',
      body: { v: 'x' },
      headers: { prefer: 'return=minimal' },
    })
    expect(put).toMatchObject({ status: 201, text: '', headers: { 'preference-applied': 'return=minimal' } })
  })
})

describe('partitioned tables', () => {
  test('take inserts, upserts, PUT, updates that move a row, and deletes', async () => {
    const rows = [
      { name: 'A', year: 2001, brand: null },
      { name: 'B', year: 2021, brand: 'F' },
    ]
    expect(await post('/cars', rows)).toMatchObject({ status: 201, body: rows })
    const merged = [
      { name: 'A', year: 2001, brand: 'G' },
      { name: 'C', year: 2021, brand: null },
    ]
    const prefer = 'return=representation, resolution=merge-duplicates'
    expect(await post('/cars', merged, { prefer })).toMatchObject({ status: 201, body: merged })
    const put = { name: 'D', year: 2021, brand: 'P' }
    expect(await world.ask('/cars?name=eq.D&year=eq.2021', { method: 'PUT', body: put, headers: FULL })).toMatchObject({
      status: 201,
      body: [put],
    })
    const moved = await world.ask('/cars?name=eq.D', { method: 'PATCH', body: { year: 2001 }, headers: FULL })
    expect(moved).toMatchObject({ status: 200, body: [{ ...put, year: 2001 }] })
    expect(await world.rows(`select name from cars_2001 where name = 'D'`)).toEqual([{ name: 'D' }])
    const removed = await world.ask('/cars?year=eq.2021&select=name', { method: 'DELETE', headers: FULL })
    expect(removed).toMatchObject({ status: 200, body: [{ name: 'B' }, { name: 'C' }] })
    expect((await post('/cars', { name: 'Enzo', year: 2021 }, ADDRESS)).headers['location']).toBe(
      '/cars?name=eq.Enzo&year=eq.2021',
    )
  })
})

describe('views', () => {
  test('that Postgres can update take every write, with defaults of their own', async () => {
    expect(await post('/client_names', { id: 701, name: 'seven' })).toMatchObject({ status: 201 })
    const prefer = 'return=representation, missing=default'
    expect(await post('/client_names?columns=id,name', [{ id: 702 }], { prefer })).toMatchObject({
      status: 201,
      body: [{ id: 702, name: 'from the view' }],
    })
    const patched = await world.ask('/client_names?id=eq.701', {
      method: 'PATCH',
      body: { name: 'new' },
      headers: FULL,
    })
    expect(patched).toMatchObject({ status: 200, body: [{ id: 701, name: 'new' }] })
    expect(await world.ask('/client_names?id=gte.700', { method: 'DELETE' })).toMatchObject({ status: 204 })
    expect(await world.rows('select * from clients where id >= 700')).toEqual([])
  })

  test('with triggers instead take every write', async () => {
    expect(await post('/upper_clients', { id: 710, name: 'TEN' })).toMatchObject({
      status: 201,
      body: [{ id: 710, name: 'TEN' }],
    })
    expect(await world.rows('select name from clients where id = 710')).toEqual([{ name: 'ten' }])
    const ask = { method: 'PATCH', body: { name: 'ELEVEN' }, headers: FULL } as const
    expect((await world.ask('/upper_clients?id=eq.710', ask)).body).toEqual([{ id: 710, name: 'ELEVEN' }])
    expect(await world.ask('/upper_clients?id=eq.710', { method: 'DELETE' })).toMatchObject({ status: 204 })
    expect(await world.rows('select * from clients where id = 710')).toEqual([])
  })
})

describe('foreign tables', () => {
  test('are read and written', async () => {
    expect(await post('/far_people', { id: 720, name: 'Far' })).toMatchObject({
      status: 201,
      body: [{ id: 720, name: 'Far' }],
    })
    const ask = { method: 'PATCH', body: { name: 'Farther' }, headers: FULL } as const
    expect((await world.ask('/far_people?id=eq.720', ask)).body).toEqual([{ id: 720, name: 'Farther' }])
    expect((await world.ask('/far_people?id=eq.720')).body).toEqual([{ id: 720, name: 'Farther' }])
    expect(await world.ask('/far_people?id=eq.720', { method: 'DELETE' })).toMatchObject({ status: 204 })
  })
})

describe('answers to writes', () => {
  test('the address of a row that was inserted, encoded so that it leads there', async () => {
    const answer = await post('/W%C3%B6rter', { wort: "圍棋 & R+l'l", größe: 'x' }, ADDRESS)
    const location = String(answer.headers['location'])
    expect(location).toBe('/W%C3%B6rter?wort=eq.%E5%9C%8D%E6%A3%8B%20%26%20R%2Bl%27l')
    expect((await world.ask(location)).body).toEqual([{ wort: "圍棋 & R+l'l", größe: 'x' }])
    expect(await world.ask(location, { method: 'DELETE' })).toMatchObject({ status: 204 })
  })

  test('no address of several rows, of a table without a key, and with another return', async () => {
    expect((await post('/people', [{ id: 730 }, { id: 731 }], ADDRESS)).headers['location']).toBeUndefined()
    expect((await post('/write_only', { v: 'x' }, ADDRESS)).headers['location']).toBeUndefined()
    expect((await post('/people', { id: 732 }, FULL)).headers['location']).toBeUndefined()
    await world.rows('delete from people where id >= 730')
  })

  test('a range of what was updated, and of nothing else', async () => {
    const prefer = 'count=exact'
    const patch = await world.ask('/people?id=lte.2', { method: 'PATCH', body: { name: null }, headers: { prefer } })
    expect(patch).toMatchObject({ status: 204, headers: { 'content-range': '0-1/2', 'preference-applied': prefer } })
    const none = await world.ask('/people?id=lt.0', { method: 'PATCH', body: { name: null }, headers: FULL })
    expect(none).toMatchObject({ status: 200, body: [], headers: { 'content-range': '*/*' } })
    const removal = await world.ask('/people?id=lt.0', { method: 'DELETE', headers: { prefer } })
    expect(removal).toMatchObject({ status: 204, headers: { 'content-range': '*/0' } })
    await world.rows(`update people set name = case id when 1 then 'Ann' else 'Ben' end`)
  })

  test('lengths and types as far as there is content', async () => {
    const insert = await world.ask('/people', { method: 'POST', body: { id: 740 } })
    expect(insert).toMatchObject({ status: 201, headers: { 'content-length': '0' } })
    expect(insert.headers['content-type']).toBeUndefined()
    const full = await post('/people?select=id', { id: 741 })
    expect(full.headers).toMatchObject({ 'content-length': '12', 'content-type': 'application/json; charset=utf-8' })
    const removal = await world.ask('/people?id=gte.740', { method: 'DELETE' })
    expect(removal.headers['content-type'] ?? removal.headers['content-length']).toBeUndefined()
  })

  test('limits do not bound updates or deletions, as in PostgREST since 13', async () => {
    await world.rows(`insert into people (id) values (750), (751)`)
    const removal = await world.ask('/people?id=gte.750&limit=1&order=id', { method: 'DELETE', headers: FULL })
    expect(removal).toMatchObject({ status: 200, body: [{ id: 750 }, { id: 751 }] })
  })
})
