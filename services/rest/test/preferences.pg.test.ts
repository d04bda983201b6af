import { afterAll, describe, expect, test } from 'vitest'
import { openRestWorld, type Ask, type RestWorld } from './rest-world.ts'

// Preferences that decide whether a write is kept, and the answer's header about them.

const worlds = new Map<string, Promise<RestWorld>>()

/** One service per way of ending transactions. */
function worldOf(restTransactionEnd: string): Promise<RestWorld> {
  const known = worlds.get(restTransactionEnd) ?? openRestWorld({ restTransactionEnd })
  worlds.set(restTransactionEnd, known)
  return known
}

afterAll(async () => {
  for (const world of worlds.values()) await (await world)[Symbol.asyncDispose]()
})

const ASKED = { nothing: '', 'tx=commit': 'tx=commit', 'tx=rollback': 'tx=rollback' }

describe('the end of a transaction', () => {
  const cases: readonly (readonly [
    end: string,
    asked: keyof typeof ASKED,
    kept: boolean,
    applied: string | undefined,
  ])[] = [
    ['commit', 'nothing', true, undefined],
    ['commit', 'tx=rollback', true, undefined],
    ['commit-allow-override', 'nothing', true, undefined],
    ['commit-allow-override', 'tx=commit', true, 'tx=commit'],
    ['commit-allow-override', 'tx=rollback', false, 'tx=rollback'],
    ['rollback', 'nothing', false, undefined],
    ['rollback', 'tx=commit', false, undefined],
    ['rollback-allow-override', 'nothing', false, undefined],
    ['rollback-allow-override', 'tx=commit', true, 'tx=commit'],
    ['rollback-allow-override', 'tx=rollback', false, 'tx=rollback'],
  ]
  test.each(cases)('where it is %s and %s is asked for: kept %s', async (end, asked, kept, applied) => {
    const world = await worldOf(end)
    const prefer = (more: string): Ask['headers'] => ({
      prefer: [more, ASKED[asked]].filter((text) => text !== '').join(', '),
    })
    const inserted = await world.ask('/clients', {
      method: 'POST',
      body: { id: 900, name: 'x' },
      headers: prefer('return=representation') ?? {},
    })
    expect(inserted).toMatchObject({ status: 201, body: [{ id: 900, name: 'x' }] })
    expect(inserted.headers['preference-applied']).toBe(
      ['return=representation', applied].filter((text) => text !== undefined).join(', '),
    )
    const called = await world.ask('/rpc/put_client', {
      method: 'POST',
      body: { new_id: 901 },
      headers: prefer('handling=strict') ?? {},
    })
    expect(called.status).toBe(204)
    expect(await world.rows('delete from clients where id >= 900 returning id')).toHaveLength(kept ? 2 : 0)
    const read = await world.ask('/clients?id=eq.1', { headers: prefer('count=exact') ?? {} })
    expect(read).toMatchObject({ status: 200, body: [{ id: 1, name: 'Acme' }] })
    expect(read.headers['preference-applied']).toBe(
      ['count=exact', applied].filter((text) => text !== undefined).join(', '),
    )
  })

  test('what a deferred constraint would refuse is refused before a rollback too', async () => {
    const world = await worldOf('commit-allow-override')
    const answer = await world.ask('/late', {
      method: 'POST',
      body: { id: 1, client_id: 77 },
      headers: { prefer: 'tx=rollback' },
    })
    expect(answer).toMatchObject({ status: 409, body: { code: '23503' } })
  })

  test('an end that is none is refused at the start', async () => {
    await expect(openRestWorld({ restTransactionEnd: 'maybe' })).rejects.toMatchObject({ code: 'option_invalid' })
  })
})

describe('max-affected', () => {
  const EXCEEDED = {
    code: 'PGRST124',
    message: 'Query result exceeds max-affected preference constraint',
    details: 'The query affects 3 rows',
    hint: null,
  }

  test.each(['PATCH', 'DELETE'] as const)('undoes a %s of more rows, in strict handling only', async (method) => {
    const world = await worldOf('commit-allow-override')
    await world.rows(`insert into people values (50, 'a'), (51, 'b'), (52, 'c')`)
    const ask = (prefer: string): Ask => ({
      method,
      headers: { prefer },
      ...(method === 'PATCH' ? { body: { name: null } } : {}),
    })
    const path = '/people?id=gte.50'
    for (const limit of [2, 0, -1]) {
      const refused = await world.ask(path, ask(`handling=strict, max-affected=${limit}`))
      expect(refused).toMatchObject({ status: 400, body: EXCEEDED })
    }
    expect(await world.rows('select name from people where id >= 50 order by id')).toEqual([
      { name: 'a' },
      { name: 'b' },
      { name: 'c' },
    ])
    const kept = await world.ask(path, ask('handling=strict, max-affected=3'))
    expect(kept).toMatchObject({ status: 204, headers: { 'preference-applied': 'handling=strict, max-affected=3' } })
    for (const prefer of ['max-affected=0', 'handling=lenient, max-affected=0']) {
      const lenient = await world.ask(path, ask(prefer))
      expect(lenient.status).toBe(204)
      expect(String(lenient.headers['preference-applied'] ?? '')).not.toContain('max-affected')
    }
    await world.rows('delete from people where id >= 50')
  })

  test('has no meaning for inserts and reads', async () => {
    const world = await worldOf('commit-allow-override')
    const prefer = 'handling=strict, max-affected=0'
    const insert = await world.ask('/people', { method: 'POST', body: [{ id: 60 }, { id: 61 }], headers: { prefer } })
    expect(insert).toMatchObject({ status: 201, headers: { 'preference-applied': 'handling=strict' } })
    expect(await world.ask('/people', { headers: { prefer } })).toMatchObject({ status: 200 })
    await world.rows('delete from people where id >= 60')
  })
})

describe('handling', () => {
  test('strict refuses an unknown preference, lenient ignores it', async () => {
    const world = await worldOf('commit-allow-override')
    const headers = { prefer: 'handling=strict, anything, return=everything' }
    const refusal = {
      status: 400,
      body: {
        code: 'PGRST122',
        message: 'Invalid preferences given with handling=strict',
        details: 'Invalid preferences: anything, return=everything',
        hint: null,
      },
    }
    expect(await world.ask('/people', { headers })).toMatchObject(refusal)
    expect(await world.ask('/people', { method: 'POST', body: { id: 70 }, headers })).toMatchObject(refusal)
    expect(await world.ask('/rpc/put_client', { method: 'POST', body: { new_id: 970 }, headers })).toMatchObject(
      refusal,
    )
    expect(await world.rows('select * from people where id = 70')).toEqual([])
    const lenient = await world.ask('/people', { headers: { prefer: 'handling=lenient, anything' } })
    expect(lenient).toMatchObject({ status: 200, headers: { 'preference-applied': 'handling=lenient' } })
  })
})
