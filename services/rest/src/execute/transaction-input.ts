import type { Caller } from '@holdfast/http'
import { authorOf } from '@holdfast/postgres'
import { parseDurationMs } from './duration.ts'
import { maxAffectedExceeded, notSingular, offsetOutOfBounds, putKeyMismatch } from '../errors.ts'
import type { ExecuteInput, ResultRow, Statement } from './execute.ts'
import { DEADLINE_GRACE_MS, DEADLINE_MS_MAX, STATEMENTS_MAX } from '../limits.ts'
import type { DatabasePlan, Plan } from '../plan/plan.ts'
import {
  isolationOf,
  lastValue,
  renderPreRequest,
  renderSettings,
  requestSettings,
  type Setting,
} from '../query/render-settings.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { rangeStatus } from './content-range.ts'
import type { Snapshot } from '../prepare/snapshot.ts'
import type { Prepared, Rendered } from '../prepare/stages.ts'
import type { StatementNames } from './statement-names.ts'
import { endsInRollback } from '../config/transaction-end.ts'

/** A prepared request that needs Postgres. */
export type PreparedStatement = Prepared & {
  readonly plan: Exclude<Plan, { readonly kind: 'info' }>
  readonly main: Rendered
}

/** Renders the transaction of a prepared request: settings, statements and end. */
export function renderTransaction(
  { request, plan, main, explain }: PreparedStatement,
  caller: Caller,
  { catalog, options }: Snapshot,
  names: StatementNames,
): Omit<ExecuteInput, 'isAbandoned'> {
  const readOnly = plan.kind === 'read' || plan.kind === 'inspect' || (plan.kind === 'call' && plan.readOnly)
  const input = {
    request,
    readOnly,
    role: caller.role,
    claims: caller.claims,
    roleSettings: catalog.roles.find(({ name }) => name === caller.role)?.settings ?? {},
    routineSettings: plan.kind === 'call' ? plan.call.routine.settings : {},
    hoistedSettings: options.restHoistedSettings,
    statementTimeoutMs: options.restStatementTimeoutMs,
    extraSearchPath: options.restExtraSearchPath,
  }
  const settings = requestSettings(input)
  // Plans include policies, so a plan made for another role would be replanned each time.
  const keep = ({ text, values }: Rendered): Statement => {
    const name = names.nameOf(catalog.version, text)
    return { text, values, key: name && `${name} ${caller.role} ${request.schema}` }
  }
  const assume = renderSettings(settings, readOnly ? null : authorOf(caller))
  return {
    main: keep(main),
    explain: explain && keep(explain),
    settings: { ...assume, key: assume.text },
    preRequest: options.restPreRequest === '' ? undefined : keep(renderPreRequest(options.restPreRequest).render()),
    readOnly,
    isolation: isolationOf(input),
    rollback: endsInRollback(options.restTransactionEnd, request.preferences.transaction),
    verify: plan.kind === 'inspect' ? undefined : verification(request, plan),
    timeoutMs: deadlineMs(settings),
    rowBytesMax: options.restResponseBytesMax,
  }
}

/** Returns how long to wait for Postgres. It ends statements itself unless it or the connection has failed. */
function deadlineMs(settings: readonly Setting[]): number {
  const timeoutMs = parseDurationMs(lastValue(settings, 'statement_timeout') ?? '0') ?? 0
  return timeoutMs <= 0 ? 0 : Math.min(STATEMENTS_MAX * timeoutMs + DEADLINE_GRACE_MS, DEADLINE_MS_MAX)
}

/** Returns the check required before a write is committed; `undefined` if the commit can be sent with the statement. */
function verification(request: ApiRequest, plan: DatabasePlan): ((row: ResultRow) => void) | undefined {
  if (plan.kind === 'read' || plan.media.explain) return undefined
  const { maxAffected, handling } = request.preferences
  const isObject = plan.media.body.kind === 'object'
  const limit = handling === 'strict' && request.method !== 'PUT' ? maxAffected : undefined
  const isPut = request.method === 'PUT'
  const { offset } = request.range
  const mayBeBehind = plan.kind === 'call' && !plan.readOnly && offset > 0 && plan.count !== 'none'
  if (!isObject && limit === undefined && !isPut && !mayBeBehind) return undefined
  return (row) => {
    const rows = Number(row.rows)
    if (mayBeBehind) requireWithin(offset, rows, row.total)
    if (isPut && rows !== 1) throw putKeyMismatch()
    requireSingular(plan, row)
    const isInsert = plan.kind === 'write' && plan.write.kind === 'insert'
    if (limit !== undefined && !isInsert && rows > limit) throw maxAffectedExceeded(rows)
  }
}

/** @throws PGRST103 for an offset beyond the last row */
function requireWithin(offset: number, rows: number, total: string | null): void {
  if (total !== null && rangeStatus(offset, rows, Number(total)) === 416) throw offsetOutOfBounds(offset, Number(total))
}

/** Requires exactly one row if an object was requested. */
export function requireSingular(plan: DatabasePlan, row: ResultRow): void {
  if (plan.media.body.kind !== 'object' || plan.media.explain) return
  if (Number(row.rows) !== 1) throw notSingular(Number(row.rows))
}
