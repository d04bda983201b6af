/** A column for the record model; {@link ColumnDescriptor} is compatible. */
export interface ModelColumn {
  readonly name: string
  /** As `format_type` prints it. */
  readonly type: string
  /** The table referenced by a foreign key of only this column. */
  readonly references?: { readonly table: string }
}

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
const SYSTEM_NAMES: ReadonlySet<string> = new Set(['id', 'created_by', 'updated_by', 'created_at', 'updated_at'])

/** States of finished work. */
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

/**
 * Returns the assignee, due date and state columns of a table of work, identified by a link to a user and a date. The first such columns are chosen, because
 * tables usually list assignees before reviewers (decision 109).
 *
 * @param people - the name of the table of users
 */
export function workColumnsOf({ name, columns }: ModelTable, people: string): WorkColumns | undefined {
  if (name === people) return undefined
  const own = columns.filter((column) => !SYSTEM_NAMES.has(column.name))
  const assignee = own.find(({ references }) => references?.table === people)?.name
  const due = own.find(({ type }) => type === 'date')?.name
  if (assignee === undefined || due === undefined) return undefined
  return { assignee, due, state: own.find((column) => column.name === 'state' || column.name === 'status')?.name }
}
