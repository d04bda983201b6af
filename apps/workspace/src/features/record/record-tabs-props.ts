import type { Field, FieldValue } from '../../lib/fields/field.ts'
import type { RecordWriter } from '../../lib/records/create-record-writer.ts'
import type { NotStored } from '../../lib/records/not-stored.ts'
import type { RecordValues } from '../../lib/records/record-change.ts'
import type { RecordRights } from '../../lib/records/record-rights.ts'
import type { RecordMark } from '../../lib/records/record-state.ts'
import type { RecordContentProps } from './record-content-props.ts'

/** Props shared by the parts of a saved record. */
export interface RecordTabsProps extends Pick<
  RecordContentProps,
  'table' | 'recordId' | 'workspace' | 'level' | 'tab' | 'onTab' | 'onOpenRecord'
> {
  readonly fields: readonly Field[]
  readonly values: RecordValues
  readonly labels: ReadonlyMap<string, FieldValue>
  readonly mark: RecordMark | undefined
  readonly writer: RecordWriter
  readonly rights: RecordRights
  readonly onCommit: (field: Field, value: FieldValue, isUnjudged?: boolean) => Promise<NotStored | undefined>
}
