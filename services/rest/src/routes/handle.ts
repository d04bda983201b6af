import type { Semaphore } from '@holdfast/foundation'
import type { Caller } from '@holdfast/http'
import { RowTooLarge, type PoolShare } from '@holdfast/postgres'
import { abandoned, answerTooLarge } from '../errors.ts'
import { Abandoned, execute, type ExecuteResult } from '../execute/execute.ts'
import type { RawRequest } from '../request/parse-request.ts'
import { decorate } from '../response/decorate.ts'
import { toHoldfastError } from '../response/postgres-error.ts'
import { respond, respondInfo, respondToInspect } from '../response/respond.ts'
import type { RestResponse } from '../response/rest-response.ts'
import { createStageClock, type StageClock } from '../response/server-timing.ts'
import type { Snapshot } from '../prepare/snapshot.ts'
import type { Prepared } from '../prepare/stages.ts'
import type { StatementNames } from '../execute/statement-names.ts'
import { renderTransaction, requireSingular, type PreparedStatement } from '../execute/transaction-input.ts'

/** Shared dependencies of request handling. */
export interface RestRuntime {
  readonly snapshots: {
    current(): Snapshot | Promise<Snapshot>
    /** Returns the snapshot for a retry after a failure, if any. */
    newerThan(seen: Snapshot, error: unknown): Promise<Snapshot | undefined>
  }
  /** Connections as `authenticator`. */
  readonly share: PoolShare
  readonly names: StatementNames
  readonly limit: Semaphore
}

/** Metadata of a request. */
export interface RequestMeta {
  /** Milliseconds that authentication took. */
  readonly authenticationMs: number | undefined
  /** User to whom the connection is attributed; `undefined` for backends, which use project keys. */
  readonly userKey: string | undefined
  /** Returns whether the client has disconnected. */
  readonly isAbandoned: () => boolean
}

/**
 * Handles a request. A failure that a newer catalog may resolve is retried once: schema changes are announced shortly after they are made,
 * and the failed attempt was rolled back.
 *
 * @throws HoldfastError with PostgREST's codes for every error
 */
export async function handle(
  runtime: RestRuntime,
  caller: Caller,
  raw: RawRequest,
  meta: RequestMeta,
): Promise<RestResponse> {
  const current = runtime.snapshots.current()
  // Bodies are decoded before this first await, so large ones are decoded one at a time.
  const snapshot = current instanceof Promise ? await current : current
  const release = runtime.limit.acquireNow({ key: meta.userKey })
  try {
    return await answer(runtime, snapshot, caller, raw, meta).catch(async (error: unknown) => {
      const newer = await runtime.snapshots.newerThan(snapshot, error)
      if (!newer) throw error
      return answer(runtime, newer, caller, raw, meta)
    })
  } catch (error) {
    throw toRefusal(error, caller.role === snapshot.options.restAnonRole)
  } finally {
    release()
  }
}

/** Runs the stages: parse, plan, render, execute, respond. */
async function answer(
  runtime: RestRuntime,
  snapshot: Snapshot,
  caller: Caller,
  raw: RawRequest,
  meta: RequestMeta,
): Promise<RestResponse> {
  const { options } = snapshot
  const clock = options.restServerTimingEnabled ? createStageClock() : undefined
  const prepared = snapshot.prepare(raw, clock && (() => clock.end('parse')))
  const response = hasStatement(prepared)
    ? respondWith(prepared, await run(runtime, snapshot, caller, prepared, meta, clock), snapshot, caller)
    : respondInfo(prepared.plan.kind === 'info' ? prepared.plan.allow : '')
  clock?.end('response')
  return decorate(response, prepared, raw, options, clock && { jwt: meta.authenticationMs, ...clock.times() })
}

async function run(
  { share, names }: RestRuntime,
  snapshot: Snapshot,
  caller: Caller,
  prepared: PreparedStatement,
  { userKey, isAbandoned }: RequestMeta,
  clock: StageClock | undefined,
): Promise<ExecuteResult> {
  const transaction = renderTransaction(prepared, caller, snapshot, names)
  clock?.end('plan')
  const result = await execute(share.for({ userKey }), { ...transaction, isAbandoned })
  clock?.end('transaction')
  return result
}

function respondWith(
  { request, plan }: PreparedStatement,
  result: ExecuteResult,
  { catalog, descriptions }: Snapshot,
  { role }: Caller,
): RestResponse {
  if (plan.kind === 'inspect') {
    return respondToInspect(request, result, descriptions.of(catalog, plan.schema, role))
  }
  if (plan.kind === 'read') requireSingular(plan, result.row)
  return respond(request, plan, result)
}

function hasStatement(prepared: Prepared): prepared is PreparedStatement {
  return prepared.main !== undefined && prepared.plan.kind !== 'info'
}

function toRefusal(error: unknown, isAnonymous: boolean): unknown {
  if (error instanceof Abandoned) return abandoned()
  if (error instanceof RowTooLarge) return answerTooLarge()
  return toHoldfastError(error, isAnonymous)
}
