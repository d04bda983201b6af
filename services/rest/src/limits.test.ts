import { describe, expect, test } from 'vitest'
import { smallCatalog } from '../test/small-catalog.ts'
import * as limits from './limits.ts'
import { planRequest } from './plan/plan-request.ts'
import { parseRequest, type RawRequest } from './request/parse-request.ts'

/** Parses and plans a request, and returns its error. */
function refusalOf(search: string, others: Partial<RawRequest> = {}): unknown {
  const raw: RawRequest = { method: 'GET', path: '/tasks', search, headers: {}, body: undefined, ...others }
  const settings = {
    rowsMax: 1000,
    writesNeedFilter: true,
    aggregatesEnabled: false,
    schemas: ['public'],
    plansAllowed: false,
    targetNamesAllowed: true,
  }
  try {
    planRequest(
      parseRequest(raw, { schemas: ['public'], mayChooseEnd: true, root: { kind: 'schema' } }),
      smallCatalog(),
      settings,
    )
    return undefined
  } catch (error) {
    return error
  }
}

function times(count: number, text: string, separator = ','): string {
  return Array.from({ length: count }, () => text).join(separator)
}

/** Builds a tree. Both the condition and the tree named by the parameter count as levels. */
function tree(depth: number): string {
  return `and=(${'and('.repeat(depth - 2)}id.eq.1${')'.repeat(depth - 2)})`
}

function embeds(depth: number): string {
  const names = Array.from({ length: depth }, (_, level) => (level % 2 === 0 ? 'projects' : 'tasks'))
  return `select=${names.join('(')}(id${')'.repeat(depth)}`
}

function besides(count: number): string {
  return `select=${Array.from({ length: count }, (_, number) => `x${number}:projects(id)`).join(',')}`
}

describe('limits', () => {
  test.each([
    ['parameters', (n: number) => times(n, 'id=gt.0', '&'), limits.PARAMETERS_MAX],
    ['conditions', (n: number) => `and=(${times(n - 1, 'id.gt.0')})`, limits.CONDITIONS_MAX],
    ['depth of conditions', tree, limits.LOGIC_DEPTH_MAX],
    ['values of a list', (n: number) => `id=in.(${times(n, '1')})`, limits.LIST_VALUES_MAX],
    ['items of a select', (n: number) => `select=${times(n, 'id')}`, limits.SELECT_ITEMS_MAX],
    ['depth of embeds', embeds, limits.EMBED_DEPTH_MAX],
    ['embeds', besides, limits.EMBEDS_MAX],
    ['steps of a JSON path', (n: number) => `id=eq.1&title${'->a'.repeat(n)}=eq.1`, limits.JSON_STEPS_MAX],
    ['terms of an order', (n: number) => `order=${times(n, 'id')}`, limits.ORDER_TERMS_MAX],
  ])('as many %s as there may be are let through, and one more is refused', (_what, search, max) => {
    expect(refusalOf(search(max))).toBeUndefined()
    expect(refusalOf(search(max + 1))).toMatchObject({ code: 'PGRST100', status: 400 })
  })

  test('a body names as many columns as a table can have, and not one more', () => {
    const body = (count: number) =>
      Buffer.from(JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`c${n}`, 1]))))
    const post = { method: 'POST', headers: { 'content-type': 'application/json' } }
    // The columns are within the limit; the table not having them is a different error.
    expect(refusalOf('', { ...post, body: body(limits.PAYLOAD_COLUMNS_MAX) })).toMatchObject({ code: 'PGRST204' })
    expect(refusalOf('', { ...post, body: body(limits.PAYLOAD_COLUMNS_MAX + 1) })).toMatchObject({ code: 'PGRST102' })
  })
})
