import * as v from 'valibot'
import { localValue } from '../local-value.ts'
import { type StoredField, storedFieldSchema } from './arrange-fields.ts'
import { type StoredLooks, storedLooksSchema } from './arrange-tables.ts'

/** Table looks of the last opened account, used until its database responds. */
const stored = localValue('hf-table-looks', v.object({ userId: v.string(), looks: v.array(storedLooksSchema) }))
const storedFields = localValue('hf-field-looks', v.object({ userId: v.string(), fields: v.array(storedFieldSchema) }))

/** @returns nothing if another account was open last */
export function readLooks(userId: string): readonly StoredLooks[] {
  const last = stored.read()
  return last?.userId === userId ? last.looks : []
}

export function rememberLooks(userId: string, looks: readonly StoredLooks[]): void {
  stored.write({ userId, looks: [...looks] })
}

/** As {@link readLooks}, for fields. */
export function readFieldLooks(userId: string): readonly StoredField[] {
  const last = storedFields.read()
  return last?.userId === userId ? last.fields : []
}

export function rememberFieldLooks(userId: string, fields: readonly StoredField[]): void {
  storedFields.write({ userId, fields: [...fields] })
}

/** Labels are project data, deleted with the account's data. */
export function forgetLooks(userId: string): void {
  if (stored.read()?.userId === userId) stored.clear()
  if (storedFields.read()?.userId === userId) storedFields.clear()
}
