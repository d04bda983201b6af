import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type Ask, type RestWorld } from './rest-world.ts'

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
})

afterAll(() => world?.[Symbol.asyncDispose]())

describe('functions', () => {
  test.each([
    ['a scalar', '/rpc/add', { method: 'POST', body: { a: 1, b: 2 } }, 200, 3],
    ['a default', '/rpc/add', { method: 'POST', body: { a: 1 } }, 200, 11],
    ['GET', '/rpc/add?a=1&b=5', {}, 200, 6],
    ['rows', '/rpc/all_clients?select=id&id=gt.1&order=id.desc', {}, 200, [{ id: 3 }, { id: 2 }]],
    [
      'rows with their embeds',
      '/rpc/all_clients?select=name,projects(id)&projects.order=id&id=eq.1',
      { method: 'POST' },
      200,
      [{ name: 'Acme', projects: [{ id: 1 }, { id: 2 }] }],
    ],
    ['one row', '/rpc/one_client?which=2', {}, 200, { id: 2, name: 'Beta' }],
    ['a table', '/rpc/pair?a=gt.1', { method: 'POST', body: {} }, 200, [{ a: 2, b: 'y' }]],
    ['a set of scalars', '/rpc/numbers?list=3&list=4', {}, 200, [3, 4]],
    ['a set of scalars by POST', '/rpc/numbers', { method: 'POST', body: { list: [5, 6] } }, 200, [5, 6]],
    ['the whole body', '/rpc/whole', { method: 'POST', body: { any: ['thing'] } }, 200, { any: ['thing'] }],
    ['a status and headers of its own', '/rpc/custom_answer', { method: 'POST' }, 202, 'ok'],
  ] satisfies [string, string, Ask, number, unknown][])('answer %s', async (_title, path, input, status, body) => {
    expect(await world.ask(path, input)).toMatchObject({ status, body })
  })

  test('answer nothing when they return nothing', async () => {
    expect(await world.ask('/rpc/note', { method: 'POST', body: { text: 'x' } })).toMatchObject({
      status: 204,
      text: '',
    })
  })

  test('keep what they write', async () => {
    expect(await world.ask('/rpc/put_client', { method: 'POST', body: { new_id: 50 } })).toMatchObject({ status: 204 })
    expect(await world.rows('delete from clients where id = 50 returning name')).toEqual([{ name: 'rpc' }])
  })
})
