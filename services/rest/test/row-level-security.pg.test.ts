import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALICE, openRestWorld, type RestWorld } from './rest-world.ts'

// Invariant: every statement of a request runs as its caller, and leaves no trace on the connection for the next one.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
})

afterAll(() => world?.[Symbol.asyncDispose]())

describe('row-level security', () => {
  test('shows two people different rows of the same address, and anon none', async () => {
    const path = '/projects?select=id&order=id'
    expect((await world.ask(path, { as: 'alice' })).body).toEqual([{ id: 1 }, { id: 2 }])
    expect((await world.ask(path, { as: 'bob' })).body).toEqual([{ id: 3 }])
    expect((await world.ask(path, { as: 'anon' })).body).toEqual([])
    expect((await world.ask(path)).body).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
  })

  test('holds for a statement that a connection has prepared for another user', async () => {
    const path = '/projects?select=id,name&order=id'
    for (let round = 0; round < 8; round++) {
      expect((await world.ask(path, { as: 'alice' })).body).toMatchObject([{ id: 1 }, { id: 2 }])
      expect((await world.ask(path, { as: 'anon' })).body).toEqual([])
      expect((await world.ask(path, { as: 'bob' })).body).toMatchObject([{ id: 3 }])
    }
  })

  test('applies inside embeds', async () => {
    const path = '/clients?select=id,projects(id)&order=id&projects.order=id'
    expect((await world.ask(path, { as: 'bob' })).body).toEqual([
      { id: 1, projects: [] },
      { id: 2, projects: [{ id: 3 }] },
      { id: 3, projects: [] },
    ])
  })

  test('lets no user change rows that they do not see', async () => {
    const headers = { prefer: 'return=representation' }
    expect(
      (await world.ask('/projects?id=eq.3', { method: 'PATCH', as: 'alice', body: { name: 'mine' }, headers })).body,
    ).toEqual([])
    expect((await world.ask('/projects?id=eq.3', { method: 'DELETE', as: 'alice', headers })).body).toEqual([])
    expect(await world.rows('select name from projects where id = 3')).toEqual([{ name: 'Door' }])
  })

  test('gives functions the caller, the claims and the request', async () => {
    expect((await world.ask('/rpc/whoami', { as: 'alice' })).body).toEqual({
      user: 'authenticated',
      claims: { role: 'authenticated', sub: ALICE },
      method: 'GET',
      path: '/rpc/whoami',
      agent: 'test',
    })
  })

  test('leaves nothing of one caller on the connection for the next', async () => {
    await world.ask('/rpc/stain', { method: 'POST', as: 'alice' })
    await world.ask('/tasks?id=eq.x', { as: 'alice' })
    const seen = await Promise.all(
      Array.from({ length: 10 }, () =>
        world.db.requestPool.withClient(
          async (client) =>
            (
              await client.query(
                `select current_user as "user", current_setting('work_mem') as mem, nullif(current_setting('request.jwt.claims', true), '') as claims`,
              )
            ).rows,
        ),
      ),
    )
    for (const answer of seen) expect(answer).toEqual([{ user: 'authenticator', mem: '4MB', claims: null }])
  })
})
