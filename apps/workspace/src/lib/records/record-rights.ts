import type { Judgement, PlannedWrite, WriteRefusal } from '@holdfast/client'
import type { TableInfo } from '../data/tables.ts'
import type { Field } from '../fields/field.ts'
import type { RecordValues } from './record-change.ts'

/** What policies let a user do with a record, as far as this device knows. */
export interface RecordRights {
  /** Set if no field can be changed. */
  readonly readOnly: WriteRefusal | undefined
  /** Why a field cannot be changed to any value. */
  readonly fields: ReadonlyMap<string, WriteRefusal>
  /** Reasons for refused choices, by field and choice. */
  readonly choices: ReadonlyMap<string, ReadonlyMap<string, WriteRefusal>>
  readonly isDeletable: boolean
  /** False before the policies are evaluated: nothing is offered then, so that nothing is withdrawn. */
  readonly isKnown: boolean
  /** While unknown: the last record of the table could not be changed. */
  readonly seemsReadOnly?: boolean
}

/** Before the policies are evaluated. */
export const UNKNOWN_RIGHTS: RecordRights = {
  readOnly: undefined,
  fields: new Map(),
  choices: new Map(),
  isDeletable: false,
  isKnown: false,
}

/** Returns the writes to judge for a record: each field with any value, each choice of a field, and deletion; in the order that {@link toRights} expects. */
export function writesOf(
  table: TableInfo,
  recordId: string,
  fields: readonly Field[],
  values: RecordValues,
): readonly PlannedWrite[] {
  const before = { ...values, id: recordId }
  const write = (after: RecordValues, name: string): PlannedWrite => ({
    table: table.name,
    command: 'update',
    before,
    after,
    changed: [name],
  })
  const whole = fields.flatMap(({ name }) => {
    const { [name]: _, ...others } = before as RecordValues
    return [write(others, name)]
  })
  const chosen = fields.flatMap(({ name, choices }) =>
    choices.map((choice) => write({ ...before, [name]: choice }, name)),
  )
  return [{ table: table.name, command: 'delete', before }, ...whole, ...chosen]
}

/** @param judgements - of {@link writesOf} */
export function toRights(fields: readonly Field[], judgements: readonly Judgement[]): RecordRights {
  const [deletion, ...rest] = judgements
  const refusalAt = (index: number): WriteRefusal | undefined => {
    const judgement = rest[index]
    return judgement?.kind === 'refused' ? judgement.refusal : undefined
  }
  const refused = new Map<string, WriteRefusal>()
  fields.forEach(({ name }, index) => {
    const refusal = refusalAt(index)
    if (refusal) refused.set(name, refusal)
  })
  const choices = new Map<string, ReadonlyMap<string, WriteRefusal>>()
  let at = fields.length
  for (const field of fields) {
    const ofField = new Map<string, WriteRefusal>()
    for (const choice of field.choices) {
      const refusal = refusalAt(at++)
      if (refusal) ofField.set(choice, refusal)
    }
    if (ofField.size > 0) choices.set(field.name, ofField)
  }
  const isReadOnly = fields.length > 0 && refused.size === fields.length
  const [first] = refused.values()
  return {
    readOnly: isReadOnly ? first : undefined,
    fields: refused,
    choices,
    isDeletable: deletion?.kind !== 'refused',
    isKnown: true,
  }
}
