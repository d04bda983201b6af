import { type Field, isOfFiles } from '../../../lib/fields/field.ts'
import { type FormItem, parseForm } from '../../../lib/views/form-text.ts'

/** A field with the form's texts for it. */
export interface AskedField {
  readonly item: FormItem
  readonly field: Field
  /** Required by the form or by the table. */
  readonly isRequired: boolean
}

/** Returns the fields that a form can ask for. */
export function askableFields(fields: readonly Field[]): readonly Field[] {
  return fields.filter((field) => (field.isEditable && field.kind !== 'binary') || isOfFiles(field.format))
}

/**
 * Returns the fields that a form asks for, in order. A form without settings asks for the table's required fields and those that name a record. Missing fields
 * are left out.
 *
 * @param setting - see `lib/views/form-text.ts`
 */
export function askedFields(fields: readonly Field[], setting: string | undefined): readonly AskedField[] {
  const askable = askableFields(fields)
  const items =
    setting === undefined
      ? askable.map(({ name }): FormItem => ({ field: name, isRequired: false, label: '', help: '' }))
      : parseForm(setting)
  return items.flatMap((item) => {
    const field = askable.find(({ name }) => name === item.field)
    if (!field) return []
    const worded = { ...field, label: item.label || field.label, help: item.help || field.help }
    return [{ item, field: worded, isRequired: item.isRequired || field.isRequired }]
  })
}
