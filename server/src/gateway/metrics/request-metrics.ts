import type { LogService } from '@holdfast/protocol'
import type { Family, Sample } from './families.ts'
import type { RequestHistory } from './request-history.ts'

/** Upper bounds of the histogram in seconds: from what users perceive as instant to the request timeouts. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Path prefixes and their services. */
const SERVICES: Readonly<Record<string, LogService>> = {
  auth: 'auth',
  rest: 'rest',
  storage: 'storage',
  realtime: 'realtime',
  functions: 'functions',
  sync: 'sync',
  'write-checkpoint2.json': 'sync',
  console: 'console',
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Excluded from durations: it stays open while a device is connected. */
const STREAM = '/sync/stream'

interface Durations {
  /** Number of requests per bucket of {@link BOUNDS}. */
  readonly buckets: number[]
  count: number
  sum: number
}

/** Counts requests and durations. Clients cannot create new samples, so memory is bounded. */
export class RequestMetrics {
  readonly #history: Pick<RequestHistory, 'record'> | undefined
  readonly #counts = new Map<string, number>()
  readonly #durations = new Map<string, Durations>()

  /** @param history - also receives each request */
  constructor(history?: Pick<RequestHistory, 'record'>) {
    this.#history = history
  }

  record({ url, method, status, ms }: { url: string; method: string; status: number; ms: number }): void {
    const service = serviceOf(url)
    const key = `${service} ${METHODS.has(method) ? method : 'other'} ${status}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    if (url.startsWith(STREAM)) return
    this.#recordDuration(service, ms / 1_000)
    this.#history?.record(service, { status, ms })
  }

  #recordDuration(service: string, seconds: number): void {
    let durations = this.#durations.get(service)
    if (!durations) {
      durations = { buckets: BOUNDS.map(() => 0), count: 0, sum: 0 }
      this.#durations.set(service, durations)
    }
    durations.count += 1
    durations.sum += seconds
    const index = BOUNDS.findIndex((bound) => seconds <= bound)
    if (index >= 0) durations.buckets[index] = (durations.buckets[index] ?? 0) + 1
  }

  families(): readonly Family[] {
    return [
      {
        name: 'holdfast_http_requests_total',
        type: 'counter',
        help: 'Requests that were answered.',
        samples: [...this.#counts].map(([key, value]) => {
          const [service = '', method = '', status = ''] = key.split(' ')
          return { labels: { service, method, status }, value }
        }),
      },
      {
        name: 'holdfast_http_request_duration_seconds',
        type: 'histogram',
        help: 'From a request to the end of its answer; streams of sync are left out.',
        samples: [...this.#durations].flatMap(([service, durations]) => samplesOf(service, durations)),
      },
    ]
  }
}

/** Renders cumulative histogram buckets. */
function samplesOf(service: string, { buckets, count, sum }: Durations): readonly Sample[] {
  let below = 0
  const bounded = BOUNDS.map((bound, index) => {
    below += buckets[index] ?? 0
    return { suffix: '_bucket', labels: { service, le: String(bound) }, value: below }
  })
  return [
    ...bounded,
    { suffix: '_bucket', labels: { service, le: '+Inf' }, value: count },
    { suffix: '_sum', labels: { service }, value: sum },
    { suffix: '_count', labels: { service }, value: count },
  ]
}

/** Returns the service of a path; `app` for pages and links. */
export function serviceOf(url: string): LogService {
  const end = url.slice(1).search(/[/?]/)
  const first = end < 0 ? url.slice(1) : url.slice(1, end + 1)
  return Object.hasOwn(SERVICES, first) ? (SERVICES[first] ?? 'app') : 'app'
}
