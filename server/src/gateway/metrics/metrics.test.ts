import { describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createHttpServer } from '@holdfast/http'
import { renderFamilies, single } from './families.ts'
import { metricsRoutes } from './metrics.ts'
import { RequestMetrics } from './request-metrics.ts'

async function open(token?: string) {
  const app = createHttpServer({ logger: silentLogger })
  const requests = new RequestMetrics()
  let reads = 0
  await app.register(
    metricsRoutes({
      token,
      read: async () => {
        reads += 1
        return [single('gauge', 'holdfast_database_up', 'Whether Postgres is there.', 1), ...requests.families()]
      },
      verifyToken: async (key) => {
        if (key !== 'service-key') throw new Error('no key')
        return { role: 'service_role' }
      },
    }),
  )
  const get = async (key?: string) =>
    app.inject({ url: '/metrics', headers: key === undefined ? {} : { authorization: `Bearer ${key}` } })
  return { get, requests, reads: () => reads }
}

describe('GET /metrics', () => {
  test('is for the service key, and the token that can do nothing else', async () => {
    const { get } = await open('scrape')
    for (const key of [undefined, 'wrong', '']) expect((await get(key)).statusCode).toBe(401)
    for (const key of ['service-key', 'scrape']) expect((await get(key)).statusCode).toBe(200)
    expect((await (await open()).get('undefined')).statusCode).toBe(401)
  })

  test('answers in the text format of Prometheus', async () => {
    const { get, requests } = await open()
    requests.record({ url: '/rest/v1/notes?select=id', method: 'GET', status: 200, ms: 7 })
    const { body, headers } = await get('service-key')
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(body).toContain(
      '# HELP holdfast_database_up Whether Postgres is there.\n# TYPE holdfast_database_up gauge\nholdfast_database_up 1\n',
    )
    expect(body).toContain('holdfast_http_requests_total{service="rest",method="GET",status="200"} 1\n')
    for (const line of body.trimEnd().split('\n')) {
      expect(line).toMatch(
        /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{(?:[a-z]+="(?:[^"\\\n]|\\.)*",?)+\})? [\d.e+-]+)$/,
      )
    }
  })

  test('asks the parts once for all who ask at the same time', async () => {
    const { get, reads } = await open()
    await Promise.all([get('service-key'), get('service-key'), get('service-key')])
    expect(reads()).toBe(1)
    await get('service-key')
    expect(reads()).toBe(2)
  })
})

describe('requests', () => {
  const text = (requests: RequestMetrics): string => renderFamilies(requests.families())

  test('are in the bucket of their time and all larger ones', () => {
    const requests = new RequestMetrics()
    for (const ms of [1, 7, 100, 60_000]) requests.record({ url: '/auth/v1/token', method: 'POST', status: 200, ms })
    const found = [...text(requests).matchAll(/le="([^"]+)"\} (\d+)/g)].map(([, le, count]) => [le, Number(count)])
    expect(found).toEqual([
      ['0.005', 1],
      ['0.01', 2],
      ['0.025', 2],
      ['0.05', 2],
      ['0.1', 3],
      ['0.25', 3],
      ['0.5', 3],
      ['1', 3],
      ['2.5', 3],
      ['5', 3],
      ['10', 3],
      ['30', 3],
      ['+Inf', 4],
    ])
    expect(text(requests)).toContain('_sum{service="auth"} 60.108\n')
  })

  test('make no samples of what clients choose', () => {
    const requests = new RequestMetrics()
    for (const url of ['/', '/w/x', '/constructor/y', '/rest', '/?a=/sync/', `/${'x'.repeat(99)}`]) {
      requests.record({ url, method: 'PROPFIND', status: 404, ms: 1 })
    }
    expect(text(requests).match(/^holdfast_http_requests_total.*$/gm)).toEqual([
      'holdfast_http_requests_total{service="app",method="other",status="404"} 5',
      'holdfast_http_requests_total{service="rest",method="other",status="404"} 1',
    ])
  })

  test('that stream to a device count, and have no duration', () => {
    const requests = new RequestMetrics()
    requests.record({ url: '/sync/stream', method: 'POST', status: 200, ms: 3_600_000 })
    expect(text(requests)).toContain('{service="sync",method="POST",status="200"} 1')
    expect(text(requests)).not.toContain('_bucket')
  })
})

test('a label is escaped', () => {
  const families = [{ name: 'a', type: 'gauge', help: 'A.', samples: [{ labels: { b: 'c"\\\n' }, value: 1 }] }] as const
  expect(renderFamilies(families)).toContain('a{b="c\\"\\\\\\n"} 1\n')
})
