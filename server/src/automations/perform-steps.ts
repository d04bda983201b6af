import { type AutomationStep, type AutomationValues, renderTemplate, type TemplateValues } from '@holdfast/protocol'
import { sql, type SqlFragment, type Transaction } from '@holdfast/postgres'
import { COUNT_MAX, SCHEDULED_RECORDS_MAX, VALUE_CHARS_MAX } from './limits.ts'
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
  | { readonly kind: 'notify'; readonly to: readonly string[]; readonly text: string }

export interface FieldChange {
  readonly field: string
  readonly from: string | null
  readonly to: string | null
}

/** Values of a run, with the names of linked records by field. */
interface RunValues extends TemplateValues {
  readonly names: Readonly<Record<string, string>>
}

export interface Performed {
  readonly steps: readonly StepResult[]
  readonly notices: readonly { readonly to: readonly string[]; readonly text: string }[]
}

/** A step failed; what it and earlier ones did is undone with the transaction. */
export class StepFailed extends Error {
  /** Of the steps, from 0. */
  readonly place: number
  readonly done: readonly StepResult[]

  constructor(place: number, done: readonly StepResult[], cause: unknown) {
    super('A step failed.', { cause })
    this.name = 'StepFailed'
    this.place = place
    this.done = done
  }
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

/**
 * Does the steps of an automation for a record, in a transaction of its user.
 *
 * @param recordId - `null` for a run without a record
 * @returns `undefined` if the user does not see the record, or it does not meet the conditions
 * @throws {RunRefused} `automation.not_admin`; {StepFailed}
 */
export async function performSteps(
  tx: Transaction,
  automation: Automation,
  recordId: string | null,
): Promise<Performed | undefined> {
  const { table, steps } = automation
  const values = await readValues(tx, automation, recordId)
  if (!values) return undefined
  const done: StepResult[] = []
  const notices: { to: readonly string[]; text: string }[] = []
  for (const [place, step] of steps.entries()) {
    try {
      const result = await performStep(tx, table, recordId, step, values)
      done.push(result)
      if (result.kind === 'notify') notices.push({ to: result.to, text: result.text })
    } catch (error) {
      throw new StepFailed(place, done, error)
    }
  }
  return { steps: done, notices }
}

/**
 * Lists the records that meet the conditions of an automation, as far as its user sees them.
 *
 * @returns ids up to the limit, and how many there are beyond it, counted up to {@link COUNT_MAX}
 * @throws {RunRefused} `automation.not_admin`
 */
export async function listMatches(
  tx: Transaction,
  automation: Automation,
): Promise<{ readonly records: readonly string[]; readonly more: number }> {
  await requireAdmin(tx, automation)
  const [row] = await tx.query<{ records: readonly string[] | null; total: number }>(sql`
    with matching as materialized (
      select r.id from ${sql.identifier('public', automation.table)} r where ${conditionsOf(automation)} limit ${COUNT_MAX})
    select (select array_agg(l.id) from (select m.id from matching m order by m.id limit ${SCHEDULED_RECORDS_MAX}) l) as records,
           (select count(*)::integer from matching) as total`)
  const records = row?.records ?? []
  return { records, more: (row?.total ?? 0) - records.length }
}

async function requireAdmin(
  tx: Transaction,
  { timeZone, workspaceId }: Automation,
): Promise<{ readonly today: string; readonly now: string }> {
  const [rights] = await tx.query<{ today: string; now: string; isAdmin: boolean }>(sql`
    select (now() at time zone ${timeZone})::date::text as today, to_json(now()) #>> '{}' as now,
           coalesce(holdfast.role_in(${workspaceId}) >= 'admin', false) as "isAdmin"`)
  if (!rights?.isAdmin) throw new RunRefused('automation.not_admin', 'The user is no longer an admin of the workspace.')
  return rights
}

/** @returns `undefined` if there is nothing to do */
async function readValues(
  tx: Transaction,
  automation: Automation,
  recordId: string | null,
): Promise<RunValues | undefined> {
  const { table, steps } = automation
  const rights = await requireAdmin(tx, automation)
  if (recordId === null) {
    const [counted] = await tx.query<{ count: number }>(sql`
      select count(*)::integer as count from (
        select from ${sql.identifier('public', table)} r where ${conditionsOf(automation)} limit ${COUNT_MAX}) matching`)
    const count = counted?.count ?? 0
    if (count === 0 && automation.conditions !== null) return undefined
    return { ...rights, record: {}, names: {}, count }
  }
  const [found] = await tx.query<{ record: Record<string, string | null> }>(sql`
    select ${textsOf(sql`r.*`)} as record
      from ${sql.identifier('public', table)} r where r.id = ${recordId} and ${conditionsOf(automation)}`)
  if (!found) return undefined
  const names = await readLinkNames(tx, table, found.record, steps.flatMap(textsOfStep))
  return { ...rights, record: found.record, names }
}

function conditionsOf({ conditions }: Automation): SqlFragment {
  return conditions === null ? sql`true` : sql.trusted(conditions)
}

async function performStep(
  tx: Transaction,
  table: string,
  recordId: string | null,
  step: AutomationStep,
  values: RunValues,
): Promise<StepResult> {
  if (step.kind === 'notify')
    return { kind: 'notify', to: recipientsOf(step.to, values), text: renderTemplate(step.text, named(values)) ?? '' }
  const set = render(step.set, values, await readIdFields(tx, step.kind === 'create' ? step.table : table))
  const fields = Object.keys(set)
  const names = sql.join(fields.map((field) => sql.identifier(field)))
  if (step.kind === 'create') {
    const id = crypto.randomUUID()
    const target = sql.identifier('public', step.table)
    await tx.execute(sql`
      insert into ${target} (id, ${names})
      select ${id}::uuid, ${names} from jsonb_populate_record(null::${target}, ${JSON.stringify(set)}::jsonb)`)
    const changes = fields.map((field) => ({ field, from: null, to: shorten(set[field] ?? null) }))
    return { kind: 'create', table: step.table, record: id, changes }
  }
  const target = sql.identifier('public', table)
  const assignments = fields.map((field) => sql`${sql.identifier(field)} = v.${sql.identifier(field)}`)
  const [changed] = await tx.query<{ record: Record<string, string | null> }>(sql`
    with written as (
      update ${target} r set ${sql.join(assignments)} from jsonb_populate_record(null::${target}, ${JSON.stringify(set)}::jsonb) v
       where r.id = ${recordId} returning r.*)
    select ${textsOf(sql`w.*`)} as record from written w`)
  if (!changed) throw new RunRefused('automation.not_changed', 'The user may not change this record.')
  const changes = fields.map((field) => ({
    field,
    from: shorten(values.record[field] ?? null),
    to: shorten(changed.record[field] ?? null),
  }))
  return { kind: 'update', changes }
}

/** A row as an object of texts, as Postgres writes them. */
function textsOf(row: SqlFragment): SqlFragment {
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

function textsOfStep(step: AutomationStep): readonly string[] {
  return step.kind === 'notify' ? [step.text] : Object.values(step.set).filter((text) => text !== null)
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
