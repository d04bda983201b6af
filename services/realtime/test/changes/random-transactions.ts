import type { Random } from '@holdfast/test-support'
import { ALICE, BOB, CONDITIONS } from './change-world.ts'

/** Effect of a transaction on a document. */
export interface Row {
  readonly kind: 'INSERT' | 'UPDATE' | 'DELETE'
  readonly id: number
}

/**
 * Generates a transaction: its statements and its effect on documents, each touched once.
 *
 * @param policies - existing policy names; `undefined` leaves policies and rights unchanged
 */
export function makeStep(
  random: Random,
  ids: Set<number>,
  policies: string[] | undefined,
  next: () => number,
): { readonly statements: readonly string[]; readonly rows: readonly Row[] } {
  const statements: string[] = []
  const rows: Row[] = []
  const touched = new Set<number>()
  const person = (): string => random.pick([`'${ALICE}'`, `'${BOB}'`, 'null'])
  const values = (): string =>
    `${person()}, ${1 + random.below(3)}, ${random.below(4)}, ${random.pick([`'hidden'`, `'a"\\b'`, 'null'])}, ${random.pick([`'{x,"y z"}'`, `'{}'`, 'null'])}, ${random.pick([`'{${ALICE},${BOB}}'`, `'{${BOB}}'`, 'null'])}`
  const count = 1 + random.below(4)
  for (let at = 0; at < count; at++) {
    const free = [...ids].filter((id) => !touched.has(id))
    const kind = random.below(policies ? 10 : 8)
    if (kind < 3 || (kind < 6 && free.length === 0)) {
      const id = next()
      statements.push(`insert into "Docs" values (${id}, ${values()})`)
      rows.push({ kind: 'INSERT', id })
      touched.add(id)
      ids.add(id)
    } else if (kind < 5) {
      const id = random.pick(free)
      statements.push(`update "Docs" set ("Owner", team, level, body, tags, people) = (${values()}) where id = ${id}`)
      rows.push({ kind: 'UPDATE', id })
      touched.add(id)
    } else if (kind === 5) {
      const id = random.pick(free)
      statements.push(`delete from "Docs" where id = ${id}`)
      rows.push({ kind: 'DELETE', id })
      touched.add(id)
      ids.delete(id)
    } else if (kind === 6) {
      statements.push(
        `insert into members values (${1 + random.below(3)}, '${random.pick([ALICE, BOB])}') on conflict do nothing`,
      )
    } else if (kind === 7) {
      statements.push(`delete from members where team = ${1 + random.below(3)}`)
    } else if (policies && (kind === 8 || policies.length === 0)) {
      const name = `p${next()}`
      policies.push(name)
      const role = random.pick(['public', 'anon', 'authenticated', 'anon, authenticated'])
      const as = random.pick(['permissive', 'permissive', 'restrictive'])
      statements.push(
        `create policy ${name} on "Docs" as ${as} for select to ${role} using (${random.pick(CONDITIONS)})`,
      )
    } else if (policies) {
      statements.push(
        random.pick([
          `drop policy ${policies.pop()} on "Docs"`,
          'alter table "Docs" disable row level security',
          'alter table "Docs" enable row level security',
          'revoke select on "Docs" from anon; grant select (id, team) on "Docs" to anon',
          'grant select on "Docs" to anon',
        ]),
      )
    }
  }
  return { statements, rows }
}
