import type { EventTriggerStatement, SqlStatement } from '@holdfast/policy'
import { quoteIdentifier, quoteLiteral, sql, type Queryable } from '@holdfast/postgres'

/**
 * Rewrites event trigger statements, which require a superuser, as calls of functions that create the triggers for the project
 * (`0016_project_event_triggers.sql`).
 *
 * @returns the text with the same number of lines; unchanged if the database lacks these functions
 */
export async function triggerAsProject(
  db: Queryable,
  text: string,
  statements: readonly SqlStatement[],
): Promise<string> {
  if (!statements.some(({ eventTrigger }) => eventTrigger)) return text
  const [found] = await db.query<{ has: boolean }>(sql`
    select p.oid is not null and pg_catalog.has_function_privilege(p.oid, 'execute') and not r.rolsuper as has
      from pg_catalog.pg_roles r
      left join pg_catalog.pg_proc p
        on p.oid = pg_catalog.to_regprocedure('holdfast.create_event_trigger(name, text, text[], regprocedure)')
     where r.rolname = current_user`)
  if (found?.has !== true) return text
  let written = text
  for (const { eventTrigger, start, text: statement } of statements.toReversed()) {
    if (!eventTrigger) continue
    const lines = '\n'.repeat(statement.split('\n').length - 1)
    written = `${written.slice(0, start)}${callOf(eventTrigger)}${lines}${written.slice(start + statement.length)}`
  }
  return written
}

function callOf(statement: EventTriggerStatement): string {
  const name = quoteLiteral(statement.name)
  switch (statement.kind) {
    case 'create': {
      const tags = statement.tags ? `array[${statement.tags.map(quoteLiteral).join(', ')}]` : 'null'
      const calls = quoteLiteral(`${statement.calls.map(quoteIdentifier).join('.')}()`)
      return `select holdfast.create_event_trigger(${name}, ${quoteLiteral(statement.event)}, ${tags}, ${calls}::regprocedure)`
    }
    case 'drop':
      return `select holdfast.drop_event_trigger(${name}, ${statement.isOptional})`
    case 'alter':
      return `select holdfast.alter_event_trigger(${name}, ${quoteLiteral(statement.change)})`
  }
}
