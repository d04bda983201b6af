import type { SyncPlan } from '@holdfast/policy'
import { formatLsn, parseLsn, type Lsn } from '@holdfast/replication'
import { activatePlan, type ActivePlan, type ClassLimits } from '../buckets/active-plan.ts'
import type { StoredDefinition } from '../storage/bucket-storage.ts'

interface PlanDocument {
  readonly plan: SyncPlan
  readonly stored: readonly (Omit<StoredDefinition, 'activeFrom'> & { readonly activeFrom: string })[]
  /** Numbers of definitions that are still being filled. */
  readonly unfilled: readonly number[]
}

/** Renders a plan so that another server can serve devices by it, without compiling policies itself. */
export function renderPlan(active: ActivePlan): string {
  const definitions = [...active.tables.values()].flatMap((table) => table.definitions)
  const document: PlanDocument = {
    plan: active.plan,
    stored: definitions.map(({ stored }) => ({ ...stored, activeFrom: formatLsn(stored.activeFrom) })),
    unfilled: definitions.flatMap(({ stored, isUnfilled }) => (isUnfilled ? [stored.number] : [])),
  }
  return JSON.stringify(document)
}

/** Parses a rendered plan. Its class lists are empty. */
export function parsePlan(text: string, limits: ClassLimits): ActivePlan {
  const { plan, stored, unfilled } = JSON.parse(text) as PlanDocument
  return activatePlan(
    plan,
    stored.map((one) => ({ ...one, activeFrom: parseLsn(one.activeFrom) ?? (0n as Lsn) })),
    new Set(unfilled),
    limits,
  )
}
