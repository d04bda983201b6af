import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DataPointType } from '@opentelemetry/sdk-metrics'
import { afterEach, expect, test, vi } from 'vitest'
import { single } from '../gateway/metrics/families.ts'
import { RequestMetrics } from '../gateway/metrics/request-metrics.ts'
import { MetricsExport } from './metrics-export.ts'
import { toMetricData } from './to-metric-data.ts'

interface Received {
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Starts an HTTP collector. With `status` 0 it accepts the request and never responds. */
async function openCollector(status: { value: number }): Promise<Server & { received: Received[] }> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      received.push({ url: request.url, headers: request.headers, body: Buffer.concat(parts) })
      if (status.value > 0) response.writeHead(status.value).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onEnd.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return Object.assign(server, { received })
}

const onEnd: (() => void)[] = []
afterEach(() => {
  for (const end of onEnd.splice(0)) end()
  vi.unstubAllEnvs()
})

async function openExport(server: Server): Promise<{ metrics: MetricsExport; logged: string[] }> {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'api-key=a%20secret')
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=site')
  const logged: string[] = []
  const metrics = new MetricsExport({
    intervalMs: 3_600_000,
    read: async () => [single('gauge', 'holdfast_database_up', 'Whether Postgres is there.', 1)],
    version: '1.2.3',
    instance: 'machine:54321',
    logger: { log: (level, message) => void logged.push(`${level} ${message}`) },
  })
  return { metrics, logged }
}

test('a collector gets the metrics as protobuf, with the headers and the resource of the environment', async () => {
  const collector = await openCollector({ value: 200 })
  const { metrics, logged } = await openExport(collector)
  await metrics.send()
  const [first] = collector.received
  expect(first?.url).toBe('/v1/metrics')
  expect(first?.headers).toMatchObject({ 'content-type': 'application/x-protobuf', 'api-key': 'a secret' })
  const text = first?.body.toString('latin1')
  for (const part of ['holdfast_database_up', 'service.name', '1.2.3', 'machine:54321', 'deployment.environment.name'])
    expect(text).toContain(part)
  expect(logged).toEqual([])
  await metrics[Symbol.asyncDispose]()
  expect(collector.received, 'the last one when the server stops').toHaveLength(2)
})

test('a collector that refuses is told of once, and when it takes them again', async () => {
  const status = { value: 400 }
  const collector = await openCollector(status)
  const { metrics, logged } = await openExport(collector)
  await metrics.send()
  await metrics.send()
  status.value = 200
  await metrics.send()
  await metrics.send()
  expect(logged.filter((line) => !line.includes('OpenTelemetry'))).toEqual([
    'warn metrics cannot be sent',
    'info metrics are sent again',
  ])
  await metrics[Symbol.asyncDispose]()
})

test('a collector that hangs gets one export, and keeps no server from stopping', async () => {
  const collector = await openCollector({ value: 0 })
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '2000') // longer than a server takes to stop
  const { metrics } = await openExport(collector)
  const sending = Promise.all([metrics.send(), metrics.send()])
  await vi.waitFor(() => expect(collector.received).toHaveLength(1), { timeout: 10_000 })
  await metrics[Symbol.asyncDispose]()
  expect(collector.received).toHaveLength(1)
  collector.closeAllConnections()
  await sending
})

test('what Prometheus reads as lines are sums, gauges and histograms, with the same names', () => {
  const requests = new RequestMetrics()
  for (const ms of [1, 7, 100, 60_000]) requests.record({ url: '/auth/v1/token', method: 'POST', status: 200, ms })
  const families = [
    single('gauge', 'process_resident_memory_bytes', 'Memory.', 5),
    { name: 'none', type: 'gauge', help: 'Of nothing.', samples: [] } as const,
    ...requests.families(),
  ]
  const period = { startTime: [1, 0], endTime: [2, 0] } as const
  expect(toMetricData(families, { startTime: [1, 0], endTime: [2, 0] })).toMatchObject([
    {
      descriptor: { name: 'process_resident_memory_bytes', unit: 'By' },
      dataPointType: DataPointType.GAUGE,
      dataPoints: [{ ...period, attributes: {}, value: 5 }],
    },
    {
      descriptor: { name: 'holdfast_http_requests_total', unit: '' },
      dataPointType: DataPointType.SUM,
      isMonotonic: true,
      dataPoints: [{ attributes: { service: 'auth', method: 'POST', status: '200' }, value: 4 }],
    },
    {
      descriptor: { name: 'holdfast_http_request_duration_seconds', unit: 's' },
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: [
        {
          attributes: { service: 'auth' },
          value: {
            buckets: {
              boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
              counts: [1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1],
            },
            sum: 60.108,
            count: 4,
          },
        },
      ],
    },
  ])
})
