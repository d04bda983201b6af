import { sql, type Queryable } from '@holdfast/postgres'

/** The schema with pgmq's API functions on hosted projects, where it is enabled in the dashboard. */
const SCHEMA = 'pgmq_public'

/**
 * Creates the functions of `pgmq_public` if the project exposes that schema (`restSchemas`), has the extension pgmq, and no migration created the schema.
 * Names, parameters and grants match hosted projects: everyone may call them, and the queue tables' grants and policies apply.
 *
 * @param db - acts as the project
 * @returns whether it created them
 */
export async function serveQueues(db: Queryable, restSchemas: readonly string[]): Promise<boolean> {
  if (!restSchemas.includes(SCHEMA)) return false
  const [found] = await db.query<{ wanted: boolean }>(sql`
    select to_regclass('pgmq.meta') is not null and to_regnamespace(${SCHEMA}) is null as wanted`)
  if (found?.wanted !== true) return false
  await db.execute(sql.trusted(`do $make$ begin ${MAKE} end $make$`))
  return true
}

const calls = (name: string, parameters: string, result: string, call: string): string => `
  create function ${SCHEMA}.${name}(${parameters}) returns ${result}
    language sql volatile set search_path = ''
  as $function$ select ${result.startsWith('setof pgmq') ? '* from ' : ''}pgmq.${call} $function$;`

const MAKE = `
  create schema ${SCHEMA};
  grant usage on schema ${SCHEMA} to anon, authenticated, service_role;
  ${calls('send', 'queue_name text, message jsonb, sleep_seconds integer default 0', 'setof bigint', 'send(queue_name => queue_name, msg => message, delay => sleep_seconds)')}
  ${calls('send_batch', 'queue_name text, messages jsonb[], sleep_seconds integer default 0', 'setof bigint', 'send_batch(queue_name => queue_name, msgs => messages, delay => sleep_seconds)')}
  ${calls('read', 'queue_name text, sleep_seconds integer, n integer', 'setof pgmq.message_record', 'read(queue_name => queue_name, vt => sleep_seconds, qty => n)')}
  ${calls('pop', 'queue_name text', 'setof pgmq.message_record', 'pop(queue_name => queue_name)')}
  ${calls('archive', 'queue_name text, message_id bigint', 'boolean', 'archive(queue_name => queue_name, msg_id => message_id)')}
  ${calls('delete', 'queue_name text, message_id bigint', 'boolean', 'delete(queue_name => queue_name, msg_id => message_id)')}
  grant execute on all functions in schema ${SCHEMA} to anon, authenticated, service_role;
  grant usage on schema pgmq to anon, authenticated, service_role;
  grant all on all tables in schema pgmq to service_role;
  grant usage, select, update on all sequences in schema pgmq to anon, authenticated, service_role;
  alter default privileges in schema pgmq grant all on tables to service_role;
  alter default privileges in schema pgmq grant usage, select, update on sequences to anon, authenticated, service_role;`
