import { peopleTableOf, type SchemaDescriptor, titleColumnOf } from '@holdfast/protocol'
import { quoteName } from '../sql.ts'

/** Local name of `holdfast.members`. */
const MEMBERS_TABLE = 'hf_members'

/**
 * Returns a query for accounts and their names: the project's people first, then the members of workspaces, who are the only people of tables made in the app. Former
 * members and guests are not `isHere`. `undefined` without such a table.
 */
export function peopleSql({ tables }: SchemaDescriptor): string | undefined {
  const own = peopleTableOf(tables.filter(({ schema }) => schema !== 'holdfast'))
  const title = own && titleColumnOf(own.columns)
  const parts = [
    ...(own && title !== undefined
      ? [
          `select user_id as userId, ${quoteName(title)} as name, null as workspace, 0 as place, 1 as isHere from ${quoteName(own.name)}`,
        ]
      : []),
    ...(tables.some(({ name }) => name === MEMBERS_TABLE)
      ? [
          `select user_id as userId, name, workspace_id as workspace, 1 as place, role <> 'guest' and status = 'active' as isHere from ${MEMBERS_TABLE}`,
        ]
      : []),
  ]
  return parts.length === 0 ? undefined : parts.join(' union all ')
}

/**
 * Returns an SQL expression for an account's display name; `null` without a table of people.
 *
 * @param account - SQL for the account's id, used once
 */
export function authorSql(schema: SchemaDescriptor, account: string): string {
  const people = peopleSql(schema)
  if (people === undefined) return 'null'
  return `(select p.name from (${people}) p where p.userId = ${account} and p.name <> '' order by p.place limit 1)`
}

/** Returns a query for the people whom comments can mention, once each. The parameter is the id of the workspace. */
export function mentionableSql(schema: SchemaDescriptor): string | undefined {
  const people = peopleSql(schema)
  if (people === undefined) return undefined
  return `select p.userId, p.name, min(p.place) as place from (${people}) p
           where p.userId is not null and p.name <> '' and p.isHere and (p.workspace is null or p.workspace = ?)
           group by p.userId order by p.name collate nocase limit 2000`
}
