import { readFileSync } from 'node:fs'
import fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import type { StorageContext } from './context.ts'
import type { ImageRenderer } from './images/image-renderer.ts'
import type { Uploads } from './resumable/uploads.ts'
import { storageRoutes } from './routes.ts'
import { POLICY_NAMES } from './s3/operation.ts'
import type { S3ProtocolOptions } from './s3/protocol.ts'

// The compatibility page documents every route, so a new or removed one must appear there.

const PAGE = readFileSync(new URL('../../../tests/conformance/pages/storage.md', import.meta.url), 'utf8')

const section = (title: string): string => PAGE.split(`### ${title}\n`)[1]?.split('\n## ')[0]?.split('\n### ')[0] ?? ''

/** Parses `GET /object/{bucket}/{path}` cells in the first column; a row may list several methods and paths. */
function documentedRoutes(): readonly string[] {
  const rows = section('Every address')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  return rows.flatMap((row) => {
    const column = row.split(' | ')[0] ?? ''
    return [...column.matchAll(/`([A-Z, ]+) (\/[^`]*)`/g)].flatMap(([, methods = '', url = '']) =>
      methods.split(', ').map((method) => `${method} ${url}`),
    )
  })
}

/** Returns the registered routes in the page's notation. Disabled features are one row for all methods. */
async function registeredRoutes(): Promise<readonly string[]> {
  const app = fastify()
  const found: string[] = []
  app.addHook('onRoute', ({ method, url }) => {
    const methods = Array.isArray(method) ? method : [method]
    const address = url
      .replaceAll(/:(\w+)/g, '{$1}')
      .replace(/^\/s3\/\*$/, '/s3/{bucket}[/{path}]')
      .replace(/^(\/upload\/.*)\*$/, '$1{id}')
      .replace(/^\/(iceberg|vector)\/\*$/, '/$1/…')
      .replace('*', '{path}')
    found.push(...(methods.length > 5 ? ['ANY'] : methods).map((one) => `${one} ${address}`))
  })
  // Not used before the first request.
  const nothing = {} as unknown
  await app.register(
    storageRoutes(nothing as StorageContext, {
      uploads: nothing as Uploads,
      images: nothing as ImageRenderer,
      s3: nothing as S3ProtocolOptions,
    }),
  )
  await app.close()
  return found
}

describe('the page of compatibility', () => {
  test('has every address with its methods, and none that there is not', async () => {
    expect(documentedRoutes().toSorted()).toEqual((await registeredRoutes()).toSorted())
  })

  test('has every operation of S3', () => {
    const rows = section('Every operation of S3')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    const named = rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name))
    expect(named.toSorted()).toEqual(Object.keys(POLICY_NAMES).toSorted())
  })
})
