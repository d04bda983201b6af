/** A column for the record model; {@link ColumnDescriptor} is compatible. */
export interface ModelColumn {
  readonly name: string
  /** As `format_type` prints it. */
  readonly type: string
  /** The table referenced by a foreign key of only this column. */
  readonly references?: { readonly table: string }
  /** The owner's setting. */
  readonly use?: FieldUse
  /** States that the owner closed. */
  readonly closed?: readonly string[]
}

/** What an owner says that a field is used as; `none`: it is not guessed either. */
export type FieldUse = 'due' | 'state' | 'assignee' | 'none'

/** A table readable by a user, with its readable columns; {@link TableDescriptor} is compatible. */
export interface ModelTable {
  readonly name: string
  readonly columns: readonly ModelColumn[]
}

/** The columns of a work record: assignee, due date and state. */
export interface WorkColumns {
  readonly assignee: string
  readonly due: string
  /** `undefined`: every record is open. */
  readonly state: string | undefined
}

/** Column names that can title a record, by preference. */
const TITLE_NAMES = ['title', 'name', 'subject', 'label', 'tag', 'number', 'code', 'prompt', 'email', 'caption']
/** Names of due dates, also those that the app gives to German labels. */
const DUE_NAME = /(^|_)(due|deadline|expires?|expiry|f(ae|ä|a)llig|frist)/
const SYSTEM_NAMES: ReadonlySet<string> = new Set(['id', 'created_by', 'updated_by', 'created_at', 'updated_at'])

/** States of finished work, where the owner closed none. */
export const FINISHED_STATES: readonly string[] = [
  'done',
  'verified',
  'approved',
  'closed',
  'dropped',
  'cancelled',
  'decommissioned',
  'duplicate',
  'completed',
  'finished',
  'resolved',
  'canceled',
  'erledigt',
  'fertig',
  'abgeschlossen',
  'geschlossen',
  'geprüft',
  'genehmigt',
  'abgesagt',
  'storniert',
  'verworfen',
]

/** Returns the title column: one with a usual name, otherwise the first plain text. */
export function titleColumnOf(columns: readonly ModelColumn[]): string | undefined {
  for (const name of TITLE_NAMES) if (columns.some((column) => column.name === name)) return name
  return columns.find(isPlainText)?.name
}

function isPlainText({ name, type, references }: ModelColumn): boolean {
  return name !== 'id' && references === undefined && (type === 'text' || type.startsWith('character varying'))
}

/** Returns the table that maps accounts to names: the first by name with `user_id` and a title. */
export function peopleTableOf<T extends ModelTable>(tables: readonly T[]): T | undefined {
  return tables
    .filter(({ columns }) => columns.some(({ name }) => name === 'user_id') && titleColumnOf(columns) !== undefined)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))[0]
}

/** Returns the column with the due date or time: the owner's choice, otherwise the first with a usual name. */
export function dueColumnOf<T extends ModelColumn>(columns: readonly T[]): T | undefined {
  const days = columns.filter(({ type }) => /^(date$|timestamp)/.test(type))
  return columnUsedAs('due', days, ({ name }) => DUE_NAME.test(name))
}

/** Returns the column with the state: the owner's choice, otherwise `state` or `status`. */
export function stateColumnOf<T extends ModelColumn>(columns: readonly T[]): T | undefined {
  return columnUsedAs('state', columns, ({ name }) => name === 'state' || name === 'status')
}

/**
 * Returns the link to the assignee: the owner's choice, otherwise the first link to users, because tables usually list assignees before reviewers (decision 109).
 *
 * @param people - the name of the table of users
 */
export function assigneeColumnOf<T extends ModelColumn>(columns: readonly T[], people: string): T | undefined {
  const links = columns.filter(({ name, references }) => references?.table === people && !SYSTEM_NAMES.has(name))
  return columnUsedAs('assignee', links, () => true)
}

function columnUsedAs<T extends ModelColumn>(
  use: FieldUse,
  columns: readonly T[],
  isGuess: (column: T) => boolean,
): T | undefined {
  return (
    columns.find((column) => column.use === use) ??
    columns.find((column) => column.use === undefined && isGuess(column))
  )
}

/** Returns the states of finished work in lower case: those that the owner closed, otherwise the usual words. */
export function finishedStatesOf({ closed }: ModelColumn): readonly string[] {
  return closed?.map((state) => state.toLowerCase()) ?? FINISHED_STATES
}

/**
 * Returns the assignee, due date and state columns of a table of work, identified by a link to a user and a date. Without a due date by setting or name, the
 * first date is one.
 *
 * @param people - the name of the table of users
 */
export function workColumnsOf({ name, columns }: ModelTable, people: string): WorkColumns | undefined {
  if (name === people) return undefined
  const own = columns.filter((column) => !SYSTEM_NAMES.has(column.name))
  const assignee = assigneeColumnOf(own, people)
  const due = dueColumnOf(own) ?? own.find(({ type, use }) => type === 'date' && use === undefined)
  if (assignee === undefined || due === undefined) return undefined
  return { assignee: assignee.name, due: due.name, state: stateColumnOf(own)?.name }
}
