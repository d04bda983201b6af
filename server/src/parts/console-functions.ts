import type { FunctionSources } from '@holdfast/console'
import { createAddressPolicy, createSend, type FunctionMetrics, type FunctionsService } from '@holdfast/functions'
import type { FunctionCall, FunctionCallOutcome, FunctionCalls, FunctionList, ListedFunction } from '@holdfast/protocol'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'

/** Time in ms after which a called function is given up; the page waits somewhat longer. */
const CALL_TIMEOUT_MS = 60_000

/** Lifetime in seconds of the token that a function gets for a user. */
const TOKEN_LIFETIME_S = 120

export interface FunctionSourcesNeeds {
  readonly functions: FunctionsService
  readonly accounts: Accounts
  readonly baseUrl: string
  readonly port: number
}

type Described = Awaited<ReturnType<FunctionsService['describe']>>

/** Returns what the console shows of edge functions, and how it calls one: over HTTP, as clients do. */
export function createFunctionSources(
  { config }: PartContext,
  { functions, accounts: { auth }, baseUrl, port }: FunctionSourcesNeeds,
): FunctionSources {
  const listening = { host: config.host, port, isTls: config.tlsCertFile !== undefined }
  const send = createSend(createAddressPolicy({ baseUrl, listening, allow: [] }), 0)

  async function keysOf(as: FunctionCall['as']): Promise<Readonly<Record<string, string>> | undefined> {
    const { anon, serviceRole } = auth.apiKeys
    if (as.kind !== 'user') {
      const key = as.kind === 'service' ? serviceRole : anon
      return { apikey: key, authorization: `Bearer ${key}` }
    }
    const token = (await auth.impersonate(as.id, TOKEN_LIFETIME_S))?.token
    return token === undefined ? undefined : { apikey: anon, authorization: `Bearer ${token}` }
  }

  async function call(
    name: string,
    { method, path, as, headers, body }: FunctionCall,
    signal: AbortSignal,
  ): Promise<FunctionCallOutcome | undefined> {
    const keys = await keysOf(as)
    if (!keys) return undefined
    const given = Object.fromEntries(headers.map((header) => [header.name.toLowerCase(), header.value]))
    const url = urlOf(baseUrl, name, path)
    const request = {
      method,
      url,
      headers: { 'user-agent': 'holdfast-console', ...keys, ...given },
      body: body === undefined ? null : Buffer.from(body),
      timeoutMs: CALL_TIMEOUT_MS,
    }
    const began = performance.now()
    const outcome = await send(request, signal)
    const ms = Math.round(performance.now() - began)
    if (outcome.kind === 'failed') return { kind: 'failed', ms, message: outcome.message }
    return {
      kind: 'answered',
      ms,
      status: outcome.status,
      headers: Object.entries(outcome.headers).map(([header, value]) => ({ name: header, value })),
      body: outcome.content,
      isCut: outcome.isCut,
    }
  }

  return {
    async list() {
      const [state, metrics] = await Promise.all([functions.describe(), functions.readMetrics()])
      return listOf(state, new Map(metrics.map((one) => [one.function, one])))
    },
    async readLog(name, query) {
      const { lines, cursor } = await functions.readLines({ function: name, ...query })
      return {
        lines: lines.map(({ at, level, text, request_id: requestId }) => ({ at, level, text, requestId })),
        cursor,
      }
    },
    call,
  }
}

/** Returns the address of a function. Dots of the path stay below it, because a URL would resolve them. */
function urlOf(baseUrl: string, name: string, path: string): string {
  const [beforeQuery = '', ...query] = path.split('?')
  const segments = beforeQuery.split('/').map((part) => (/^(\.|%2e){1,2}$/i.test(part) ? '' : part))
  return `${baseUrl}/functions/v1/${name}${segments.join('/')}${query.length === 0 ? '' : `?${query.join('?')}`}`
}

function listOf(
  { functions, denied, secrets, loadedAtMs, problem }: Described,
  metrics: ReadonlyMap<string, FunctionMetrics>,
): Omit<FunctionList, 'isOn'> {
  const served = functions.map((one): ListedFunction => {
    const measured = metrics.get(one.name)
    const isMissing = one.changedAtMs === undefined
    return {
      name: one.name,
      state: isMissing ? 'failed' : (measured?.processes ?? 0) > 0 ? 'running' : 'idle',
      ...(isMissing && { reason: `The file ${one.entry} does not exist.` }),
      entry: one.entry,
      verifyJwt: one.verifyJwt,
      isOneshot: one.isOneshot,
      changedAt: isoOf(one.changedAtMs),
      ...countsOf(measured),
    }
  })
  const refused = denied.map(({ name, reason }): ListedFunction => ({
    name,
    state: 'failed',
    reason,
    entry: '',
    verifyJwt: true,
    isOneshot: false,
    changedAt: null,
    ...countsOf(undefined),
  }))
  return {
    functions: [...served, ...refused],
    secrets,
    loadedAt: isoOf(loadedAtMs),
    ...(problem !== undefined && { problem }),
  }
}

type Counts = Pick<ListedFunction, 'processes' | 'openRequests' | 'memoryBytes' | 'lastHour' | 'sinceStart'>

function countsOf(measured: FunctionMetrics | undefined): Counts {
  return {
    processes: measured?.processes ?? 0,
    openRequests: measured?.open_requests ?? 0,
    memoryBytes: measured?.memory_bytes ?? 0,
    lastHour: callsOf(measured?.last_hour),
    sinceStart: {
      ...callsOf(measured),
      coldStarts: measured?.cold_starts ?? 0,
      coldStartMs: measured?.cold_start_p50_ms ?? null,
    },
  }
}

function callsOf(measured: FunctionMetrics | FunctionMetrics['last_hour'] | undefined): FunctionCalls {
  return {
    calls: measured?.calls ?? 0,
    errors: measured?.errors ?? 0,
    p50Ms: measured?.p50_ms ?? null,
    p95Ms: measured?.p95_ms ?? null,
  }
}

function isoOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}
