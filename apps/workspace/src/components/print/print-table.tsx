import type { JSX } from 'react'
import { isNumeric } from '../../lib/fields/field-kind.ts'
import type { Field } from '../../lib/fields/field.ts'
import { cx } from '../../lib/cx.ts'

/** A printed record: one text per field, or the heading of a group of records. */
export type PrintRow =
  | { readonly id: string; readonly cells: readonly string[] }
  | { readonly id: string; readonly group: string }

/** Sizes of the text by the number of columns; the preview has that of the print. */
const MANY_COLUMNS = 9
const MOST_COLUMNS = 15

/** Records as a table whose head repeats on every page; no record is split where it fits on one. */
export function PrintTable({
  label,
  fields,
  rows,
}: {
  readonly label: string
  readonly fields: readonly Field[]
  readonly rows: readonly PrintRow[]
}): JSX.Element {
  return (
    // Scrolls with the arrow keys if even the smallest text is too wide.
    <div className="overflow-x-auto print:overflow-visible" role="region" aria-label={label} tabIndex={0}>
      <table aria-label={label} className={cx('w-full border-collapse', sizeOf(fields.length))}>
        <thead className="print:table-header-group">
          <tr>
            {fields.map((field) => (
              <th
                key={field.name}
                scope="col"
                className={cx('border-b border-control py-1 pr-3 font-medium', alignOf(field))}
              >
                {field.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) =>
            'group' in row ? (
              <tr key={row.id} className="break-inside-avoid break-after-avoid">
                <th
                  scope="rowgroup"
                  colSpan={fields.length}
                  className="border-b border-border pt-3 pb-1 text-left font-medium"
                >
                  {row.group}
                </th>
              </tr>
            ) : (
              <tr key={row.id} className="break-inside-avoid">
                {fields.map((field, index) => (
                  <td
                    key={field.name}
                    className={cx(
                      'border-b border-border py-1 pr-3 align-top [overflow-wrap:break-word]',
                      isShort(field) ? 'whitespace-nowrap' : 'whitespace-pre-wrap',
                      alignOf(field),
                    )}
                  >
                    {row.cells[index]}
                  </td>
                ))}
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  )
}

function sizeOf(columns: number): string {
  if (columns > MOST_COLUMNS) return 'text-[6pt]'
  return columns > MANY_COLUMNS ? 'text-[7pt]' : 'text-[8.5pt]'
}

/** Values that are read at a glance stay on one line. */
function isShort({ kind }: Field): boolean {
  return isNumeric(kind) || kind === 'date' || kind === 'datetime' || kind === 'choice' || kind === 'boolean'
}

function alignOf({ kind }: Field): string {
  return isNumeric(kind) ? 'text-right tabular-nums' : 'text-left'
}
