import { type JSX, useState } from 'react'
import type { TableCell, TableColumnDetails } from '@holdfast/protocol'
import { Button, Select, TextField } from '@holdfast/workspace'
import { messageOf } from '../../lib/api.ts'
import { formatBytes } from '../../lib/format.ts'
import { textOf } from './use-rows.ts'

/** What a field writes. `kept`: the default of a new row, or the value that a row has. */
type Choice = 'kept' | 'value' | 'null'

export interface Field {
  readonly choice: Choice
  readonly text: string
}

/** A column of a row: its value, and whether it is written, NULL, or left as it is. */
export function ValueField({
  column: { name, type, labels, default: given, isNullable },
  cell,
  field,
  loadWhole,
  onChange,
}: {
  readonly column: TableColumnDetails
  /** The value that the row has; `undefined` in a new row. */
  readonly cell: TableCell | undefined
  readonly field: Field
  readonly loadWhole: (() => Promise<string | null>) | undefined
  readonly onChange: (field: Field) => void
}): JSX.Element {
  const { choice, text } = field
  const isCut = choice === 'kept' && typeof cell === 'object' && cell !== null
  const kept = cell === undefined ? (given === null ? 'Default (null)' : 'Default') : 'Unchanged'
  const options = type === 'boolean' ? ['true', 'false'] : labels
  const help =
    cell === undefined && given !== null && choice === 'kept' ? (
      <>
        default: <code className="font-mono text-mono">{given}</code>
      </>
    ) : undefined
  return (
    <div className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        {isCut ? (
          <LargeValue
            name={name}
            type={type}
            bytes={cell.bytes}
            loadWhole={loadWhole}
            onLoaded={(whole) => onChange({ choice: 'value', text: whole ?? '' })}
          />
        ) : options && choice !== 'null' ? (
          <Select
            label={`${name} ${type}`}
            options={options.map((value) => ({ value, label: value }))}
            value={options.includes(text) && (choice === 'value' || cell !== undefined) ? text : null}
            onChange={(value) => onChange({ choice: 'value', text: value })}
          />
        ) : (
          <TextField
            label={`${name} ${type}`}
            value={choice === 'null' || (choice === 'kept' && cell === null) ? '' : text}
            placeholder={choice === 'null' || (choice === 'kept' && cell === null) ? 'null' : ''}
            rows={/^(text|json|character varying)/.test(type) && text.length > 60 ? 6 : 1}
            isMono
            spellCheck={false}
            onChange={(value) => onChange({ choice: 'value', text: value })}
            description={help}
          />
        )}
      </div>
      <Select
        label={`Write to ${name}`}
        isLabelHidden
        options={[
          { value: 'kept', label: kept },
          { value: 'value', label: 'Value' },
          ...(isNullable || choice === 'null' ? [{ value: 'null', label: 'Null' }] : []),
        ]}
        value={choice}
        onChange={(chosen) => {
          const next = chosen === 'value' || chosen === 'null' ? chosen : 'kept'
          onChange({ choice: next, text: next === 'kept' ? (textOf(cell) ?? '') : text })
        }}
        className="w-36 shrink-0"
      />
    </div>
  )
}

/** A value that was cut: it is loaded whole before it is edited. */
function LargeValue({
  name,
  type,
  bytes,
  loadWhole,
  onLoaded,
}: {
  readonly name: string
  readonly type: string
  readonly bytes: number
  readonly loadWhole: (() => Promise<string | null>) | undefined
  readonly onLoaded: (whole: string | null) => void
}): JSX.Element {
  const [problem, setProblem] = useState<string>()
  return (
    <div className="flex flex-col gap-1.5">
      <span className="text-small font-medium">
        {name} <span className="font-regular text-subtle">{type}</span>
      </span>
      <span>
        <Button
          size="sm"
          onPress={() => void loadWhole?.().then(onLoaded, (error: unknown) => setProblem(messageOf(error)))}
        >
          {`Load ${formatBytes(bytes)} to edit`}
        </Button>
      </span>
      {problem === undefined ? null : <span className="text-small text-danger">{problem}</span>}
    </div>
  )
}
