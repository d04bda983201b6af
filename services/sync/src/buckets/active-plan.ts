import type { BucketDefinition, Dependency, SyncPlan, TablePlan } from '@holdfast/policy'
import type { StoredDefinition } from '../storage/bucket-storage.ts'
import { createClassList, type ClassList } from './access-classes.ts'

/** A dependency of one or more definitions. */
export interface PlannedDependency extends Dependency {
  /** The same for equal dependencies, whatever definition they come from. */
  readonly key: string
}

/** A definition as it is being served. */
export interface ActiveDefinition {
  readonly definition: BucketDefinition
  readonly stored: StoredDefinition
  /** Of a definition by access classes: those that there are. */
  readonly classes: ClassList | undefined
}

/** What one role's streams need. */
export interface RolePlan {
  readonly definitions: readonly ActiveDefinition[]
  readonly dependencies: readonly PlannedDependency[]
}

/** A compiled plan with the buckets that exist for it. */
export interface ActivePlan {
  readonly plan: SyncPlan
  readonly tables: ReadonlyMap<number, { readonly table: TablePlan; readonly definitions: readonly ActiveDefinition[] }>
  readonly roles: ReadonlyMap<string, RolePlan>
  /** By the table's oid. */
  readonly dependencies: ReadonlyMap<number, readonly PlannedDependency[]>
}

function keyed(dependency: Dependency): PlannedDependency {
  const pin = dependency.pin ? `${dependency.pin.column}=${dependency.pin.claimSql}` : ''
  return { ...dependency, key: `${dependency.oid}/${[...dependency.columns].sort().join(',')}/${pin}` }
}

function unique(dependencies: readonly PlannedDependency[]): PlannedDependency[] {
  return [...new Map(dependencies.map((dependency) => [dependency.key, dependency])).values()]
}

/** Ties a plan to the stored definitions. Definitions without one are not served. */
export function activatePlan(plan: SyncPlan, stored: readonly StoredDefinition[]): ActivePlan {
  const byId = new Map(stored.map((definition) => [definition.id, definition]))
  const tables = new Map<number, { table: TablePlan; definitions: ActiveDefinition[] }>()
  const perRole = new Map<string, ActiveDefinition[]>()
  const all: PlannedDependency[] = []
  for (const table of plan.tables) {
    const definitions: ActiveDefinition[] = []
    for (const definition of table.definitions) {
      const known = byId.get(definition.id)
      if (!known) continue
      const classes = definition.accessClass && createClassList(definition.accessClass.link?.keys ?? 0)
      const active = { definition, stored: known, classes }
      definitions.push(active)
      all.push(...definition.dependencies.map(keyed))
      for (const role of definition.roles) perRole.set(role, [...(perRole.get(role) ?? []), active])
    }
    tables.set(table.oid, { table, definitions })
  }
  const dependencies = new Map<number, PlannedDependency[]>()
  for (const dependency of unique(all)) {
    dependencies.set(dependency.oid, [...(dependencies.get(dependency.oid) ?? []), dependency])
  }
  const roles = new Map<string, RolePlan>()
  for (const [role, definitions] of perRole) {
    roles.set(role, {
      definitions,
      dependencies: unique(definitions.flatMap(({ definition }) => definition.dependencies.map(keyed))),
    })
  }
  return { plan, tables, roles, dependencies }
}
