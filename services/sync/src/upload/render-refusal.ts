import { unreachable } from '@holdfast/foundation'
import type { Caller } from '@holdfast/http'
import type { Transaction } from '@holdfast/postgres'
import type { OperationVerdict, UploadOperation } from '@holdfast/protocol'
import type { Failure } from './apply-operations.ts'
import { findCandidatePolicies, findCheckColumns, findRuleComment, findUniqueColumns } from './find-policies.ts'
import { isPolicyRefusal, namedPolicy, type DatabaseError } from './judge-error.ts'
import type { WritableTable } from './writable-tables.ts'

/** A failure that is a verdict rather than a reason to try another way. */
export type Reason = Extract<Failure, { operation: UploadOperation }>

interface Refusal {
  readonly status: 'refused'
  readonly verdicts: readonly OperationVerdict[]
}

/** Renders the response of a refused transaction: one operation has the reason, and none of the others was applied. */
export async function renderRefusal(
  tx: Transaction,
  caller: Caller,
  operations: readonly UploadOperation[],
  tables: ReadonlyMap<string, WritableTable>,
  failure: Reason,
): Promise<Refusal> {
  const verdict = await renderVerdict(tx, caller, tables, failure)
  return {
    status: 'refused',
    verdicts: operations.map((operation) =>
      operation === failure.operation ? verdict : { op_id: operation.op_id, status: 'not_reached' },
    ),
  }
}

async function renderVerdict(
  tx: Transaction,
  caller: Caller,
  tables: ReadonlyMap<string, WritableTable>,
  failure: Reason,
): Promise<OperationVerdict> {
  const { operation } = failure
  switch (failure.kind) {
    case 'verdict':
      return failure.verdict
    case 'unplannable':
      return { op_id: operation.op_id, status: 'error', table: operation.type, ...failure.reason }
    case 'error': {
      const table = tables.get(operation.type)
      const policies = table && (await refusingPolicies(tx, caller, failure, table))
      return renderErrorVerdict(operation, failure.error, {
        policies,
        rule: table && (await ruleInWords(tx, table, failure.error, policies)),
        columns: (await checkedColumns(tx, table, failure.error))?.map((column) => localColumn(column, table)),
        column: failure.error.column && localColumn(failure.error.column, table),
      })
    }
    default:
      return unreachable(failure)
  }
}

/** Returns the policy named by Postgres, otherwise all that could have allowed the row; `undefined` if row-level security was not the reason. */
async function refusingPolicies(
  tx: Transaction,
  caller: Caller,
  failure: Extract<Failure, { kind: 'error' }>,
  table: WritableTable,
): Promise<readonly string[] | undefined> {
  if (!isPolicyRefusal(failure.error)) return undefined
  const named = namedPolicy(failure.error)
  return named ? [named] : findCandidatePolicies(tx, { operation: failure.operation, table, role: caller.role })
}

async function ruleInWords(
  tx: Transaction,
  table: WritableTable,
  error: DatabaseError,
  policies: readonly string[] | undefined,
): Promise<string | undefined> {
  const [policy, ...others] = policies ?? []
  if (policy !== undefined) {
    return others.length === 0 ? findRuleComment(tx, table, { kind: 'policy', name: policy }) : undefined
  }
  return error.constraint === undefined
    ? undefined
    : findRuleComment(tx, table, { kind: 'constraint', name: error.constraint })
}

const CHECK_VIOLATION = '23514'
const UNIQUE_VIOLATION = '23505'

async function checkedColumns(
  tx: Transaction,
  table: WritableTable | undefined,
  { code, constraint }: DatabaseError,
): Promise<readonly string[] | undefined> {
  if (!table || constraint === undefined) return undefined
  if (code === UNIQUE_VIOLATION) return findUniqueColumns(tx, table, constraint)
  return code === CHECK_VIOLATION ? findCheckColumns(tx, table, constraint) : undefined
}

/** Returns the local name of a column named by Postgres. */
function localColumn(name: string, table: WritableTable | undefined): string {
  return [...(table?.columns.values() ?? [])].find((column) => column.name === name)?.localName ?? name
}

/** Returns the verdict on an operation that Postgres refused. */
function renderErrorVerdict(
  operation: UploadOperation,
  error: DatabaseError,
  reasons: {
    readonly policies: readonly string[] | undefined
    readonly rule: string | undefined
    readonly columns: readonly string[] | undefined
    readonly column: string | undefined
  },
): OperationVerdict {
  return {
    op_id: operation.op_id,
    status: 'error',
    sqlstate: error.code,
    message: error.message,
    ...(error.detail ? { detail: error.detail } : {}),
    ...(error.hint ? { hint: error.hint } : {}),
    table: operation.type,
    ...(reasons.column ? { column: reasons.column } : {}),
    ...(error.constraint ? { constraint: error.constraint } : {}),
    ...(reasons.columns?.length ? { columns: reasons.columns } : {}),
    ...(reasons.policies ? { policies: reasons.policies } : {}),
    ...(reasons.rule ? { rule: reasons.rule } : {}),
  }
}
