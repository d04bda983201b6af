import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createHttpServer } from '@holdfast/http'
import { docsFiles } from './docs-files.ts'

let root: string
let app: FastifyInstance

async function serve(directory: string): Promise<FastifyInstance> {
  const server = createHttpServer({ logger: silentLogger })
  await server.register(docsFiles(directory))
  return server
}

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-docs-'))
  const directory = join(root, 'dist')
  mkdirSync(join(directory, 'guides'), { recursive: true })
  writeFileSync(join(root, 'secret.txt'), 'classified')
  writeFileSync(join(directory, 'index.html'), '<!doctype html><title>docs</title>')
  writeFileSync(join(directory, 'guides', 'streams.html'), '<!doctype html><title>streams</title>')
  writeFileSync(join(directory, 'search.js'), 'export {}')
  app = await serve(directory)
})

afterEach(async () => {
  await app.close()
  rmSync(root, { recursive: true })
})

describe('the docs', () => {
  test('have their first page at /docs/, where relative links lead to the others', async () => {
    expect((await app.inject('/docs')).headers['location']).toBe('/docs/')
    expect((await app.inject('/docs/')).body).toContain('<title>docs</title>')
    const page = await app.inject('/docs/guides/streams.html')
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect((await app.inject({ method: 'HEAD', url: '/docs/search.js' })).statusCode).toBe(200)
  })

  test('run no script but their own, and are embedded by no page', async () => {
    const policy = String((await app.inject('/docs/')).headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe-inline')
  })

  test('are asked for again only when they have changed', async () => {
    const { etag } = (await app.inject('/docs/')).headers
    const again = await app.inject({ url: '/docs/', headers: { 'if-none-match': String(etag) } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  test('say that there is no such page, whatever the address tries', async () => {
    for (const url of [
      '/docs/guides/none.html',
      '/docs/../secret.txt',
      '/docs/%2e%2e/secret.txt',
      '/docs/%00',
      '/docs/%',
    ]) {
      const answer = await app.inject(url)
      expect(answer.statusCode, url).not.toBe(200)
      expect(answer.body).not.toContain('classified')
    }
    expect((await app.inject('/docs/guides/none.html')).statusCode).toBe(404)
  })

  test('say what to run when they have not been built', async () => {
    await using unbuilt = await serve(join(root, 'nothing'))
    const answer = await unbuilt.inject('/docs/')
    expect([answer.statusCode, answer.body]).toEqual([503, expect.stringContaining('npm run build')])
  })
})
