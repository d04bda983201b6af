import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { PolicyInfo, TableInfo } from '../catalog/policy-input.ts'
import { Refusal, refuse } from '../refusal.ts'

/** Returns the `SELECT` policies that apply to a role. */
export function applicablePolicies(table: number, role: number, catalog: PolicyCatalog): readonly PolicyInfo[] {
  const memberOf = catalog.role(role)?.memberOf ?? [role]
  return catalog
    .policiesOf(table)
    .filter(
      ({ command, roles }) =>
        (command === 'r' || command === '*') && roles.some((one) => one === 0 || memberOf.includes(one)),
    )
}

/** Whether a role sees every row: superusers, `BYPASSRLS` roles, and owners without `FORCE`. */
export function isExempt(table: TableInfo, role: number, catalog: PolicyCatalog): boolean {
  const info = catalog.role(role)
  if (!info) return false
  return info.bypassesRls || (!table.forceRls && info.memberOf.includes(table.owner))
}

/** Reports a table's VIRTUAL columns and what to do; `undefined` if there are none. */
export function findVirtualColumns(table: TableInfo): string | undefined {
  const names = table.columns.filter(({ generated }) => generated === 'v').map(({ name }) => name)
  if (names.length === 0) return undefined
  return names.length === 1
    ? `its column ${names[0]} is VIRTUAL, which Postgres does not replicate (drop it and add it again as STORED)`
    : `its columns ${names.join(', ')} are VIRTUAL, which Postgres does not replicate (drop them and add them again as STORED)`
}

/** @throws {Refusal} if a table's changes cannot be followed reliably */
export function checkFollowable(table: TableInfo, label: string): void {
  if (table.kind === 'm') refuse(`it reads the materialized view ${label}, whose refreshes are in no change`)
  if (table.kind === 'f') refuse(`it reads the foreign table ${label}, whose changes cannot be seen`)
  if (table.isPartition) refuse(`it reads ${label}, a partition: its changes come as those of the whole table`)
  if (table.kind === 'r' && table.inherits) refuse(`it reads ${label}, which takes part in inheritance`)
  if (table.persistence !== 'p') refuse(`it reads ${label}, which is not logged, so that its changes cannot be seen`)
  const virtual = findVirtualColumns(table)
  if (virtual) refuse(`it reads ${label}, and ${virtual}`)
}

/** @throws {Refusal} with scope `role` if the role may not select a column */
export function checkRights(
  table: TableInfo,
  columns: ReadonlySet<string>,
  role: number,
  label: string,
  catalog: PolicyCatalog,
): void {
  const selectable = table.selectable[String(role)]
  const missing = selectable && [...columns].find((column) => !selectable.includes(column))
  if (selectable && missing === undefined) return
  const what = missing === undefined ? label : `${label}.${missing}`
  throw new Refusal(
    `the role ${catalog.role(role)?.name ?? role} may not read ${what}, which its policies read`,
    'role',
  )
}
