import { useRecords, useSchema } from '@holdfast/react'
import { type JSX, type ReactNode, useCallback, useMemo, useState } from 'react'
import { PrintSheet } from '../../../components/print/print-sheet.tsx'
import { PrintTable } from '../../../components/print/print-table.tsx'
import { useToday } from '../../../hooks/use-today.ts'
import { useChecklists } from '../../../lib/checklists/use-checklists.ts'
import { photoLinkOf } from '../../../lib/data/photo-table.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { useRecordTitle } from '../../../lib/data/use-record-title.ts'
import { useTables } from '../../../lib/data/use-tables.tsx'
import { type Field, fieldsOf, type FieldValue } from '../../../lib/fields/field.ts'
import { formatValue } from '../../../lib/fields/format-value.ts'
import { labelSql } from '../../../lib/fields/label-sql.ts'
import { tableSql } from '../../../lib/fields/table-sql.ts'
import { useFields } from '../../../lib/fields/use-fields.ts'
import { quoteName } from '../../../lib/sql.ts'
import { usePhotoTable } from '../../../lib/photos/use-photo-table.ts'
import { printMessages as words } from '../../../messages/print.ts'
import { useRelations } from '../linked-records.tsx'
import type { Relation } from '../links/relation.ts'
import { sectionsOf } from '../record-sections.ts'
import { PrintAnswers } from './print-answers.tsx'
import { type OwnedPhoto, PHOTOS_MAX, type PhotoState, PrintPhotos, usePhotosOf } from './print-photos.tsx'

/** Limit of linked records per table. */
const LINKED_MAX = 200
/** Fields printed of a linked record. */
const LINKED_FIELDS = 6

/** A record as a document: its fields, the answers of its checklist, its photos and signature, and the records that link to it. */
export function PrintRecord({
  table,
  recordId,
}: {
  readonly table: TableInfo
  readonly recordId: string
}): JSX.Element {
  const schema = useSchema()
  const tables = useTables()
  const fields = useFields(table.descriptor, useToday())
  const { title, isHere, isLoading } = useRecordTitle(table, recordId)
  const values = useValues(table, fields, recordId)
  const checklists = useChecklists()
  const checklist = checklists?.find((one) => one.table === table.name)
  const photos = usePhotoTable(table.name)
  const own = usePhotosOf(photos, photos && photoLinkOf(photos, table.name), [recordId])
  const signaturePath = checklist?.signature === undefined ? null : (values?.[checklist.signature] ?? null)
  const { note, isWaiting, onState } = usePhotoStates()
  const sections = useMemo(() => sectionsOf(fields, schema, table.layout), [fields, schema, table.layout])
  const left = new Set([photos?.name, checklist?.answers.table])
  const relations = useRelations(table.name).filter(({ table: other }) => !left.has(other.name) && !other.isSupporting)
  const isReady = !isLoading && values !== undefined && checklists !== undefined && own !== undefined
  const signed = new Set(fields.filter(({ format }) => format?.format.kind === 'signature').map(({ name }) => name))
  const isSignature = ({ path, field }: OwnedPhoto): boolean =>
    path === signaturePath || (field !== null && signed.has(field))
  // Fields have no ids for names.
  const isOfQuestion = ({ field }: OwnedPhoto): boolean =>
    checklist !== undefined && field !== null && !fields.some(({ name }) => name === field)
  const signatures = (own ?? []).filter(isSignature)
  const others = (own ?? []).filter((photo) => !isSignature(photo) && !isOfQuestion(photo))
  const isPrinted = (field: Field): boolean =>
    !field.isTitle && field.name !== checklist?.signature && isReadable(field)
  return (
    <PrintSheet
      title={isLoading || isHere ? title : words.gone}
      facts={[table.noun.charAt(0).toUpperCase() + table.noun.slice(1)]}
      tables={[table, ...tables.filter(({ name }) => name === checklist?.answers.table || name === photos?.name)]}
      orientation="portrait"
      pending={isReady && !isWaiting ? undefined : note}
      note={isWaiting ? undefined : note}
    >
      {values && (isHere || isLoading) ? (
        <>
          <Values
            fields={[...sections.main.flatMap((section) => section.fields), ...sections.beside].filter(isPrinted)}
            values={values}
          />
          {checklist ? <PrintAnswers {...{ checklist, recordId, onState }} files={own ?? []} /> : null}
          {others.length === 0 ? null : (
            <Part title={words.photos}>
              <PrintPhotos photos={others.slice(0, PHOTOS_MAX)} onState={onState} />
              {others.length > PHOTOS_MAX ? (
                <p className="text-small">{words.first(PHOTOS_MAX, others.length)}</p>
              ) : null}
            </Part>
          )}
          {relations.map((relation) => (
            <Linked key={`${relation.table.name}/${relation.field.name}`} relation={relation} recordId={recordId} />
          ))}
          {signatures.length === 0 ? null : (
            <Part title={words.signature}>
              <PrintPhotos photos={signatures} onState={onState} />
            </Part>
          )}
        </>
      ) : null}
    </PrintSheet>
  )
}

/** Follows which photos are still loading, and which will be missing. */
function usePhotoStates(): {
  readonly note: string | undefined
  readonly isWaiting: boolean
  readonly onState: (id: string, state: PhotoState) => void
} {
  const [states, setStates] = useState<ReadonlyMap<string, PhotoState>>(new Map())
  const onState = useCallback(
    (id: string, state: PhotoState) =>
      setStates((before) => (before.get(id) === state ? before : new Map([...before, [id, state]]))),
    [],
  )
  const count = (state: PhotoState): number => [...states.values()].filter((one) => one === state).length
  const [loading, missing] = [count('loading'), count('missing')]
  const note = loading > 0 ? words.photosLoading(loading) : missing > 0 ? words.photosMissing(missing) : undefined
  return { note, isWaiting: loading > 0, onState }
}

type Values = Readonly<Record<string, FieldValue>>

/** Returns the record's values, with the titles of its links under `@` and the field's name; `undefined` while they are read. */
function useValues(table: TableInfo, fields: readonly Field[], id: string): Values | undefined {
  const columns = columnsOf(fields)
  const { rows, isLoading } = useRecords<Values>(
    `select ${columns} from ${tableSql({ table: table.name, fields })} where t.id = ?`,
    [id],
  )
  return isLoading ? undefined : (rows[0] ?? {})
}

function columnsOf(fields: readonly Field[]): string {
  const labels = fields.filter(({ link }) => link?.titleColumn !== undefined)
  return [
    't.id as id',
    ...fields.filter(({ name }) => name !== 'id').map(({ name }) => `t.${quoteName(name)} as ${quoteName(name)}`),
    ...labels.map((field) => `${labelSql(field, `t.${quoteName(field.name)}`)} as ${quoteName(`@${field.name}`)}`),
  ].join(', ')
}

function textOf(field: Field, values: Values): string {
  return formatValue(field, values[field.name] ?? null, values[`@${field.name}`] ?? null)
}

export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): JSX.Element {
  return (
    <section className="pt-6">
      <h2 className="pb-1 text-heading break-after-avoid">{title}</h2>
      {children}
    </section>
  )
}

/** The fields that have a value. */
function Values({ fields, values }: { readonly fields: readonly Field[]; readonly values: Values }): JSX.Element {
  const filled = fields.filter((field) => textOf(field, values) !== '')
  return (
    <dl className="grid grid-cols-1 gap-x-8 gap-y-3 pt-4 tablet:grid-cols-2 print:grid-cols-2">
      {filled.map((field) => (
        <div key={field.name} className={field.kind === 'long_text' ? 'col-span-full' : 'break-inside-avoid'}>
          <dt className="text-small text-muted">{field.label}</dt>
          <dd className="whitespace-pre-wrap [overflow-wrap:anywhere]">{textOf(field, values)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Whether a value says something to a reader, which ids do not. */
function isReadable({ kind, link }: Field): boolean {
  return kind !== 'uuid' && kind !== 'binary' && (kind !== 'link' || link?.titleColumn !== undefined)
}

/** The records of a table that link to this one. */
function Linked({
  relation: { table, field },
  recordId,
}: {
  readonly relation: Relation
  readonly recordId: string
}): JSX.Element | null {
  const schema = useSchema()
  const fields = useMemo(() => fieldsOf(table.descriptor, schema), [table, schema])
  const shown = fields
    .filter((one) => one.name !== field.name && !one.isSystem && isReadable(one))
    .slice(0, LINKED_FIELDS)
  const where = `${quoteName(field.name)} = ?`
  const { rows } = useRecords<Values>(
    `select ${columnsOf(shown)}, (select count(*) from ${quoteName(table.name)} where ${where}) as "#"
       from ${quoteName(table.name)} t where t.${where} order by t.id limit ${String(LINKED_MAX)}`,
    [recordId, recordId],
  )
  const count = Number(rows[0]?.['#'] ?? 0)
  if (count === 0) return null
  return (
    <Part title={table.label}>
      <PrintTable
        label={table.label}
        fields={shown}
        rows={rows.map((row) => ({ id: String(row['id']), cells: shown.map((one) => textOf(one, row)) }))}
      />
      {count > rows.length ? <p className="pt-1 text-small text-muted">{words.first(rows.length, count)}</p> : null}
    </Part>
  )
}
