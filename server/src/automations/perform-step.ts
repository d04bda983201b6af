import { type AutomationStep, type AutomationValues, renderTemplate, type TemplateValues } from '@holdfast/protocol'
import { sql, type SqlFragment, type Transaction } from '@holdfast/postgres'
import type { CallRequest } from './call-queue.ts'
import { CALL_BYTES_MAX, VALUE_CHARS_MAX } from './limits.ts'
import { readIdFields, readLinkNames } from './link-names.ts'
import type { Automation } from './queue.ts'

/** What a step did. */
export type StepResult =
  | { readonly kind: 'update'; readonly changes: readonly FieldChange[] }
  | {
      readonly kind: 'create'
      readonly table: string
      readonly record: string
      readonly changes: readonly FieldChange[]
    }
  | { readonly kind: 'notify'; readonly to: readonly string[]; readonly text: string; readonly push: boolean }
  | ({ readonly kind: 'mail'; readonly to: readonly string[]; readonly subject: string; readonly text: string } & Later)
  | ({ readonly kind: 'webhook'; readonly url: string } & Later)
  | ({ readonly kind: 'function'; readonly name: string } & Later)

/** Done after the transaction; the outcome is added to the run. */
interface Later {
  readonly state: 'waiting'
}

export interface FieldChange {
  readonly field: string
  readonly from: string | null
  readonly to: string | null
}

/** Values of a run, with the names of linked records by field. */
export interface RunValues extends TemplateValues {
  readonly names: Readonly<Record<string, string>>
}

/** The user of a run cannot do this, as an error with a hint. */
export class RunRefused extends Error {
  readonly hint: string

  constructor(hint: string, message: string) {
    super(message)
    this.name = 'RunRefused'
    this.hint = hint
  }
}

interface Run {
  readonly tx: Transaction
  readonly automation: Automation
  readonly recordId: string | null
  readonly values: RunValues
}

/**
 * Does a step in the transaction of its user. Mails, webhooks and functions are only rendered: they are requests for later.
 *
 * @throws {RunRefused}, and errors of the database
 */
export async function performStep(
  run: Run,
  step: AutomationStep,
): Promise<{ readonly result: StepResult; readonly request?: CallRequest }> {
  const { tx, automation, values } = run
  const { table } = automation
  const shown = (text: string): string => renderTemplate(text, named(values)) ?? ''
  switch (step.kind) {
    case 'notify': {
      const { to, text, push = false } = step
      return { result: { kind: 'notify', to: recipientsOf(to, values), text: shown(text), push } }
    }
    case 'create': {
      const ids = await readIdFields(tx, step.table)
      return { result: await createRecord(tx, step.table, render(step.set, values, ids), ids) }
    }
    case 'update': {
      const ids = await readIdFields(tx, table)
      return { result: await updateRecord(run, render(step.set, values, ids), ids) }
    }
    case 'assign':
      return { result: await updateRecord(run, { [step.field]: await memberOf(run, step.to) }, new Set([step.field])) }
    case 'mail': {
      const mail = { to: recipientsOf(step.to, values), subject: shown(step.subject), text: shown(step.text) }
      return { result: { kind: 'mail', ...mail, state: 'waiting' }, request: { kind: 'mail', ...mail } }
    }
    case 'webhook': {
      const { url, header } = step
      const body = await payloadOf(run, step.text && shown(step.text))
      const request = { kind: 'webhook', url, ...(header !== undefined && { header }), body } as const
      return { result: { kind: 'webhook', url, state: 'waiting' }, request }
    }
    case 'function': {
      const { name } = step
      const body = await payloadOf(run, step.text && shown(step.text))
      return { result: { kind: 'function', name, state: 'waiting' }, request: { kind: 'function', name, body } }
    }
  }
}

type Texts = Readonly<Record<string, string | null>>

async function createRecord(tx: Transaction, table: string, set: Texts, ids: ReadonlySet<string>): Promise<StepResult> {
  const fields = Object.keys(set)
  const names = sql.join(fields.map((field) => sql.identifier(field)))
  const id = crypto.randomUUID()
  const target = sql.identifier('public', table)
  await tx.execute(sql`
    insert into ${target} (id, ${names})
    select ${id}::uuid, ${names} from jsonb_populate_record(null::${target}, ${JSON.stringify(set)}::jsonb)`)
  const linked = await readLinked(tx, table, set, ids)
  const changes = fields.map((field) => ({ field, from: null, to: shorten(linked[field] ?? set[field] ?? null) }))
  return { kind: 'create', table, record: id, changes }
}

async function updateRecord(
  { tx, automation, recordId, values }: Run,
  set: Texts,
  ids: ReadonlySet<string>,
): Promise<StepResult> {
  const fields = Object.keys(set)
  const target = sql.identifier('public', automation.table)
  const assignments = fields.map((field) => sql`${sql.identifier(field)} = v.${sql.identifier(field)}`)
  const [changed] = await tx.query<{ record: Record<string, string | null> }>(sql`
    with written as (
      update ${target} r set ${sql.join(assignments)} from jsonb_populate_record(null::${target}, ${JSON.stringify(set)}::jsonb) v
       where r.id = ${recordId} returning r.*)
    select ${textsOf(sql`w.*`)} as record from written w`)
  if (!changed) throw new RunRefused('automation.not_changed', 'The user may not change this record.')
  const was = await readLinked(tx, automation.table, values.record, new Set(fields.filter((field) => ids.has(field))))
  const linked = await readLinked(
    tx,
    automation.table,
    changed.record,
    new Set(fields.filter((field) => ids.has(field))),
  )
  const changes = fields.map((field) => ({
    field,
    from: shorten(was[field] ?? values.record[field] ?? null),
    to: shorten(linked[field] ?? changed.record[field] ?? null),
  }))
  return { kind: 'update', changes }
}

/** Returns the names of linked records, for users who read the run. */
async function readLinked(tx: Transaction, table: string, record: Texts, ids: ReadonlySet<string>): Promise<Texts> {
  return ids.size === 0
    ? {}
    : readLinkNames(
        tx,
        table,
        record,
        [...ids].map((field) => `{${field}}`),
      )
}

/** Returns the id of the member to assign a record to. @throws {RunRefused} `automation.no_assignee` */
async function memberOf({ tx, automation, values }: Run, to: string): Promise<string> {
  const [recipient] = recipientsOf([to], values)
  const [found] =
    recipient === undefined
      ? []
      : await tx.query<{ id: string }>(sql`
          select m.id from holdfast.members m
           where m.workspace_id = ${automation.workspaceId} and m.status = 'active'
             and ${recipient} in ('member:' || m.id, 'user:' || m.user_id)`)
  if (!found) throw new RunRefused('automation.no_assignee', 'There is no member to assign the record to.')
  return found.id
}

/** Returns what a webhook or function is sent: the record as it is after the steps before, as far as the user sees it. */
async function payloadOf({ tx, automation, recordId, values }: Run, text: string | undefined): Promise<object> {
  const [found] =
    recordId === null
      ? []
      : await tx.query<{ record: object }>(
          sql`select to_jsonb(r.*) as record from ${sql.identifier('public', automation.table)} r where r.id = ${recordId}`,
        )
  const payload = {
    table: automation.table,
    record: found?.record ?? null,
    ...(values.count !== undefined && { count: values.count }),
    ...(text !== undefined && text !== '' && { text }),
    at: values.now,
  }
  if (JSON.stringify(payload).length > CALL_BYTES_MAX)
    throw new RunRefused('automation.too_large', 'The record is too large to be sent.')
  return payload
}

/** A row as an object of texts, as Postgres writes them. */
export function textsOf(row: SqlFragment): SqlFragment {
  return sql`(select jsonb_object_agg(one.key, one.value) from jsonb_each_text(to_jsonb(${row})) one)`
}

/** @param ids - fields that take the id of a linked record instead of its name */
function render(
  set: AutomationValues,
  values: RunValues,
  ids: ReadonlySet<string>,
): Readonly<Record<string, string | null>> {
  const shown = named(values)
  return Object.fromEntries(
    Object.entries(set).map(([field, text]) => [
      field,
      text === null ? null : renderTemplate(text, ids.has(field) ? values : shown),
    ]),
  )
}

/** Values for a text that a user reads. */
function named(values: RunValues): TemplateValues {
  return { ...values, record: { ...values.record, ...values.names } }
}

/** Returns the texts of a step that may have placeholders. */
export function textsOfStep(step: AutomationStep): readonly string[] {
  if (step.kind === 'assign') return []
  if (step.kind === 'update' || step.kind === 'create') return Object.values(step.set).filter((text) => text !== null)
  return [step.text ?? '', ...(step.kind === 'mail' ? [step.subject] : [])]
}

function recipientsOf(to: readonly string[], { record }: TemplateValues): readonly string[] {
  return to.flatMap((one) => {
    if (one === 'creator') return record['created_by'] == null ? [] : [`user:${record['created_by']}`]
    if (!one.startsWith('field:')) return [one]
    const member = record[one.slice('field:'.length)]
    return member == null ? [] : [`member:${member}`]
  })
}

function shorten(text: string | null): string | null {
  return text !== null && text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX)}…` : text
}
